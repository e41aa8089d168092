// Stores captchas until their single use: the interface, and its implementation in Postgres.
import { sql } from 'kysely';
import { prepared, type Store } from '../../../cluster/store/store.ts';

export interface CaptchaStore {
  put(id: string, answerHmac: Buffer, lifetimeSeconds: number): Promise<void>;
  /** Deletes the captcha and returns its HMAC. If several callers take it, exactly one gets it. */
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
