// Brute-force protection, storage: the interface that counts login attempts, and its implementation in Postgres. The rules are in
// the migrations that define `admit_login`: one statement reads the counters, decides and reserves the attempt.
import { type RawBuilder, sql } from 'kysely';
import { prepared, type Store } from '../../../cluster/store/store.ts';

/** The counters of an attempt. They have keys (HMAC), because no name and no address is stored. */
export interface ThrottleKeys {
  readonly pair: Buffer;
  readonly network: Buffer;
  readonly account: Buffer;
  /** Device and account together. */
  readonly device: Buffer;
}

/** A query of one row that runs in the statement of the verdict, if the attempt is admitted. */
export interface Prefetched<T> {
  readonly query: RawBuilder<unknown>;
  readonly read: (row: never) => T;
}

export type Verdict<T = unknown> =
  | {
      readonly verdict: 'admitted';
      /** The row of that query; undefined if there is none. */
      readonly prefetched?: T | undefined;
      /** Whether the attempt counts for the device, on which the account has logged in before, or for the network. */
      readonly byDevice: boolean;
    }
  /** As many attempts are being verified as failures are left: ask again. */
  | { readonly verdict: 'busy' }
  | { readonly verdict: 'refused'; readonly waitSeconds: number };

/**
 * `unverified`: no password was verified. `unanswered`: a directory received the password and did not answer whether it is
 * right.
 */
export type AttemptOutcome = 'success' | 'failure' | 'unverified' | 'unanswered';

/** The statement that settles a reserved attempt. */
export type Settlement = RawBuilder<unknown>;

export interface ThrottleStore {
  /** Reserves the attempt if it is admitted. An attempt that is never settled counts as failed. */
  admit<T>(keys: ThrottleKeys, prefetched?: Prefetched<T>): Promise<Verdict<T>>;
  settle(keys: ThrottleKeys, outcome: AttemptOutcome, byDevice: boolean): Promise<void>;
  /** The same as a statement that follows the insert of the session: a success if the session was stored, else unverified. */
  settleBySession(keys: ThrottleKeys, jti: string, byDevice: boolean): Settlement;
  /** Deletes the failures of an account that are counted across all networks, and its devices. */
  forgive(account: Buffer): Promise<void>;
  /** The networks with a successful login within this time, the newest first. */
  listKnownNetworks(withinSeconds: number, limit: number): Promise<Buffer[]>;
  sweep(): Promise<void>;
}

export interface ThrottleLimits {
  readonly failuresBeforeDelay: number;
  readonly networkFailuresPerMinute: number;
  readonly accountFailures: number;
}

/** How long a network counts as known after the last attempt from it, and a device after the last login on it. */
export const knownDays = 90;
const otherDays = 2;

export function createThrottleStore(store: Store, limits: ThrottleLimits): ThrottleStore {
  function settlement(
    { pair, network, account, device }: ThrottleKeys,
    outcome: RawBuilder<unknown>,
    byDevice: boolean,
  ): Settlement {
    return sql`${prepared}select settle_login(${pair}, ${network}, ${account}, ${limits.accountFailures}, ${outcome},
      ${device}, ${byDevice})`;
  }

  return {
    async admit<T>(
      { pair, network, account, device }: ThrottleKeys,
      prefetched?: Prefetched<T>,
    ): Promise<Verdict<T>> {
      const read = prefetched
        ? sql`(select to_json(found) from (${prefetched.query}) as found where verdict = 'admitted')`
        : sql`null`;
      const { rows } = await sql<AdmittedRow>`${prepared}
        select verdict, wait_seconds, by_device, ${read} as prefetched from admit_login(${pair}, ${network}, ${account},
          ${limits.failuresBeforeDelay}, ${limits.networkFailuresPerMinute}, ${limits.accountFailures}, ${device})`.execute(
        store,
      );
      const [row] = rows;
      if (row?.verdict === 'admitted')
        return {
          verdict: 'admitted',
          byDevice: row.by_device,
          ...(row.prefetched === null ? {} : { prefetched: prefetched?.read(row.prefetched as never) }),
        };
      if (row?.verdict === 'busy') return { verdict: 'busy' };
      return { verdict: 'refused', waitSeconds: row?.wait_seconds ?? 1 };
    },
    async settle(keys, outcome, byDevice) {
      if (outcome !== 'unanswered') {
        await settlement(keys, sql`${outcome}`, byDevice).execute(store);
        return;
      }
      // A failure of the name, and not of the network: users with a local password share the attempts of the network.
      await settlement({ ...keys, network: none }, sql`'failure'`, byDevice).execute(store);
      if (!byDevice)
        await settlement({ ...noKeys, network: keys.network }, sql`'unverified'`, false).execute(store);
    },
    settleBySession: (keys, jti, byDevice) =>
      settlement(
        keys,
        sql`case when exists (select from sessions where jti = ${jti}) then 'success' else 'unverified' end`,
        byDevice,
      ),
    async forgive(account) {
      await store.deleteFrom('devices').where('account', '=', account).execute();
      await store.deleteFrom('throttle').where('key', '=', account).execute();
    },
    async listKnownNetworks(withinSeconds, limit) {
      const rows = await store
        .selectFrom('throttle')
        .select('key')
        .where('kind', '=', 'network')
        .where('succeeded_at', '>', sql<Date>`now() - make_interval(secs => ${withinSeconds})`)
        .orderBy('succeeded_at', 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ key }) => key);
    },
    async sweep() {
      await store
        .deleteFrom('throttle')
        .where('touched_on', '<', daysAgo(otherDays))
        .where((row) => row.or([row('succeeded_at', 'is', null), row('touched_on', '<', daysAgo(knownDays))]))
        .execute();
      await store.deleteFrom('devices').where('used_at', '<', daysAgo(knownDays)).execute();
    },
  };
}

/** A key that no row has. */
const none = Buffer.alloc(0);
const noKeys: ThrottleKeys = { pair: none, network: none, account: none, device: none };

interface AdmittedRow {
  readonly verdict: string;
  readonly wait_seconds: number;
  readonly by_device: boolean;
  readonly prefetched: object | null;
}

function daysAgo(days: number) {
  return sql<Date>`current_date - ${days}::int`;
}
