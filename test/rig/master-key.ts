// The master key that the suites configure, and what the product derives from it. Known here on purpose: the
// suites solve captchas and sign tokens with it, so the product needs no test seam.
import { hkdfSync } from 'node:crypto';

export const masterKey = 'f3a1c07be2945d6688bd20417c9e53fa0b6ed1982f4c7735a9e8064d1bc2507f';

export const captchaKey = derive('captcha');
export const sealingKey = derive('sealing');
export const namesKey = derive('names');

function derive(purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', Buffer.from(masterKey, 'hex'), '', `portcullis ${purpose}`, 32));
}
