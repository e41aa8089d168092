// Seals the private part of a signing key with the master key: AES-256-GCM, bound to the key's id.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ivLength = 12;
const authTagLength = 16;
const algorithm = 'aes-256-gcm';

export function encrypt(secret: Buffer, sealingKey: Buffer, kid: string): Buffer {
  const iv = randomBytes(ivLength);
  const cipher = createCipheriv(algorithm, sealingKey, iv, { authTagLength }).setAAD(Buffer.from(kid));
  return Buffer.concat([iv, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
}

/** Throws when the master key is another one or the sealed bytes were changed. */
export function decrypt(sealed: Buffer, sealingKey: Buffer, kid: string): Buffer {
  const decipher = createDecipheriv(algorithm, sealingKey, sealed.subarray(0, ivLength), { authTagLength })
    .setAAD(Buffer.from(kid))
    .setAuthTag(sealed.subarray(-authTagLength));
  return Buffer.concat([decipher.update(sealed.subarray(ivLength, -authTagLength)), decipher.final()]);
}

/** Undefined where none of them opens it. */
export function decryptWithAny(
  sealed: Buffer,
  sealingKeys: readonly Buffer[],
  kid: string,
): Buffer | undefined {
  for (const sealingKey of sealingKeys) {
    try {
      return decrypt(sealed, sealingKey, kid);
    } catch {
      // Sealed with another one.
    }
  }
  return undefined;
}
