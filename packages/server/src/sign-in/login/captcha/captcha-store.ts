// The seam behind which captchas wait for their one use, and its implementation in Postgres.
import { sql } from 'kysely';
import { prepared, type Store } from '../../../cluster/store/store.ts';

export interface CaptchaStore {
  put(id: string, answerHmac: Buffer, lifetimeSeconds: number): Promise<void>;
  /** Removes the captcha and gives back its HMAC, to exactly one of any number of callers. */
  take(id: string): Promise<Buffer | undefined>;
  sweep(): Promise<void>;
}

export function createCaptchaStore(store: Store): CaptchaStore {
  return {
    async put(id, answerHmac, lifetimeSeconds) {
      await sql`${prepared}insert into captchas (id, answer_hmac, expires_at)
        values (${id}, ${answerHmac}, now() + make_interval(secs => ${lifetimeSeconds}))`.execute(store);
    },
    async take(id) {
      const { rows } = await sql<{ answer_hmac: Buffer; live: boolean }>`${prepared}
        delete from captchas where id = ${id} returning answer_hmac, expires_at > now() as live`.execute(
        store,
      );
      const [taken] = rows;
      return taken?.live === true ? taken.answer_hmac : undefined;
    },
    async sweep() {
      await store.deleteFrom('captchas').where('expires_at', '<=', sql<Date>`now()`).execute();
    },
  };
}
