// SQL of login flows: logins of more than one step (multi-factor login, passkeys, providers).
import type { LoginMethod } from '@portcullis/contract';
import { sql } from 'kysely';
import type { Store } from '../../cluster/store/store.ts';

export interface LoginFlowRow {
  /** The account that the passed steps proved, and its epoch; null in the first step. */
  readonly userId: number | null;
  readonly epoch: number | null;
  readonly passed: readonly string[];
  /** The factor that is being enrolled. */
  readonly credentialId: number | null;
  /** The provider of the first step. The next three fields are its proof, null until it has verified the step. */
  readonly providerId: number | null;
  readonly providerEpoch: number | null;
  readonly providerSession: string | null;
  readonly linkId: number | null;
  readonly beganAt: Date;
}

/** The proof of the provider that verified the first step. */
export interface LoginFlowProvider {
  readonly providerId: number;
  readonly epoch: number;
  readonly session?: string | undefined;
  readonly linkId: number;
}

/** `any`: the first step, or a later one. */
export type LoginFlowStep = 'first' | 'later' | 'any';

export interface LoginFlowStore {
  insert(handleHash: Buffer, captchaMac: Buffer, providerId?: number): Promise<Date>;
  take(handleHash: Buffer, captchaMac: Buffer, step: LoginFlowStep): Promise<LoginFlowRow | undefined>;
  note(
    handleHash: Buffer,
    account: { readonly userId: number; readonly epoch: number },
    method: LoginMethod,
    provider?: LoginFlowProvider,
  ): Promise<void>;
  enrol(handleHash: Buffer, credentialId: number): Promise<void>;
  /** Whether the row existed. */
  remove(handleHash: Buffer): Promise<boolean>;
  sweep(): Promise<void>;
}

/** Enough time to fetch a phone and set up an authenticator app. */
const lifetimeSeconds = 600;
/** One captcha allows one password, and one password allows a few codes. */
const laterTries = 5;

export function createLoginFlowStore(store: Store): LoginFlowStore {
  return {
    async insert(handle_hash, captcha_mac, providerId) {
      const { expires_at } = await store
        .insertInto('login_attempts')
        .values({
          handle_hash,
          captcha_mac,
          provider_id: providerId ?? null,
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
        .returning(['provider_id as providerId', 'provider_epoch as providerEpoch', 'link_id as linkId'])
        .returning(['provider_session as providerSession', 'began_at as beganAt'])
        .executeTakeFirst();
    },
    async note(handleHash, { userId, epoch }, method, provider) {
      await store
        .updateTable('login_attempts')
        .set({ user_id: userId, epoch, passed: sql<string[]>`passed || ${method}::text` })
        .$if(provider !== undefined, (update) =>
          update.set({
            provider_id: provider?.providerId ?? null,
            provider_epoch: provider?.epoch ?? null,
            provider_session: provider?.session ?? null,
            link_id: provider?.linkId ?? null,
          }),
        )
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
