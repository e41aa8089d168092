import { randomUUID } from 'node:crypto';
import {
  ClockWrong,
  createFollower,
  createLease,
  createMember,
  HistoryLost,
  type Instant,
  longestLeaseMilliseconds,
  type Member,
  type MemberTransport,
  type ReportResult,
} from '@portcullis/gate';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createBarrier } from '../../src/cluster/barrier.ts';
import { createBarrierStore } from '../../src/cluster/barrier-store.ts';
import { createNotifier, type MemberStore, openMemberStore } from '../../src/cluster/member-store.ts';
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
  await database.store.deleteFrom('instances').execute();
  await sql`update current_revision set lease_milliseconds = 0, settled_in = database_incarnation()`.execute(
    database.store,
  );
});
afterEach(async () => {
  for (const { member, memberStore } of running.splice(0)) {
    await member.leave();
    await memberStore.store.destroy();
  }
});

interface World {
  readonly leaseMilliseconds?: number;
  readonly renewMilliseconds?: number;
  /** Another transport in the place of the real one. */
  readonly through?: (transport: MemberTransport) => MemberTransport;
  readonly now?: () => Instant;
}

function createInstance({ leaseMilliseconds = 100_000, renewMilliseconds = 10, ...world }: World = {}) {
  const registration = { id: randomUUID(), version: '1', mode: 'test', leaseMilliseconds };
  const memberStore = openMemberStore({ url: database.url, onConnectionLost: () => {}, registration });
  const applied: string[] = [];
  const follower = createFollower(
    sourceOf(memberStore.store),
    [
      {
        load: () => ({ take() {}, finish: () => () => {} }),
        apply: (changes) => void applied.push(...changes.map(({ kind }) => kind)),
      },
    ],
    () => {},
  );
  const now = world.now ?? (() => ({ monotonic: performance.now(), wall: Date.now() }));
  const lease = createLease(leaseMilliseconds, now);
  const failures: unknown[] = [];
  const member = createMember({
    transport: world.through?.(memberStore.transport) ?? memberStore.transport,
    follower,
    lease,
    renewMilliseconds,
    random: Math.random,
    onFailure: (cause) => failures.push(cause),
  });
  running.push({ member, memberStore });
  return {
    ...registration,
    member,
    memberTransport: memberStore.transport,
    follower,
    lease,
    failures,
    applied,
  };
}

/** A clock by which the longest lease takes 200 ms. */
const hasty = () => ({ monotonic: performance.now() * 50, wall: Date.now() });
const write = () =>
  database.store
    .transaction()
    .execute((transaction) => writeRevision(transaction, [{ kind: 'role_disabled', id: 9 }]));
const rows = () => database.store.selectFrom('instances').select(['id', 'revision']).execute();
const barrier = (monotonic = () => performance.now()) =>
  createBarrier({
    store: createBarrierStore(database.store),
    notifier: createNotifier(database.store),
    monotonic,
  });

describe('an instance has no lease', () => {
  it('before it has joined, and none after it has left', async () => {
    const { member, lease } = createInstance();
    expect(lease.isLive()).toBe(false);
    await member.join();
    expect(lease.isLive()).toBe(true);
    await member.leave();
    expect(lease.isLive()).toBe(false);
    expect(await rows()).toEqual([]);
  });

  it('by its registration alone', async () => {
    const through = (transport: MemberTransport): MemberTransport => ({
      ...transport,
      async register(revision) {
        await transport.register(revision);
        expect(lease.isLive()).toBe(false);
        throw new Error('cut off');
      },
    });
    const { member, lease } = createInstance({ through });
    await expect(member.join()).rejects.toThrow('cut off');
    expect(lease.isLive()).toBe(false);
  });

  it('from a report that found a newer revision, until its row shows that it enforces it', async () => {
    let afterReport = (_found: ReportResult | undefined) => {};
    const through = (transport: MemberTransport): MemberTransport => ({
      ...transport,
      async report(revision) {
        if (revision === before.n) await write();
        const found = await transport.report(revision);
        afterReport(found);
        return found;
      },
    });
    const before = await readCurrentRevision(database.store);
    const { member, lease, follower } = createInstance({ through });
    const seen: [number | undefined, number, boolean][] = [];
    afterReport = (found) => seen.push([found?.n, follower.revision.n, lease.isLive()]);
    await member.join();
    expect(seen).toEqual([
      [undefined, before.n, false],
      [before.n + 2, before.n, false],
      [before.n + 2, before.n + 2, false],
    ]);
    expect(follower.revision.n).toBe(before.n + 2);
    expect(lease.isLive()).toBe(true);
  });

  it('from a report before a failover, whatever the row shows after it', async () => {
    let reports = 0;
    const leases: boolean[] = [];
    const through = (transport: MemberTransport): MemberTransport => ({
      ...transport,
      async report(revision) {
        leases.push(lease.isLive());
        reports += 1;
        if (reports <= 4) await write();
        if (reports === 5) throw new Error('enough');
        const found = await transport.report(revision);
        return found && { ...found, incarnation: `incarnation ${reports}` };
      },
    });
    const { member, lease } = createInstance({ through });
    await expect(member.join()).rejects.toThrow('enough');
    expect(leases).toEqual([false, false, false, false, false]);
  });

  // By far more than two seconds, because a slow answer leaves room for an error of as much.
  it('with a clock that is off the database, ahead or behind, at the start and later', async () => {
    for (const off of [-60_000, 60_000]) {
      const { member } = createInstance({
        now: () => ({ monotonic: performance.now(), wall: Date.now() + off }),
      });
      await expect(member.join()).rejects.toThrow(ClockWrong);
    }
    let off = 0;
    const { member, lease, failures } = createInstance({
      now: () => ({ monotonic: performance.now(), wall: Date.now() + off }),
    });
    await member.join();
    off = 60_000;
    await expect.poll(() => failures.at(-1)).toBeInstanceOf(ClockWrong);
    expect(lease.isLive()).toBe(false);
    off = 0;
    await expect.poll(() => lease.isLive()).toBe(true);
  });

  it('when the database has lost what it enforces', async () => {
    const { member, lease, failures } = createInstance();
    await write();
    await member.join();
    await sql`update current_revision set n = n - 1`.execute(database.store);
    await expect.poll(() => failures.at(-1)).toBeInstanceOf(HistoryLost);
    expect(lease.isLive()).toBe(false);
    await database.store.transaction().execute(restartHistory);
    await expect.poll(() => lease.isLive()).toBe(true);
  });
});

describe('an instance', () => {
  it('keeps its lease though every report finds a newer revision, from before the last one but one was sent', async () => {
    let isBusy = false;
    let reports = 0;
    const remaining: number[] = [];
    // The clock goes on by 100 a report, and a lease of 5,000 holds 49 of them.
    const now = () => ({ monotonic: reports * 100, wall: reports * 100 });
    const through = (transport: MemberTransport): MemberTransport => ({
      ...transport,
      async report(revision) {
        reports += 1;
        if (isBusy) {
          remaining.push(lease.remainingMilliseconds());
          await write();
        }
        const found = await transport.report(revision);
        return found && { ...found, at: now().wall };
      },
    });
    const { member, lease } = createInstance({ leaseMilliseconds: 5000, through, now });
    await member.join();
    isBusy = true;
    try {
      await expect.poll(() => remaining.length > 120).toBe(true);
    } finally {
      isBusy = false;
    }
    // Three reports begin between that one and this moment.
    expect(new Set(remaining.slice(3))).toEqual(new Set([4900 - 300]));
  });

  it('keeps its newer revision when an older report of it arrives late', async () => {
    const { id, member, memberTransport, follower } = createInstance();
    await member.join();
    await write();
    const { n: revision } = await write();
    await expect.poll(rows).toEqual([{ id, revision }]);
    await memberTransport.report(revision - 1);
    expect(await rows()).toEqual([{ id, revision }]);
    expect(follower.revision.n).toBe(revision);
  });

  it('registers again when its row was removed, and keeps its memory', async () => {
    const { id, member, follower, applied } = createInstance();
    await member.join();
    await database.store.deleteFrom('instances').execute();
    const { n: revision } = await write();
    await expect.poll(rows).toEqual([{ id, revision }]);
    expect(follower.revision.n).toBe(revision);
    expect(applied).toEqual(['role_disabled']);
  });

  it('follows a notification: it is at the revision long before its next report is due', async () => {
    const { id, member } = createInstance({ renewMilliseconds: 600_000 });
    await member.join();
    const { n: revision } = await write();
    await createNotifier(database.store).notify(revision);
    await expect.poll(rows).toEqual([{ id, revision }]);
  });

  it('follows notifications again after its connection was cut', async () => {
    const { id, member, failures } = createInstance();
    await member.join();
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query like '%instances%' and pid <> pg_backend_pid()`.execute(
      database.store,
    );
    const { n: revision } = await write();
    await createNotifier(database.store).notify(revision);
    await expect.poll(rows).toEqual([{ id, revision }]);
    expect(failures.length).toBeLessThan(3);
  });

  it('settles a new incarnation of the database after the longest lease, however short its own is', async () => {
    await sql`update current_revision set settled_in = 'before'`.execute(database.store);
    const { member } = createInstance({ leaseMilliseconds: 300, now: hasty });
    const startedAt = hasty().monotonic;
    await member.join();
    const { settled_in } = await database.store
      .selectFrom('current_revision')
      .select('settled_in')
      .executeTakeFirstOrThrow();
    expect(settled_in).not.toBe('before');
    expect(hasty().monotonic - startedAt).toBeGreaterThan(longestLeaseMilliseconds);
  });
});

describe('a barrier', () => {
  it('over real instances returns when all enforce the revision', async () => {
    const instances = Array.from({ length: 4 }, () => createInstance());
    await Promise.all(instances.map(({ member }) => member.join()));
    for (let round = 0; round < 10; round += 1) {
      const written = await write();
      await barrier().pass(written);
      expect(instances.map(({ follower }) => follower.revision.n)).toEqual(Array(4).fill(written.n));
    }
  });

  it('waits for a silent instance until its lease is over, and removes it', async () => {
    const [alive, cutOff] = [
      createInstance({ leaseMilliseconds: 500 }),
      createInstance({ leaseMilliseconds: 500, renewMilliseconds: 600_000 }),
    ];
    await alive.member.join();
    await cutOff.member.join();
    const startedAt = performance.now();
    const written = await write();
    await expect.poll(rows).toContainEqual({ id: alive.id, revision: written.n });
    // No notification: an instance that neither hears nor reports is removed.
    const deaf = createBarrier({
      store: createBarrierStore(database.store),
      notifier: { notify: async () => {} },
      monotonic: () => performance.now(),
    });
    await deaf.pass(written);
    expect(performance.now() - startedAt).toBeGreaterThan(500);
    expect(cutOff.lease.isLive()).toBe(false);
    expect(await rows()).toEqual([{ id: alive.id, revision: written.n }]);
  });

  it('waits the longest lease after a failover, because rows and their leases may be lost with it', async () => {
    const { member } = createInstance({ leaseMilliseconds: 500 });
    await member.join();
    await sql`update current_revision set settled_in = 'before'`.execute(database.store);
    const startedAt = hasty().monotonic;
    await barrier(() => hasty().monotonic).pass(await write());
    expect(hasty().monotonic - startedAt).toBeGreaterThan(longestLeaseMilliseconds);
    // By a clock that stands still no lease is ever over.
    await barrier(() => 0).pass(await write());
  });
});
