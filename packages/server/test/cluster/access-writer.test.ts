import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AccessChange, createAccessWriter } from '../../src/cluster/access-writer.ts';
import { createBarrier } from '../../src/cluster/barrier.ts';
import { createBarrierStore } from '../../src/cluster/barrier-store.ts';
import { createMembers, createNotifier } from '../../src/cluster/member-store.ts';
import { readCurrentRevision } from '../../src/cluster/revision-store.ts';
import { disableUser, lockUser } from '../../src/people/users/user-access-store.ts';
import { unchecked } from '../access-stand-in.ts';
import { createFreshDatabase, type FreshDatabase } from '../fresh-database.ts';
import { seedDirectory } from '../seed-directory.ts';

const leaseMilliseconds = 10_000;
let database: FreshDatabase;
let now = 0;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
});
afterAll(() => database.drop());
beforeEach(async () => {
  now = 0;
  await database.store.deleteFrom('instances').execute();
  await database.store.updateTable('users').set({ enabled: true }).where('id', '=', 7).execute();
});

/** The writer of one instance, and how often its barrier has looked at the rows. */
function createInstance() {
  const store = createBarrierStore(database.store);
  const instance = {
    looks: 0,
    access: createAccessWriter(
      database.store,
      createBarrier({
        store: {
          ...store,
          async readView() {
            const view = await store.readView();
            instance.looks += 1;
            return view;
          },
        },
        notifier: createNotifier(database.store),
        monotonic: () => now,
      }),
    ),
  };
  return instance;
}

/** Whether the call is still open after some further looks. */
async function isWaiting(instance: { readonly looks: number }, call: Promise<unknown>): Promise<boolean> {
  let isOpen = true;
  const close = () => {
    isOpen = false;
  };
  call.then(close, close);
  const target = instance.looks + 3;
  await expect.poll(() => instance.looks >= target || !isOpen, { interval: 1 }).toBe(true);
  return isOpen;
}

/** A member that enforces what is newest now. It says nothing more unless the test reports for it. */
async function join() {
  const members = createMembers(database.store);
  const id = randomUUID();
  const { n } = await readCurrentRevision(database.store);
  await members.register({ id, version: '1', mode: 'test', leaseMilliseconds }, n);
  return { report: async (revision: number) => void (await members.report(id, revision)) };
}

const disable: AccessChange = async (transaction) =>
  await disableUser(transaction, await lockUser(transaction, 7));
const nothing: AccessChange = async () => [];
const isEnabled = async () => {
  const { enabled } = await database.store
    .selectFrom('users')
    .select('enabled')
    .where('id', '=', 7)
    .executeTakeFirstOrThrow();
  return enabled;
};

describe('a change that takes access away waits', () => {
  it.each([
    ['in the same instance', false],
    ['in another instance', true],
  ])('for a silent member until its lease ends, also when the change is made %s', async (_where, isOther) => {
    await join();
    const first = createInstance();
    const second = isOther ? createInstance() : first;
    const disabling = first.access.takeAway(unchecked, disable);
    await expect.poll(isEnabled).toBe(false);
    const { n } = await readCurrentRevision(database.store);
    const disablingAgain = second.access.takeAway(unchecked, disable);
    expect(await isWaiting(second, disablingAgain)).toBe(true);
    now = leaseMilliseconds;
    expect(await isWaiting(first, disabling)).toBe(true);
    expect(await isWaiting(second, disablingAgain)).toBe(true);
    now = leaseMilliseconds + 1;
    // It changed nothing, so it answers with the revision that it waited for.
    expect(await Promise.all([disabling, disablingAgain])).toEqual([n, n]);
  });

  it('for every member that has not reported the revision, and no longer', async () => {
    const [one, two] = [await join(), await join()];
    const instance = createInstance();
    const disabling = instance.access.takeAway(unchecked, disable);
    await expect.poll(isEnabled).toBe(false);
    const { n } = await readCurrentRevision(database.store);
    await one.report(n);
    expect(await isWaiting(instance, disabling)).toBe(true);
    await two.report(n);
    expect(await disabling).toBe(n);
  });
});

it('stores nothing of a change that fails, takes no revision for it, and waits for no member', async () => {
  await join();
  const before = await readCurrentRevision(database.store);
  const { access } = createInstance();
  const failing: AccessChange = async (transaction) => {
    await disable(transaction);
    throw new Error('no');
  };
  await expect(access.takeAway(unchecked, failing)).rejects.toThrow('no');
  await expect(access.give(unchecked, failing)).rejects.toThrow('no');
  expect(await isEnabled()).toBe(true);
  expect(await readCurrentRevision(database.store)).toEqual(before);
});

describe('a change that a deadlock undoes', () => {
  const deadlock = Object.assign(new Error('deadlock detected'), { code: '40P01' });
  const failingTimes = (times: number) => {
    let left = times;
    const change: AccessChange = async (transaction) => {
      const changes = await disable(transaction);
      left -= 1;
      if (left >= 0) throw deadlock;
      return changes;
    };
    return change;
  };

  it('retries it once, and stores it then', async () => {
    await createInstance().access.give(unchecked, failingTimes(1));
    expect(await isEnabled()).toBe(false);
  });

  it('rejects it where a deadlock undoes the second try too', async () => {
    await expect(createInstance().access.give(unchecked, failingTimes(2))).rejects.toBe(deadlock);
    expect(await isEnabled()).toBe(true);
  });
});

describe('a change that gives access', () => {
  it('is stored with its revision and waits for no member', async () => {
    await join();
    const before = await readCurrentRevision(database.store);
    const { access } = createInstance();
    expect(await access.give(unchecked, async () => [{ kind: 'role_disabled', id: 3 }])).toBe(before.n + 1);
    const { rows } = await sql`select changes from revisions where n = ${before.n + 1}`.execute(
      database.store,
    );
    expect(rows).toEqual([{ changes: [{ kind: 'role_disabled', id: 3 }] }]);
  });

  it('takes no revision where nothing changed', async () => {
    const before = await readCurrentRevision(database.store);
    expect(await createInstance().access.give(unchecked, nothing)).toBe(before.n);
    expect(await readCurrentRevision(database.store)).toEqual(before);
  });
});
