// The seam behind which captchas wait for their one use, and its implementation in Postgres.
import { sql } from 'kysely';
import type { Store } from '../../store/store.ts';

export interface CaptchaStore {
  put(id: string, answerHmac: Buffer, lifetimeSeconds: number): Promise<void>;
  /** Removes the captcha and gives back its HMAC, to exactly one of any number of callers. */
  take(id: string): Promise<Buffer | undefined>;
  sweep(): Promise<void>;
}

export function createCaptchaStore(store: Store): CaptchaStore {
  return {
    async put(id, answerHmac, lifetimeSeconds) {
      await store
        .insertInto('captchas')
        .values({
          id,
          answer_hmac: answerHmac,
          expires_at: sql<Date>`now() + make_interval(secs => ${lifetimeSeconds})`,
        })
        .execute();
    },
    async take(id) {
      const taken = await store
        .deleteFrom('captchas')
        .where('id', '=', id)
        .returning(['answer_hmac', sql<boolean>`expires_at > now()`.as('live')])
        .executeTakeFirst();
      return taken?.live === true ? taken.answer_hmac : undefined;
    },
    async sweep() {
      await store.deleteFrom('captchas').where('expires_at', '<=', sql<Date>`now()`).execute();
    },
  };
}
