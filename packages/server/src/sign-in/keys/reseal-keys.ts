// Master key rotation: decrypts the private signing keys and encrypts them with the new master key. Every instance must have both
// master keys by then, because each instance decrypts the signing key.

import { decryptWithAny, encrypt } from '../../base/secrets/encryption.ts';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';
import { replaceSealed } from './key-store.ts';

interface Resealed {
  readonly resealed: number;
  /** Keys that neither master key decrypts: of another mode, or of an earlier master key. */
  readonly left: readonly string[];
}

export async function resealKeys(
  store: Store,
  sealingKeys: readonly [Buffer, ...Buffer[]],
  record: (transaction: StoreTransaction, done: Resealed) => Promise<void> = async () => {},
): Promise<Resealed> {
  return await store.transaction().execute(async (transaction) => {
    const left: string[] = [];
    const resealed = await replaceSealed(transaction, (kid, sealed) => {
      const secret = decryptWithAny(sealed, sealingKeys, kid);
      if (secret !== undefined) return encrypt(secret, sealingKeys[0], kid);
      left.push(kid);
      return undefined;
    });
    await record(transaction, { resealed, left });
    return { resealed, left };
  });
}
