// How the keys of a service account change. Whoever adds one could become the account, so it takes the same reach as a
// password; one that ends takes its sessions along, under the lock that no session is stored beside.
import { AppError, type PublicKey } from '@portcullis/contract';
import type { UserChange } from '../../people/users/user-changes.ts';
import { endFactors, lockFactorsOfUser } from '../mfa/credential-store.ts';
import { endSessionsProvenBy } from '../sessions/end-sessions-store.ts';
import { findKeyOf, insertKey, listKeys } from './key-store.ts';
import { readPublicKey, thumbprintOf } from './public-key.ts';

/** Enough to rotate, and few enough to look at. */
const mostKeys = 10;

interface NewKey {
  readonly name: string;
  readonly publicKey: PublicKey;
}

export function adding({ name, publicKey }: NewKey): {
  change: UserChange;
  added: { id: number; kid: string };
} {
  if (readPublicKey(publicKey) === undefined) throw new AppError('params_invalid');
  const added = { id: 0, kid: thumbprintOf(publicKey) };
  const change: UserChange = {
    kind: 'service',
    way: 'give',
    // A token that was stolen must not make itself a key that stays.
    ofOthers: true,
    action: 'user.key_add',
    before: () => null,
    after: () => ({ ...added, name }),
    isDone: () => false,
    async apply(transaction, { id: userId }) {
      await lockFactorsOfUser(transaction, userId);
      if ((await listKeys(transaction, userId)).length >= mostKeys) throw new AppError('conflict');
      added.id = await insertKey(transaction, { userId, kid: added.kid, name, publicKey });
      return [];
    },
  };
  return { change, added };
}

/** One that has ended stays so, and a second call waits as the first one did. */
export function ending(keyId: number, { isEnded }: { readonly isEnded: boolean }): UserChange {
  let ended = {};
  return {
    kind: 'service',
    way: 'takeAway',
    ofOthers: false,
    action: 'user.key_end',
    before: () => ended,
    after: () => null,
    isDone: () => isEnded,
    async apply(transaction, { id: userId }) {
      await lockFactorsOfUser(transaction, userId);
      const key = await findKeyOf(transaction, userId, keyId);
      if (key === undefined) throw new AppError('record_not_found');
      ended = { id: keyId, kid: key.kid, name: key.name };
      await endFactors(transaction, [keyId]);
      return await endSessionsProvenBy(transaction, [keyId]);
    },
  };
}
