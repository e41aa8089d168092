// SQL of logins of more than one step.
import type { LoginMethod } from '@portcullis/contract';
import { sql } from 'kysely';
import type { Store } from '../store/store.ts';

export interface AttemptRow {
  /** Who was proven so far, and with which epoch; null in the first step. */
  readonly userId: number | null;
  readonly epoch: number | null;
  readonly passed: readonly string[];
  /** What is being enrolled. */
  readonly credentialId: number | null;
}

/** `any`: the first one, or one after it. */
export type AttemptStep = 'first' | 'later' | 'any';

export interface AttemptStore {
  insert(handleHash: Buffer, captchaMac: Buffer): Promise<Date>;
  take(handleHash: Buffer, captchaMac: Buffer, step: AttemptStep): Promise<AttemptRow | undefined>;
  note(
    handleHash: Buffer,
    account: { readonly userId: number; readonly epoch: number },
    method: LoginMethod,
  ): Promise<void>;
  enrol(handleHash: Buffer, credentialId: number): Promise<void>;
  /** Whether it was there. */
  remove(handleHash: Buffer): Promise<boolean>;
  sweep(): Promise<void>;
}

/** Long enough to fetch a telephone and set an app up. */
const lifetimeSeconds = 600;
/** A captcha stands for one password, and a password for a few codes. */
const laterTries = 5;

export function createAttemptStore(store: Store): AttemptStore {
  return {
    async insert(handle_hash, captcha_mac) {
      const { expires_at } = await store
        .insertInto('login_attempts')
        .values({
          handle_hash,
          captcha_mac,
          expires_at: sql<Date>`now() + make_interval(secs => ${lifetimeSeconds})`,
        })
        .returning('expires_at')
        .executeTakeFirstOrThrow();
      return expires_at;
    },
    async take(handleHash, captchaMac, step) {
      return await store
        .updateTable('login_attempts')
        .set({ tries: sql<number>`tries + 1` })
        .where('handle_hash', '=', handleHash)
        .where('captcha_mac', '=', captchaMac)
        .where('expires_at', '>', sql<Date>`now()`)
        .where((row) => {
          const isFirst = row('tries', '=', 0);
          const isLater = row.and([row('user_id', 'is not', null), row('tries', '<=', laterTries)]);
          return { first: isFirst, later: isLater, any: row.or([isFirst, isLater]) }[step];
        })
        .returning(['user_id as userId', 'epoch', 'passed', 'credential_id as credentialId'])
        .executeTakeFirst();
    },
    async note(handleHash, { userId, epoch }, method) {
      await store
        .updateTable('login_attempts')
        .set({ user_id: userId, epoch, passed: sql<string[]>`passed || ${method}::text` })
        .where('handle_hash', '=', handleHash)
        .execute();
    },
    async enrol(handleHash, credentialId) {
      await store
        .updateTable('login_attempts')
        .set({ credential_id: credentialId })
        .where('handle_hash', '=', handleHash)
        .execute();
    },
    async remove(handleHash) {
      const { numDeletedRows } = await store
        .deleteFrom('login_attempts')
        .where('handle_hash', '=', handleHash)
        .executeTakeFirst();
      return numDeletedRows === 1n;
    },
    async sweep() {
      await store.deleteFrom('login_attempts').where('expires_at', '<=', sql<Date>`now()`).execute();
    },
  };
}
