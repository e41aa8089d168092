import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decrypt, encrypt } from '../../../src/base/secrets/encryption.ts';

const sealingKey = randomBytes(32);
const secret = randomBytes(138);

describe('a sealed secret', () => {
  const sealed = encrypt(secret, sealingKey, 'k1');

  it('does not open with another master key', () => {
    expect(() => decrypt(sealed, randomBytes(32), 'k1')).toThrow();
  });

  it('cannot be decrypted under another kid, so that two rows cannot be exchanged', () => {
    expect(() => decrypt(sealed, sealingKey, 'k2')).toThrow();
  });

  it('does not open when any byte of it was changed', () => {
    for (const at of sealed.keys()) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(() => decrypt(changed, sealingKey, 'k1')).toThrow();
    }
  });

  it.each([0, 1, 11, 12, 27, 28, sealed.length - 1])(
    'does not open when it was cut to %i bytes',
    (length) => {
      expect(() => decrypt(sealed.subarray(0, length), sealingKey, 'k1')).toThrow();
    },
  );

  it('shows nothing of the secret, and never looks the same twice', () => {
    expect(sealed.includes(secret.subarray(0, 8))).toBe(false);
    expect(encrypt(secret, sealingKey, 'k1').equals(sealed)).toBe(false);
  });

  it('opens with its master key and kid', () => {
    expect(decrypt(sealed, sealingKey, 'k1').equals(secret)).toBe(true);
  });
});
