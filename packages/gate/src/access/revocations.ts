// The ended tokens and raised epochs, in memory: what the identity check asks on every request.
import type { Change } from './change.ts';
import type { ReadableReplica } from './follower.ts';
import { createRevokedTokens, type RevokedTokens } from './revoked-tokens.ts';

export interface Revocations extends ReadableReplica {
  isRevoked(token: { readonly jti: string; readonly identity: number; readonly ep: number }): boolean;
  /** How many of them are kept, for the operator. */
  readonly endedTokens: number;
}

/** For clocks that are behind the database's, by as much as they may be and more. */
const slackSeconds = 60;

/** By a time that has passed on every clock: one that shows too much would forget what still counts. */
export function createRevocations(maxTokenLifetimeSeconds: number, passed: () => number): Revocations {
  const passedSeconds = () => passed() / 1000;
  let endedTokens = createRevokedTokens(passedSeconds);
  let raisedEpochs = new Map<number, number>();
  /** Those from before the last change of maps: within two lifetimes each has outlived the tokens that it ended. */
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
    *pieces() {
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
