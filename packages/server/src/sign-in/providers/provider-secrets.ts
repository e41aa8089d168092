// Encrypts the client secrets of providers with the master key. Each ciphertext is bound to its provider.
import { decryptWithAny, encrypt } from '../../base/secrets/encryption.ts';
import type { Store } from '../../cluster/store/store.ts';
import { replaceProviderSecrets, type StoredProvider } from './provider-store.ts';

export interface ProviderSecrets {
  seal(providerId: number, secret: string): Buffer;
  /** Undefined when there is no secret, or no master key decrypts it. */
  open(provider: Pick<StoredProvider, 'id' | 'sealedSecret'>): string | undefined;
}

/** The first key encrypts. The others only decrypt, during a rotation of the master key. */
export function createProviderSecrets(sealingKeys: readonly [Buffer, ...Buffer[]]): ProviderSecrets {
  return {
    seal: (id, secret) => encrypt(Buffer.from(secret), sealingKeys[0], ownerOf(id)),
    open: ({ id, sealedSecret }) =>
      sealedSecret === null ? undefined : decryptWithAny(sealedSecret, sealingKeys, ownerOf(id))?.toString(),
  };
}

/** Rotation of the master key: encrypts every secret with the first key, and returns their number. */
export async function resealProviderSecrets(
  store: Store,
  sealingKeys: readonly [Buffer, ...Buffer[]],
): Promise<number> {
  return await store.transaction().execute((transaction) =>
    replaceProviderSecrets(transaction, (id, sealed) => {
      const secret = decryptWithAny(sealed, sealingKeys, ownerOf(id));
      return secret && encrypt(secret, sealingKeys[0], ownerOf(id));
    }),
  );
}

function ownerOf(id: number): string {
  return `secret of provider ${id}`;
}
