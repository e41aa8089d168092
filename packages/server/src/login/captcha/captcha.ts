// A captcha: shown once as a picture, answered at most once. Only an HMAC of the answer is kept.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { captchaAlphabet, captchaLength, drawCaptcha } from '@portcullis/captcha';
import type { CaptchaStore } from './captcha-store.ts';

const lifetimeSeconds = 120;
const idShape = /^[A-Za-z0-9_-]{22}$/;

export interface Captcha {
  issue(): Promise<{ id: string; picture: Buffer }>;
  /** Spends the captcha, right or wrong. */
  isSolvedBy(id: string, answer: string): Promise<boolean>;
}

interface CaptchaOptions {
  readonly store: CaptchaStore;
  readonly key: Buffer;
  readonly randomBytes: (size: number) => Buffer;
}

export function createCaptcha({ store, key, randomBytes }: CaptchaOptions): Captcha {
  const hmac = (id: string, answer: string) =>
    createHmac('sha256', key).update(`${id}:${answer.toUpperCase()}`).digest();
  const random = () => randomBytes(4).readUInt32BE() / 2 ** 32;
  return {
    async issue() {
      const id = randomBytes(16).toString('base64url');
      const answer = Array.from(
        randomBytes(captchaLength),
        (byte) => captchaAlphabet[byte % captchaAlphabet.length],
      ).join('');
      await store.put(id, hmac(id, answer), lifetimeSeconds);
      return { id, picture: drawCaptcha(answer, random) };
    },
    async isSolvedBy(id, answer) {
      if (!idShape.test(id)) return false;
      const expected = await store.take(id);
      const given = hmac(id, answer);
      return expected?.length === given.length && timingSafeEqual(expected, given);
    },
  };
}
