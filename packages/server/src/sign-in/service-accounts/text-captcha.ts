// Text captcha for programs: a random text that the client signs and sends back. Only an HMAC of it is stored, with other input
// than the HMAC of a picture's answer, so that neither is accepted for the other.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { CaptchaStore } from '../login/captcha/captcha-store.ts';
import type { TextCaptcha } from '../login/method.ts';

interface TextCaptchaOptions {
  readonly store: CaptchaStore;
  readonly key: Buffer;
  readonly randomBytes: (size: number) => Buffer;
}

const lifetimeSeconds = 120;
const idBytes = 16;
const idShape = /^[A-Za-z0-9_-]{22}$/;
/** As base64url, these bytes have as many characters as `code` can have. */
const textBytes = 12;

export function createTextCaptcha({ store, key, randomBytes }: TextCaptchaOptions): TextCaptcha {
  const hmac = (id: string, text: string) => createHmac('sha256', key).update(`key:${id}:${text}`).digest();
  return {
    async issue() {
      const id = randomBytes(idBytes).toString('base64url');
      const text = randomBytes(textBytes).toString('base64url');
      await store.put(id, hmac(id, text), lifetimeSeconds);
      return { id, text };
    },
    async isSolvedBy(id, text) {
      if (!idShape.test(id)) return false;
      const expected = await store.take(id);
      const given = hmac(id, text);
      return expected?.length === given.length && timingSafeEqual(expected, given);
    },
  };
}
