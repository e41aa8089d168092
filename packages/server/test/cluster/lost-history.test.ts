// After lost changes no instance gets a lease until an operator runs the recovery: neither an instance that knows of the
// loss, nor one that started after it.
import { randomUUID } from 'node:crypto';
import {
  createFollower,
  createLease,
  createMember,
  HistoryLost,
  type Instant,
  longestLeaseMilliseconds,
  type Member,
  type Revision,
} from '@portcullis/gate';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { latchHistory, readHistory } from '../../src/cluster/lost-history-store.ts';
import { createMembers, type MemberStore, openMemberStore } from '../../src/cluster/member-store.ts';
import { readCurrentRevision, restartHistory, writeRevision } from '../../src/cluster/revision-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../fresh-database.ts';
import { sourceOf } from '../load-replica.ts';

let database: FreshDatabase;
const running: { member: Member; memberStore: MemberStore }[] = [];
beforeAll(async () => {
  database = await createFreshDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.store.transaction().execute(restartHistory);
  await settle();
  incarnationOf = (incarnation) => incarnation;
});
afterEach(async () => {
  for (const { member, memberStore } of running.splice(0)) {
    await member.leave();
    await memberStore.store.destroy();
  }
});

const settleThere = async () => void (await settle());
const settle = () =>
  sql`update current_revision set settled_in = database_incarnation()`.execute(database.store);
const unsettle = () => sql`update current_revision set settled_in = 'before'`.execute(database.store);
/** The next reports find another incarnation, of another lineage unless it is a restart; none finds it settled. */
const failOver = async () => {
  await unsettle();
  incarnationOf = (incarnation) => `promoted ${incarnation}`;
};
const restart = async () => {
  await unsettle();
  incarnationOf = (incarnation) => `${incarnation}, restarted`;
};
let incarnationOf = (incarnation: string) => incarnation;
const write = () => database.store.transaction().execute((transaction) => writeRevision(transaction, []));
const recover = () => database.store.transaction().execute(restartHistory);
const isLatched = async () => (await readHistory(database.store, { n: -1, mark: '' })).lostAt !== undefined;

/** As a failover to a standby that did not have the newest revision. */
async function loseNewest(): Promise<void> {
  const { n } = await readCurrentRevision(database.store);
  await database.store.transaction().execute(async (transaction) => {
    await transaction.deleteFrom('revisions').where('n', '=', n).execute();
    await sql`
      update current_revision set n = revisions.n, mark = revisions.mark, settled_in = 'before'
      from revisions where revisions.n = ${n - 1}`.execute(transaction);
  });
}

function createInstance({
  leaseMilliseconds = 100_000,
  now = sameTime,
  keep = async (_revision: Revision) => {},
} = {}) {
  const registration = { id: randomUUID(), version: '1', mode: 'test', leaseMilliseconds };
  const memberStore = openMemberStore({ url: database.url, onConnectionLost: () => {}, registration });
  const lease = createLease(leaseMilliseconds, now);
  const follower = createFollower(sourceOf(memberStore.store), [], () => {});
  const failures: unknown[] = [];
  const member = createMember({
    transport: {
      ...memberStore.transport,
      async report(revision) {
        // As when it was sent.
        const named = incarnationOf;
        const found = await memberStore.transport.report(revision);
        return found && { ...found, incarnation: named(found.incarnation) };
      },
      // By the name that the database knows.
      markMembershipComplete: settleThere,
    },
    follower,
    lease,
    renewMilliseconds: 10,
    keep,
    random: Math.random,
    onFailure: (cause) => failures.push(cause),
  });
  running.push({ member, memberStore });
  return { ...registration, member, lease, follower, failures };
}

const sameTime = (): Instant => ({ monotonic: performance.now(), wall: Date.now() });
/** The longest lease takes 200 ms by it. */
const hasty = (): Instant => ({ monotonic: performance.now() * 50, wall: Date.now() });

describe('an instance that knows more than the database', () => {
  it('latches: it has no lease, a newly started one is refused, and a recovery opens for both', async () => {
    const survivor = createInstance();
    await write();
    await survivor.member.join();
    await loseNewest();
    await expect.poll(isLatched).toBe(true);
    expect(survivor.lease.isLive()).toBe(false);
    expect(survivor.failures.every((cause) => cause instanceof HistoryLost)).toBe(true);
    const started = createInstance();
    await expect(started.member.join()).rejects.toThrow(/portcullis recover/);
    expect(started.lease.isLive()).toBe(false);
    // However the database settles, and however often it is written to.
    await settle();
    await write();
    await expect(createInstance().member.join()).rejects.toThrow(HistoryLost);
    expect(survivor.lease.isLive()).toBe(false);

    const { n } = await recover();
    await settle();
    expect(await isLatched()).toBe(false);
    await expect.poll(() => survivor.lease.isLive()).toBe(true);
    expect(survivor.follower.revision.n).toBe(n);
    const later = createInstance();
    await later.member.join();
    expect(later.lease.isLive()).toBe(true);
  });

  it('latches though others write on, and whose number was used again', async () => {
    const survivor = createInstance();
    await write();
    await survivor.member.join();
    const { n, mark } = survivor.follower.revision;
    await loseNewest();
    for (let writes = 0; writes < 5; writes += 1) await write();
    await expect.poll(isLatched).toBe(true);
    expect(await readHistory(database.store, { n, mark })).toMatchObject({ lacks: true });
  });
});

it('a loss that was found before a recovery latches nothing after it', async () => {
  const found = await readCurrentRevision(database.store);
  await write();
  await recover();
  await latchHistory(database.store, found);
  expect(await isLatched()).toBe(false);
});

it('a loss that waits for the lock of a recovery latches nothing either', async () => {
  const found = await readCurrentRevision(database.store);
  let latching: Promise<void> | undefined;
  await database.store.transaction().execute(async (transaction) => {
    await restartHistory(transaction);
    latching = latchHistory(database.store, found);
    const waits = async () =>
      (
        await sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(
          database.store,
        )
      ).rows.length;
    await expect.poll(waits).toBe(1);
  });
  await latching;
  expect(await isLatched()).toBe(false);
});

it('while it is latched a member gets nothing, also if it does not look at the latch', async () => {
  const members = createMembers(database.store);
  const other = { id: randomUUID(), version: '1', mode: 'test', leaseMilliseconds: 2000 };
  await members.register(other, 0);
  expect(await members.report(other.id, 0)).toBeDefined();
  await latchHistory(database.store, await readCurrentRevision(database.store));
  await expect(members.report(other.id, 0)).rejects.toThrow(HistoryLost);
  await expect(members.register({ ...other, id: randomUUID() }, 0)).rejects.toThrow(HistoryLost);
  // The database itself refuses.
  const report = sql`
    update instances set revision = greatest(revision, 0), renewed_at = now()
    from current_revision where instances.id = ${other.id}
    returning n, settled_in = database_incarnation() as "isSettled"`;
  await expect(report.execute(database.store)).rejects.toThrow(/portcullis recover/);
  await recover();
  expect((await report.execute(database.store)).rows).toHaveLength(1);
  // What leaves may leave.
  await members.deregister(other.id);
});

describe('after a restart or a failover', () => {
  it('an instance whose lease is live keeps it, and nothing latches', async () => {
    const { member, lease, failures } = createInstance();
    await member.join();
    await failOver();
    const before = lease.remainingMilliseconds();
    await write();
    await expect.poll(() => lease.remainingMilliseconds()).toBeGreaterThan(before);
    expect(failures).toEqual([]);
    expect(await isLatched()).toBe(false);
  });

  it('a newly started instance has no lease before the longest one has passed', async () => {
    await failOver();
    const { member, lease } = createInstance({ leaseMilliseconds: 2000, now: hasty });
    const startedAt = hasty().monotonic;
    let hadLease = false;
    const watch = setInterval(() => {
      hadLease ||= lease.isLive() && hasty().monotonic - startedAt < longestLeaseMilliseconds;
    }, 1);
    await member.join();
    clearInterval(watch);
    expect(hadLease).toBe(false);
    expect(hasty().monotonic - startedAt).toBeGreaterThan(longestLeaseMilliseconds);
  });

  it('renews an expired lease at once on the same server: a restart loses nothing', async () => {
    const world = { off: 0 };
    const { member, lease } = createInstance({
      now: () => ({ monotonic: performance.now() + world.off, wall: Date.now() }),
    });
    await member.join();
    await restart();
    world.off = 100_000;
    expect(lease.isLive()).toBe(false);
    await expect.poll(() => lease.isLive()).toBe(true);
  });

  it('one whose lease is over waits like a newly started one: a change may have passed without it', async () => {
    const world = { off: 0 };
    const { member, lease } = createInstance({
      now: () => ({ monotonic: performance.now() + world.off, wall: Date.now() }),
    });
    await member.join();
    await failOver();
    world.off = 100_000;
    expect(lease.isLive()).toBe(false);
    const renewals = new Set<number>();
    const countRenewals = async () => {
      const rows = await database.store.selectFrom('instances').select('renewed_at').execute();
      for (const { renewed_at } of rows) renewals.add(renewed_at.getTime());
      return renewals.size;
    };
    await expect.poll(countRenewals, { interval: 5 }).toBeGreaterThan(5);
    expect(lease.isLive()).toBe(false);
    await settle();
    await expect.poll(() => lease.isLive()).toBe(true);
  });

  it('one that newly started on what is left, and one that knows more: the loss shows before the first serves', async () => {
    const survivor = createInstance();
    await write();
    await survivor.member.join();
    await loseNewest();
    // Its longest lease never passes, so that only the other one can end its wait, however long that takes.
    const standing = () => ({ monotonic: 0, wall: Date.now() });
    await expect(createInstance({ now: standing }).member.join()).rejects.toThrow(HistoryLost);
    expect(survivor.lease.isLive()).toBe(false);
  });
});

it('another database, or a table that was restored in a server that runs on, is another incarnation', async () => {
  const incarnation = async ({ store }: FreshDatabase) =>
    (await sql<{ is: string }>`select database_incarnation() as is`.execute(store)).rows[0]?.is;
  const before = await incarnation(database);
  expect(await incarnation(database)).toBe(before);
  const copy = await createFreshDatabase();
  try {
    const copied = await incarnation(copy);
    expect(copied).not.toBe(before);
    await sql`create table kept as select * from current_revision`.execute(copy.store);
    await sql`truncate current_revision`.execute(copy.store);
    expect(await incarnation(copy)).not.toBe(copied);
  } finally {
    await copy.drop();
  }
});

it('a recovery is past every number that was ever given, also past one that was lost', async () => {
  await sql`update current_revision set n = 3`.execute(database.store);
  const { n: first } = await recover();
  await sql`update current_revision set n = 3`.execute(database.store);
  // Numbers follow the clock, in milliseconds.
  await expect.poll(() => Date.now()).toBeGreaterThan(first);
  const { n: second } = await recover();
  expect(second).toBeGreaterThan(first);
  const far = Date.now() + 1e12;
  await sql`update current_revision set n = ${far}`.execute(database.store);
  expect((await recover()).n).toBeGreaterThan(far);
});

it('a revision is kept before it is reported', async () => {
  const kept: number[] = [];
  const { member, follower, id } = createInstance({
    keep: async ({ n }) => void kept.push(n),
  });
  await member.join();
  const { n } = await write();
  await expect
    .poll(async () => {
      const row = await database.store
        .selectFrom('instances')
        .select('revision')
        .where('id', '=', id)
        .executeTakeFirst();
      // Whatever the row shows is kept.
      expect(kept).toContain(row?.revision);
      return row?.revision;
    })
    .toBe(n);
  expect(follower.revision.n).toBe(n);
});
