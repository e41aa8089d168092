// The secrets of authenticator apps, sealed with the master key and bound to their owner.
import { seal, unsealWithAny } from '../../identity/keys/sealing.ts';

export interface TotpSecrets {
  seal(userId: number, secret: Buffer): Buffer;
  /** Throws where no master key opens it. */
  open(userId: number, sealed: Buffer | null): Buffer;
}

/** The first key seals; the others only open, while the master key is being changed. */
export function createTotpSecrets(sealingKeys: readonly [Buffer, ...Buffer[]]): TotpSecrets {
  return {
    seal: (userId, secret) => seal(secret, sealingKeys[0], ownerOf(userId)),
    open(userId, sealed) {
      const secret = sealed && unsealWithAny(sealed, sealingKeys, ownerOf(userId));
      if (!secret) throw new Error(`The TOTP secret of user ${userId} does not open with this master key.`);
      return secret;
    },
  };
}

/** Undefined where no key opens it. */
export function resealTotp(
  userId: number,
  sealed: Buffer,
  sealingKeys: readonly [Buffer, ...Buffer[]],
): Buffer | undefined {
  const secret = unsealWithAny(sealed, sealingKeys, ownerOf(userId));
  return secret && seal(secret, sealingKeys[0], ownerOf(userId));
}

function ownerOf(userId: number): string {
  return `totp of user ${userId}`;
}
