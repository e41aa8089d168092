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

export interface AttemptStore {
  insert(handleHash: Buffer, captchaMac: Buffer): Promise<Date>;
  take(handleHash: Buffer, captchaMac: Buffer, step: 'first' | 'later'): Promise<AttemptRow | undefined>;
  note(
    handleHash: Buffer,
    account: { readonly userId: number; readonly epoch: number },
    method: LoginMethod,
  ): Promise<void>;
  enrol(handleHash: Buffer, credentialId: number): Promise<void>;
  remove(handleHash: Buffer): Promise<void>;
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
        .$if(step === 'first', (update) => update.where('tries', '=', 0))
        .$if(step === 'later', (update) =>
          update.where('user_id', 'is not', null).where('tries', '<=', laterTries),
        )
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
      await store.deleteFrom('login_attempts').where('handle_hash', '=', handleHash).execute();
    },
    async sweep() {
      await store.deleteFrom('login_attempts').where('expires_at', '<=', sql<Date>`now()`).execute();
    },
  };
}
