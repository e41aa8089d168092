// Cluster membership of an instance, by SQL: registration, heartbeat reports and notifications (LISTEN). It has a separate
// connection, so that requests which fill the pool cannot cost the lease.
import { type GuardCounts, HistoryLost, type MemberTransport, type ReportResult } from '@portcullis/gate';
import { sql } from 'kysely';
import { markMembershipComplete } from './barrier-store.ts';
import { latchHistory } from './lost-history-store.ts';
import type { Notifier } from './notifier.ts';
import { openStore, type Store } from './store/store.ts';

export interface Registration {
  readonly id: string;
  readonly version: string;
  readonly mode: string;
  readonly leaseMilliseconds: number;
}

export interface MemberStore {
  readonly store: Store;
  readonly transport: MemberTransport;
}

interface MemberStoreOptions {
  readonly url: string;
  readonly onConnectionLost: (cause: Error) => void;
  readonly registration: Registration;
}

const channel = 'portcullis_revision';
const instanceCountLifetimeMilliseconds = 10_000;

export function openMemberStore({ registration, ...options }: MemberStoreOptions): MemberStore {
  const listeners = new Set<(revision: number) => void>();
  const store = openStore({
    ...options,
    poolSize: 1,
    prepares: 'all',
    listen: {
      channel,
      onNotification: (payload) => listeners.forEach((listener) => void listener(Number(payload))),
    },
  });
  const members = createMembers(store);
  return {
    store,
    transport: {
      register: (revision) => members.register(registration, revision),
      report: (revision, guards) => members.report(registration.id, revision, guards),
      markMembershipComplete: (incarnation) => markMembershipComplete(store, incarnation),
      latch: (found) => latchHistory(store, found),
      deregister: () => members.deregister(registration.id),
      onNotification: (listener) => void listeners.add(listener),
    },
  };
}

export function createNotifier(store: Store): Notifier {
  return {
    async notify(revision) {
      await sql`select pg_notify(${channel}, ${String(revision)})`.execute(store);
    },
  };
}

export interface Members {
  register(registration: Registration, revision: number): Promise<void>;
  /** Stores the revision that the member enforces and returns the newest one; undefined when the member has no row. */
  report(id: string, revision: number, guards?: GuardCounts): Promise<ReportResult | undefined>;
  deregister(id: string): Promise<void>;
}

export function createMembers(store: Store): Members {
  const countInstances = createInstanceCount(store);
  return {
    async register({ leaseMilliseconds, ...row }, revision) {
      // Committed before the row: every call that sees the row waits long enough for it.
      await store
        .updateTable('current_revision')
        .set({ lease_milliseconds: leaseMilliseconds })
        .where('lease_milliseconds', '<', leaseMilliseconds)
        .execute();
      await store
        .insertInto('instances')
        .values({ ...row, revision })
        .execute()
        .catch(throwLoss);
    },
    async report(id, revision, guards = {}) {
      // Never lowers the revision: a report that timed out can arrive after its successor.
      const { rows } = await sql<Omit<ReportResult, 'instances'>>`
        update instances set revision = greatest(revision, ${revision}), renewed_at = now(),
          guards = ${JSON.stringify(guards)}::jsonb
        from current_revision where instances.id = ${id}
        returning n, mark, lease_milliseconds as "leaseMilliseconds",
          extract(epoch from clock_timestamp())::float8 * 1000 as at,
          database_incarnation() as incarnation, settled_in = database_incarnation() as "membershipComplete"
      `
        .execute(store)
        .catch(throwLoss);
      return rows[0] && { ...rows[0], instances: await countInstances() };
    },
    async deregister(id) {
      await store.deleteFrom('instances').where('id', '=', id).execute();
    },
  };
}

/** The SQLSTATE that `refuse_lost_history` raises. */
const lostHistoryCode = 'PCH01';

function throwLoss(error: unknown): never {
  if ((error as { code?: unknown }).code !== lostHistoryCode) throw error;
  throw new HistoryLost('An instance enforced what this database has forgotten', { cause: error });
}

/** Counts seldom: a thousand instances that count each other every second would read a million rows. */
function createInstanceCount(store: Store) {
  let count = 1;
  let countedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - countedAt < instanceCountLifetimeMilliseconds) return count;
    const row = await store
      .selectFrom('instances')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    countedAt = performance.now();
    count = row.count;
    return count;
  };
}
