// The seam behind which guesses are counted, and its implementation in Postgres. The rules stand in the migration that
// makes `admit_login`: one statement sees, decides and reserves.
import { sql } from 'kysely';
import type { Store } from '../../store/store.ts';

/** Whom an attempt counts for. Keys, because no name and no address is kept. */
export interface ThrottleKeys {
  readonly pair: Buffer;
  readonly network: Buffer;
  readonly account: Buffer;
  /** Device and account together. */
  readonly device: Buffer;
}

export type Verdict =
  | {
      readonly verdict: 'admitted';
      /** Whether it counts for the device, which the account has logged in on before, or for the network. */
      readonly byDevice: boolean;
    }
  /** As many are being verified as may still fail: ask again. */
  | { readonly verdict: 'busy' }
  | { readonly verdict: 'refused'; readonly waitSeconds: number };

/** `unverified`: no password was looked at. */
export type AttemptOutcome = 'success' | 'failure' | 'unverified';

export interface ThrottleStore {
  /** Reserves a guess where it is admitted. One that is never settled counts as failed. */
  admit(keys: ThrottleKeys): Promise<Verdict>;
  settle(keys: ThrottleKeys, outcome: AttemptOutcome, byDevice: boolean): Promise<void>;
  /** Forgets the failures of an account, wherever they came from, and its devices. */
  forgive(account: Buffer): Promise<void>;
  /** Networks from which anybody has logged in within this time, the newest first. */
  listKnownNetworks(withinSeconds: number, limit: number): Promise<Buffer[]>;
  sweep(): Promise<void>;
}

export interface ThrottleLimits {
  readonly failures: number;
  readonly networkFailures: number;
  readonly accountFailures: number;
}

/** How long a network counts as known after the last attempt from it, and a device after the last login on it. */
export const knownDays = 90;
const otherDays = 2;

export function createThrottleStore(store: Store, limits: ThrottleLimits): ThrottleStore {
  return {
    async admit({ pair, network, account, device }) {
      const { rows } = await sql<{ verdict: string; wait_seconds: number; by_device: boolean }>`
        select * from admit_login(${pair}, ${network}, ${account},
          ${limits.failures}, ${limits.networkFailures}, ${limits.accountFailures}, ${device})`.execute(
        store,
      );
      const [row] = rows;
      if (row?.verdict === 'admitted') return { verdict: 'admitted', byDevice: row.by_device };
      if (row?.verdict === 'busy') return { verdict: 'busy' };
      return { verdict: 'refused', waitSeconds: row?.wait_seconds ?? 1 };
    },
    async settle({ pair, network, account, device }, outcome, byDevice) {
      await sql`select settle_login(${pair}, ${network}, ${account}, ${limits.accountFailures}, ${outcome},
        ${device}, ${byDevice})`.execute(store);
    },
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

function daysAgo(days: number) {
  return sql<Date>`current_date - ${days}::int`;
}
