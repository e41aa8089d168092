// The stored secrets, each encrypted with the master key and bound to its owner: one line for each kind. `keys reseal` covers every
// line.
import { decrypt, encrypt } from './encryption.ts';

interface SecretOwner {
  readonly table: string;
  /** The primary key of the table. */
  readonly row: string;
  /** The column with the id of the owner. */
  readonly id: string;
  readonly columns: readonly string[];
  /** The authenticated data. Never change it: the stored secrets would not decrypt any more. */
  readonly nameOf: (id: OwnerId) => string;
  /** The name of the count in the result of `keys reseal`. */
  readonly counted: string;
}

export type OwnerId = number | string;

// biome-ignore format: One line for each kind of secret.
export const secretOwners = {
  totp: { table: 'credentials', row: 'id', id: 'user_id', columns: ['sealed_secret'], nameOf: (id) => `totp of user ${id}`, counted: 'totpSecrets' },
  provider: { table: 'providers', row: 'id', id: 'id', columns: ['sealed_secret'], nameOf: (id) => `secret of provider ${id}`, counted: 'providerSecrets' },
  webhook: { table: 'webhooks', row: 'id', id: 'id', columns: ['sealed_secret', 'sealed_previous'], nameOf: (id) => `secret of webhook ${id}`, counted: 'webhookSecrets' },
  signingKey: { table: 'keys', row: 'kid', id: 'kid', columns: ['sealed_private'], nameOf: (kid) => `${kid}`, counted: 'resealed' },
} as const satisfies Record<string, SecretOwner>;

export type SecretKind = keyof typeof secretOwners;

/** The first key encrypts. The others only decrypt, during a rotation of the master key. */
export type SealingKeys = readonly [Buffer, ...Buffer[]];

export interface SealedSecrets {
  seal(id: OwnerId, secret: Buffer): Buffer;
  /** Undefined when there is no secret, or no master key decrypts it. */
  open(id: OwnerId, sealed: Buffer | null): Buffer | undefined;
}

export function createSealedSecrets(
  kind: SecretKind,
  sealingKeys: SealingKeys,
  reportClosed: (id: OwnerId) => void = () => {},
): SealedSecrets {
  const { nameOf } = secretOwners[kind];
  return {
    seal: (id, secret) => encrypt(secret, sealingKeys[0], nameOf(id)),
    open(id, sealed) {
      for (const sealingKey of sealingKeys)
        try {
          if (sealed !== null) return decrypt(sealed, sealingKey, nameOf(id));
        } catch {
          // Encrypted with another key.
        }
      reportClosed(id);
      return undefined;
    },
  };
}
