// The ended tokens and raised epochs, in memory: what the identity check asks on every request.
import type { Change } from '../cluster/change.ts';
import type { Replica } from '../cluster/follower.ts';
import { createEndedTokens } from './ended-tokens.ts';
import { listRaisedEpochs, visitLiveRevocations } from './revocation-store.ts';

export interface Revocations extends Replica {
  isRevoked(token: { readonly jti: string; readonly identity: number; readonly ep: number }): boolean;
}

export function createRevocations(maxTokenLifetimeSeconds: number, now: () => number): Revocations {
  const nowSeconds = () => now() / 1000;
  let endedTokens = createEndedTokens(nowSeconds);
  let raisedEpochs = new Map<number, number>();
  /** Those of before the last change of maps: within two lifetimes each has outlived the tokens that it ended. */
  let earlierEpochs = new Map<number, number>();
  let changedAt = now();
  function raise(userId: number, epoch: number): void {
    if (now() - changedAt > maxTokenLifetimeSeconds * 1000) {
      earlierEpochs = raisedEpochs;
      raisedEpochs = new Map();
      changedAt = now();
    }
    raisedEpochs.set(userId, Math.max(epoch, raisedEpochs.get(userId) ?? 0));
  }
  function apply(change: Change): void {
    if (change.kind === 'token_revoked') endedTokens.add(change.jti, change.expiresAt);
    if (change.kind === 'epoch_raised') raise(change.userId, change.epoch);
  }
  return {
    isRevoked: ({ jti, identity, ep }) =>
      endedTokens.has(jti) || ep < (raisedEpochs.get(identity) ?? earlierEpochs.get(identity) ?? 0),
    async load(transaction) {
      const tokens = createEndedTokens(nowSeconds);
      await visitLiveRevocations(transaction, tokens.add);
      const epochs = new Map<number, number>();
      for await (const { userId, epoch } of listRaisedEpochs(transaction, maxTokenLifetimeSeconds))
        epochs.set(userId, epoch);
      return () => {
        endedTokens = tokens;
        raisedEpochs = epochs;
        earlierEpochs = new Map();
        changedAt = now();
      };
    },
    apply: (changes) => changes.forEach(apply),
  };
}
