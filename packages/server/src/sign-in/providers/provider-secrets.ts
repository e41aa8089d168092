// The secrets of this service at providers, sealed with the master key and bound to the provider.
import { decryptWithAny, encrypt } from '../../base/secrets/encryption.ts';
import type { Store } from '../../cluster/store/store.ts';
import { replaceProviderSecrets, type StoredProvider } from './provider-store.ts';

export interface ProviderSecrets {
  seal(providerId: number, secret: string): Buffer;
  /** Undefined where there is none, or no master key opens it. */
  open(provider: Pick<StoredProvider, 'id' | 'sealedSecret'>): string | undefined;
}

/** The first key seals; the others only open, while the master key is being changed. */
export function createProviderSecrets(sealingKeys: readonly [Buffer, ...Buffer[]]): ProviderSecrets {
  return {
    seal: (id, secret) => encrypt(Buffer.from(secret), sealingKeys[0], ownerOf(id)),
    open: ({ id, sealedSecret }) =>
      sealedSecret === null ? undefined : decryptWithAny(sealedSecret, sealingKeys, ownerOf(id))?.toString(),
  };
}

/** The change of the master key: how many secrets are sealed with the first key now. */
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
