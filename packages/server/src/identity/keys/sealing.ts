// Seals the private part of a signing key with the master key: AES-256-GCM, bound to the key's id.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ivLength = 12;
const tagLength = 16;

export function seal(secret: Buffer, sealingKey: Buffer, kid: string): Buffer {
  const iv = randomBytes(ivLength);
  const cipher = createCipheriv('aes-256-gcm', sealingKey, iv).setAAD(Buffer.from(kid));
  return Buffer.concat([iv, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
}

/** Throws when the master key is another one or the sealed bytes were changed. */
export function unseal(sealed: Buffer, sealingKey: Buffer, kid: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', sealingKey, sealed.subarray(0, ivLength))
    .setAAD(Buffer.from(kid))
    .setAuthTag(sealed.subarray(-tagLength));
  return Buffer.concat([decipher.update(sealed.subarray(ivLength, -tagLength)), decipher.final()]);
}
