// Encryption of stored secrets (signing keys, TOTP, providers, webhooks): AES-256-GCM with the sealing key, which derives from the
// master key. The id of the owner is authenticated data, so a ciphertext copied to another row does not decrypt.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ivLength = 12;
const authTagLength = 16;
const algorithm = 'aes-256-gcm';

export function encrypt(secret: Buffer, sealingKey: Buffer, owner: string): Buffer {
  const iv = randomBytes(ivLength);
  const cipher = createCipheriv(algorithm, sealingKey, iv, { authTagLength }).setAAD(Buffer.from(owner));
  return Buffer.concat([iv, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
}

/** Throws when the sealing key or the owner differs, or the ciphertext was changed. */
export function decrypt(sealed: Buffer, sealingKey: Buffer, owner: string): Buffer {
  const decipher = createDecipheriv(algorithm, sealingKey, sealed.subarray(0, ivLength), { authTagLength })
    .setAAD(Buffer.from(owner))
    .setAuthTag(sealed.subarray(-authTagLength));
  return Buffer.concat([decipher.update(sealed.subarray(ivLength, -authTagLength)), decipher.final()]);
}
