// SQL of the queue of mails: which mails each statement takes, changes, shows and deletes. It leaves all others as they are.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/cluster/store/store.ts';
import {
  claimMail,
  countQueued,
  deferMail,
  dropMail,
  endMail,
  findRecipient,
  listMails,
  retryMail,
  sweepMails,
} from '../../../src/people/mail/mail-store.ts';
import { queueNewDeviceMail } from '../../../src/people/mail/new-device-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { refusal, whileRefused } from '../../refuse-writes.ts';
import { seedDirectory } from '../../seed-directory.ts';

const [mei, kim] = [7, 8];
let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
});
beforeEach(() => database.store.deleteFrom('mails').execute());
afterAll(() => database.drop());

interface Row {
  readonly state?: 'queued' | 'sent' | 'dead';
  /** Seconds from now; both negative where they lie behind. */
  readonly next?: number;
  readonly created?: number;
}

async function add({ state = 'queued', next = 0, created = 0 }: Row = {}): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into mails (kind, user_id, address, state, next_at, created_at, ended_at)
    values ('password_changed', ${mei}, 'mei@example.com', ${state}, now() + make_interval(secs => ${next}),
      now() + make_interval(secs => ${created}), case when ${state} <> 'queued' then now() end)
    returning id`.execute(database.store);
  return rows[0]?.id ?? '';
}

const readAll = () => database.store.selectFrom('mails').selectAll().orderBy('id').execute();

describe('a claim', () => {
  it('takes the mail that is due for longest, and no other', async () => {
    await add({ state: 'sent', next: -90 });
    await add({ state: 'dead', next: -90 });
    await add({ next: 3600 });
    const [short, long] = [await add({ next: -30 }), await add({ next: -60 })];
    const before = await readAll();
    expect(await claimMail(database.store, 60)).toMatchObject({ id: long, tries: 1 });
    const isOther = ({ id }: { id: string }) => id !== long;
    expect((await readAll()).filter(isOther)).toEqual(before.filter(isOther));
    expect(await claimMail(database.store, 60)).toMatchObject({ id: short });
    expect(await claimMail(database.store, 60)).toBeUndefined();
  });
});

describe('a change of one mail', () => {
  const changes: [
    what: string,
    change: (store: Store, id: string) => Promise<unknown>,
    to: object | undefined,
  ][] = [
    [
      'sent',
      (store, id) => endMail(store, id, { state: 'sent', reason: null }),
      { state: 'sent', address: null, ended_at: expect.any(Date) },
    ],
    [
      'given up',
      (store, id) => endMail(store, id, { state: 'dead', reason: '550' }),
      { state: 'dead', address: 'mei@example.com', reason: '550', ended_at: expect.any(Date) },
    ],
    [
      'put off',
      (store, id) => deferMail(store, id, { seconds: 60, reason: '451' }),
      { state: 'queued', reason: '451', ended_at: null },
    ],
    ['dropped', dropMail, undefined],
  ];

  it.each(changes)('that is %s leaves the others, and reports a fault', async (_what, change, to) => {
    const [id, other] = [await add(), await add()];
    const read = async (one: string) => (await readAll()).find((row) => row.id === one);
    const before = await read(other);
    await change(database.store, id);
    expect(await read(other)).toEqual(before);
    if (to === undefined) expect(await read(id)).toBeUndefined();
    else expect(await read(id)).toMatchObject(to);
    for (const writes of ['update on mails', 'delete on mails'].slice(to === undefined ? 1 : 0, to ? 1 : 2))
      await expect(whileRefused(database.store, writes, () => change(database.store, other))).rejects.toThrow(
        refusal,
      );
  });
});

it('a sweep that fails is reported', async () => {
  await add({ created: -100 * 86_400 });
  const swept = () => sweepMails(database.store, true);
  await expect(whileRefused(database.store, 'delete on mails', swept)).rejects.toThrow(refusal);
});

it('finds the person of a mail unless deleted, and no other person', async () => {
  const { store } = database;
  const find = (userId: number | null) => findRecipient(store, { userId });
  expect(await find(mei)).toMatchObject({ username: 'mei' });
  expect(await find(kim)).toMatchObject({ username: 'kim' });
  expect(await find(null)).toBeUndefined();
  await store.updateTable('users').set({ deleted_at: new Date() }).where('id', '=', kim).execute();
  expect(await find(kim)).toBeUndefined();
  await store.updateTable('users').set({ deleted_at: null }).where('id', '=', kim).execute();
});

it('counts queued mails, with the age of the oldest', async () => {
  expect(await countQueued(database.store)).toEqual({ queued: 0, oldestSeconds: 0 });
  await add({ state: 'dead', created: -9000 });
  await add({ created: -60 });
  await add({ created: -3600 });
  const { queued, oldestSeconds } = await countQueued(database.store);
  expect(queued).toBe(2);
  expect(oldestSeconds).toBeGreaterThanOrEqual(3600);
  expect(oldestSeconds).toBeLessThan(9000);
});

describe('a page of mails', () => {
  const all = { kind: 'all' } as const;

  it('has the newest first, and the next page what comes behind it', async () => {
    const ids = [await add({ created: -1 }), await add({ created: -2 }), await add({ created: -3 })];
    const seen: string[] = [];
    let after: string | undefined;
    for (const [limit, count, isLast] of [
      [1, 1, false],
      [2, 2, true],
    ] as const) {
      const { items, next } = await listMails(database.store, all, { limit, after });
      seen.push(...items.map(({ id }) => id));
      expect([items.length, next === null]).toEqual([count, isLast]);
      after = next ?? undefined;
    }
    expect(seen).toEqual(ids);
  });

  it('has the mails of the state that is asked for, and says when a queued one is tried', async () => {
    const [queued, dead] = [await add(), await add({ state: 'dead' })];
    const list = async (state?: 'queued' | 'dead') =>
      (await listMails(database.store, all, { limit: 10, state })).items.map(({ id, nextAt, endedAt }) => [
        id,
        nextAt !== null,
        endedAt !== null,
      ]);
    const [ofQueued, ofDead] = [
      [queued, true, false],
      [dead, false, true],
    ];
    expect(await list('queued')).toEqual([ofQueued]);
    expect(await list('dead')).toEqual([ofDead]);
    expect((await list()).toSorted()).toEqual([ofQueued, ofDead].toSorted());
  });

  it('is empty and has a next one, where many mails that the caller does not see come first', async () => {
    const own = await add({ created: -3600 });
    await sql`insert into mails (kind, user_id) select 'password_changed', ${kim} from generate_series(1, 2000)`.execute(
      database.store,
    );
    const scope = { kind: 'own', userId: mei } as const;
    const first = await listMails(database.store, scope, { limit: 10 });
    expect([first.items, first.next === null]).toEqual([[], false]);
    const second = await listMails(database.store, scope, { limit: 10, after: first.next ?? '' });
    expect([second.items.map(({ id }) => id), second.next]).toEqual([[own], null]);
  });
});

describe('another try', () => {
  const retry = (id: string) =>
    database.store.transaction().execute((transaction) => retryMail(transaction, { kind: 'all' }, id));

  it('is refused of a mail that was sent', async () => {
    await expect(retry(await add({ state: 'sent' }))).rejects.toMatchObject({ kind: 'conflict' });
  });

  it('queues that mail, says what it was, and leaves the others', async () => {
    const [id, other] = [await add({ state: 'dead' }), await add({ state: 'dead' })];
    expect(await retry(id)).toMatchObject({ state: 'dead', userId: mei });
    const rows = await readAll();
    expect(rows.find((row) => row.id === id)).toMatchObject({ state: 'queued', ended_at: null });
    expect(rows.find((row) => row.id === other)).toMatchObject({ state: 'dead' });
  });

  it('that cannot be stored is reported', async () => {
    const id = await add({ state: 'dead' });
    await expect(whileRefused(database.store, 'update on mails', () => retry(id))).rejects.toThrow(refusal);
  });
});

describe('a notice of a new device', () => {
  const addressed = (mail: string | null) =>
    database.store.updateTable('users').set({ mail }).where('id', '=', mei).execute();
  const insertDepartment = async (store: Store) =>
    void (await store
      .insertInto('departments')
      .values({ name: 'Stored beside it', parent_id: null })
      .execute());
  const isStored = async () =>
    (
      await database.store
        .selectFrom('departments')
        .where('name', '=', 'Stored beside it')
        .select('id')
        .execute()
    ).length > 0;
  const tell = (insert: (store: Store) => Promise<void>) =>
    queueNewDeviceMail(
      database.store,
      { account: { userId: mei }, ip: '192.0.2.1', userAgent: 'curl\0' },
      insert,
    );

  beforeEach(() => addressed('mei@example.com'));
  afterAll(() => addressed(null));

  it('is queued with what is stored beside it', async () => {
    await tell(insertDepartment);
    const facts = { ip: '192.0.2.1', agent: 'curl' };
    expect(await readAll()).toMatchObject([{ kind: 'new_device', user_id: mei, facts }]);
    expect(await isStored()).toBe(true);
    await database.store.deleteFrom('departments').where('name', '=', 'Stored beside it').execute();
  });

  it('is not queued where the session is not stored, and no session is stored without it', async () => {
    const fault = new Error('a fault');
    await expect(tell(() => Promise.reject(fault))).rejects.toBe(fault);
    const told = () => tell(insertDepartment);
    await expect(whileRefused(database.store, 'insert on mails', told)).rejects.toThrow(refusal);
    expect([await readAll(), await isStored()]).toEqual([[], false]);
  });
});
