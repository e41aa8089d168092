// Token revocation in memory: the revoked tokens and the raised epochs of users. The identity check reads both.
import type { Change } from './change.ts';
import type { ReadableReplica } from './follower.ts';
import { createRevokedTokens, type RevokedTokens } from './revoked-tokens.ts';

export interface Revocations extends ReadableReplica {
  isRevoked(token: { readonly jti: string; readonly identity: number; readonly ep: number }): boolean;
  /** How many revoked tokens are kept; a metric for the operator. */
  readonly endedTokens: number;
}

/** More than the allowed difference to the database's clock: a clock that is behind accepts a token for longer. */
const slackSeconds = 60;

/**
 * `passed` returns a time that has passed on every clock: a clock that is ahead would drop revocations that are still
 * needed.
 */
export function createRevocations(maxTokenLifetimeSeconds: number, passed: () => number): Revocations {
  const passedSeconds = () => passed() / 1000;
  let endedTokens = createRevokedTokens(passedSeconds);
  let raisedEpochs = new Map<number, number>();
  /** The previous map. It is dropped at the next change of maps, when every token that its epochs ended has expired. */
  let earlierEpochs = new Map<number, number>();
  let changedAt = passed();
  function raise(userId: number, epoch: number): void {
    if (passed() - changedAt > (maxTokenLifetimeSeconds + slackSeconds) * 1000) {
      earlierEpochs = raisedEpochs;
      raisedEpochs = new Map();
      changedAt = passed();
    }
    raisedEpochs.set(userId, Math.max(epoch, raisedEpochs.get(userId) ?? 0));
  }
  function apply(change: Change): void {
    if (change.kind === 'token_revoked') endedTokens.add(change.jti, change.expiresAt);
    if (change.kind === 'epoch_raised') raise(change.userId, change.epoch);
  }
  return {
    get endedTokens() {
      return endedTokens.size;
    },
    isRevoked: ({ jti, identity, ep }) =>
      endedTokens.has(jti) || ep < (raisedEpochs.get(identity) ?? earlierEpochs.get(identity) ?? 0),
    load() {
      const tokens = createRevokedTokens(passedSeconds);
      const epochs = new Map<number, number>();
      return {
        take(piece) {
          if (piece.kind === 'revocations') addLines(tokens, piece.lines);
          if (piece.kind === 'ended_tokens')
            tokens.addAll({ hour: piece.hour, fingerprints: Buffer.from(piece.fingerprints, 'base64') });
          if (piece.kind === 'epochs')
            for (const { userId, epoch } of piece.epochs) epochs.set(userId, epoch);
        },
        finish: () => () => {
          endedTokens = tokens;
          raisedEpochs = epochs;
          earlierEpochs = new Map();
          changedAt = passed();
        },
      };
    },
    apply: (changes) => changes.forEach(apply),
    *snapshotRecords() {
      for (const { hour, fingerprints } of endedTokens.hours())
        yield { kind: 'ended_tokens', hour, fingerprints: Buffer.from(fingerprints).toString('base64') };
      const epochs = Array.from(new Map([...earlierEpochs, ...raisedEpochs]), ([userId, epoch]) => ({
        userId,
        epoch,
      }));
      yield { kind: 'epochs', epochs: epochs.sort((one, other) => one.userId - other.userId) };
    },
  };
}

function addLines(tokens: RevokedTokens, lines: string): void {
  for (const line of lines.split(',')) {
    const space = line.indexOf(' ');
    tokens.add(line.slice(0, space), Number(line.slice(space + 1)));
  }
}
