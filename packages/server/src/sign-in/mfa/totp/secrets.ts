// TOTP secrets (authenticator apps): encrypted with the master key and bound to their owner.
import { decryptWithAny, encrypt } from '../../../base/secrets/encryption.ts';
import type { Store } from '../../../cluster/store/store.ts';
import { replaceSealedSecrets } from '../credential-store.ts';

export interface TotpSecrets {
  seal(userId: number, secret: Buffer): Buffer;
  /** Undefined if no master key decrypts it. The operator gets a report, and the codes of this user are refused. */
  open(userId: number, sealed: Buffer | null): Buffer | undefined;
}

/** The first key encrypts. The others only decrypt, while the master key is being changed. */
export function createTotpSecrets(
  sealingKeys: readonly [Buffer, ...Buffer[]],
  reportClosed: (userId: number) => void = () => {},
): TotpSecrets {
  return {
    seal: (userId, secret) => encrypt(secret, sealingKeys[0], ownerOf(userId)),
    open(userId, sealed) {
      const secret = sealed === null ? undefined : decryptWithAny(sealed, sealingKeys, ownerOf(userId));
      if (secret === undefined) reportClosed(userId);
      return secret;
    },
  };
}

const batch = 1000;

/** Master key rotation: encrypts the secrets with the first key, and returns their number. */
export async function resealTotpSecrets(
  store: Store,
  sealingKeys: readonly [Buffer, ...Buffer[]],
): Promise<number> {
  const reseal = (userId: number, sealed: Buffer) => {
    const secret = decryptWithAny(sealed, sealingKeys, ownerOf(userId));
    return secret && encrypt(secret, sealingKeys[0], ownerOf(userId));
  };
  let resealed = 0;
  for (let after: number | undefined = 0; after !== undefined; ) {
    const from: number = after;
    const { replaced, last } = await store
      .transaction()
      .execute((transaction) => replaceSealedSecrets(transaction, from, batch, reseal));
    resealed += replaced;
    after = last;
  }
  return resealed;
}

function ownerOf(userId: number): string {
  return `totp of user ${userId}`;
}
