// The ended tokens and raised epochs, in memory: what the identity check asks on every request.
import type { Change } from '../cluster/change.ts';
import type { Replica } from '../cluster/follower.ts';
import { listLiveRevocations, listRaisedEpochs } from './revocation-store.ts';

export interface Revocations extends Replica {
  isRevoked(token: { readonly jti: string; readonly identity: number; readonly ep: number }): boolean;
}

export function createRevocations(maxTokenLifetimeSeconds: number): Revocations {
  let endedTokens = new Set<string>();
  let raisedEpochs = new Map<number, number>();
  return {
    isRevoked: ({ jti, identity, ep }) => endedTokens.has(jti) || ep < (raisedEpochs.get(identity) ?? 0),
    async load(transaction) {
      const tokens = new Set(await listLiveRevocations(transaction));
      const raised = await listRaisedEpochs(transaction, maxTokenLifetimeSeconds);
      const epochs = new Map(raised.map(({ userId, epoch }) => [userId, epoch]));
      return () => {
        endedTokens = tokens;
        raisedEpochs = epochs;
      };
    },
    apply(change: Change) {
      switch (change.kind) {
        case 'token_revoked':
          endedTokens.add(change.jti);
          break;
        case 'epoch_raised':
          raisedEpochs.set(change.userId, change.epoch);
          break;
      }
    },
  };
}
