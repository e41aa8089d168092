// Picture captcha: shown once and answered at most once. Only an HMAC of the answer is stored.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { CaptchaStock } from './captcha-stock.ts';
import type { CaptchaStore } from './captcha-store.ts';

const lifetimeSeconds = 120;
const idShape = /^[A-Za-z0-9_-]{22}$/;

export interface Captcha {
  issue(): Promise<{ id: string; picture: Buffer }>;
  /** Consumes the captcha, right or wrong. */
  isSolvedBy(id: string, answer: string): Promise<boolean>;
}

interface CaptchaOptions {
  readonly store: CaptchaStore;
  readonly stock: CaptchaStock;
  readonly key: Buffer;
  readonly randomBytes: (size: number) => Buffer;
}

export function createCaptcha({ store, stock, key, randomBytes }: CaptchaOptions): Captcha {
  const hmac = (id: string, answer: string) =>
    createHmac('sha256', key).update(`${id}:${answer.toUpperCase()}`).digest();
  return {
    async issue() {
      const id = randomBytes(16).toString('base64url');
      const { answer, picture } = await stock.take();
      await store.put(id, hmac(id, answer), lifetimeSeconds);
      return { id, picture };
    },
    async isSolvedBy(id, answer) {
      if (!idShape.test(id)) return false;
      const expected = await store.take(id);
      const given = hmac(id, answer);
      return expected?.length === given.length && timingSafeEqual(expected, given);
    },
  };
}
