// Creates and ends the API keys of service accounts. A caller who adds a key could log in as the account, so the caller needs
// the same permission as for setting a password. The end of a key ends its sessions, under the lock that excludes the storing of
// sessions.
import { AppError, type PublicKey } from '@portcullis/contract';
import type { UserChange } from '../../people/users/user-changes.ts';
import { endFactors, lockFactorsOfUser } from '../mfa/credential-store.ts';
import { endSessionsProvenBy } from '../sessions/end-sessions-store.ts';
import { findKeyOf, insertKey, listKeys } from './key-store.ts';
import { readPublicKey, thumbprintOf } from './public-key.ts';

/** Enough for key rotation, and few enough to review. */
const mostKeys = 10;

interface NewKey {
  readonly name: string;
  readonly publicKey: PublicKey;
}

export function addKeyChange({ name, publicKey }: NewKey): {
  change: UserChange;
  added: { id: number; kid: string };
} {
  if (readPublicKey(publicKey) === undefined) throw new AppError('params_invalid');
  const added = { id: 0, kid: thumbprintOf(publicKey) };
  const change: UserChange = {
    kind: 'service',
    way: 'give',
    // A stolen token of the account must not add a lasting key to the account.
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

/** An ended key stays ended. A second call waits as the first one did. */
export function endKeyChange(keyId: number, { isEnded }: { readonly isEnded: boolean }): UserChange {
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
