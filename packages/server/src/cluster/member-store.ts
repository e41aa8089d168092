// How an instance is a member of a database's cluster: by SQL over one connection of its own, which also hears the
// doorbell, so that requests which fill the pool cannot cost the lease.
import { sql } from 'kysely';
import { openStore, type Store } from '../store/store.ts';
import { settleIncarnation } from './barrier-store.ts';
import type { Doorbell } from './doorbell.ts';
import type { Found, MemberTransport } from './member.ts';

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
  let listener: (revision: number) => void = () => {};
  const store = openStore({
    ...options,
    poolSize: 1,
    prepares: true,
    listen: { channel, onNotification: (payload) => listener(Number(payload)) },
  });
  const onRing = (next: (revision: number) => void) => {
    listener = next;
  };
  return { store, transport: { ...createTransport(store, registration), onRing } };
}

export function createDoorbell(store: Store): Doorbell {
  return {
    async ring(revision) {
      await sql`select pg_notify(${channel}, ${String(revision)})`.execute(store);
    },
  };
}

function createTransport(store: Store, registration: Registration): Omit<MemberTransport, 'onRing'> {
  const { id, version, mode, leaseMilliseconds } = registration;
  const countInstances = createInstanceCount(store);
  return {
    async register(revision) {
      // Committed before the row is: whoever sees the row waits long enough for it.
      await store
        .updateTable('current_revision')
        .set({ lease_milliseconds: leaseMilliseconds })
        .where('lease_milliseconds', '<', leaseMilliseconds)
        .execute();
      await store.insertInto('instances').values({ id, version, mode, revision }).execute();
    },
    async report(revision) {
      // Never lower: a report that was given up may arrive after its successor.
      const { rows } = await sql<Omit<Found, 'instances'>>`
        update instances set revision = greatest(revision, ${revision}), renewed_at = now()
        from current_revision where instances.id = ${id}
        returning n, mark, lease_milliseconds as "leaseMilliseconds",
          extract(epoch from clock_timestamp())::float8 * 1000 as at,
          database_incarnation() as incarnation, settled_in = database_incarnation() as "isSettled"
      `.execute(store);
      return rows[0] && { ...rows[0], instances: await countInstances() };
    },
    settle: (incarnation) => settleIncarnation(store, incarnation),
    async deregister() {
      await store.deleteFrom('instances').where('id', '=', id).execute();
    },
  };
}

/** Asked seldom: a thousand instances that count each other every second are a million rows. */
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
