// What is read and changed of credentials: the rows that are meant, and no row that differs in one thing.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { StoreTransaction } from '../../../src/cluster/store/store.ts';
import {
  confirm,
  countUsersBelow,
  endFactors,
  findRequiredFactor,
  findTotp,
  hadFactor,
  insertUnconfirmed,
  listFactors,
  nameFactor,
  removeUnconfirmed,
  setRoleFactor,
  spendStep,
} from '../../../src/sign-in/mfa/credential-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
  await sql`insert into providers (id, key, kind, name, settings) overriding system value
    values (${provider}, 'elsewhere', 'oidc', 'Elsewhere', '{}')`.execute(database.store);
});
afterAll(() => database.drop());
beforeEach(() => sql`truncate credentials`.execute(database.store));

const [mei, kim] = [7, 8];
const [admin, editor, former] = [1, 2, 3];
const provider = 601;

interface Row {
  readonly userId?: number;
  readonly kind?: 'totp' | 'passkey' | 'link';
  readonly factor?: number;
  readonly counter?: number;
  readonly secret?: Buffer;
  readonly state?: 'counts' | 'pending' | 'ended';
}

async function add({
  userId = mei,
  kind = 'totp',
  factor = 2,
  counter = 0,
  secret,
  state = 'counts',
}: Row = {}): Promise<number> {
  const of = kind === 'link' ? { subject: randomBytes(8).toString('hex'), provider } : undefined;
  const { rows } = await sql<{ id: number }>`
    insert into credentials (user_id, kind, factor, counter, subject, provider_id, sealed_secret, confirmed_at, ended_at)
    values (${userId}, ${kind}, ${factor}, ${counter}, ${of?.subject ?? null}, ${of?.provider ?? null}, ${secret ?? null},
      case when ${state} <> 'pending' then now() end, case when ${state} = 'ended' then now() end)
    returning id`.execute(database.store);
  return rows[0]?.id ?? 0;
}

const write = <T>(work: (transaction: StoreTransaction) => Promise<T>) =>
  database.store.transaction().execute(work);

async function read(id: number) {
  const { rows } = await sql<Record<string, unknown>>`
    select name, counter::int, confirmed_at is not null as "isConfirmed", ended_at is not null as "isEnded",
      sealed_secret is not null as "hasSecret" from credentials where id = ${id}`.execute(database.store);
  return rows[0];
}

it('lists what counts of the user: confirmed, not ended, and no link', async () => {
  const [app, passkey] = [await add(), await add({ kind: 'passkey', factor: 3 })];
  await add({ userId: kim });
  await add({ state: 'pending' });
  await add({ state: 'ended' });
  await add({ kind: 'link' });
  expect((await listFactors(database.store, mei)).map(({ id }) => id)).toEqual([app, passkey]);
});

it.each<[expected: boolean, what: string, row: Row]>([
  [false, 'an app that was never confirmed', { state: 'pending' }],
  [false, 'a link', { kind: 'link' }],
  [false, 'an app of another user', { userId: kim }],
  [true, 'an app', {}],
  [true, 'an app that ended', { state: 'ended' }],
])('returns %s as to whether a user with %s ever had a factor', async (expected, _what, row) => {
  await add(row);
  expect(await hadFactor(database.store, mei)).toBe(expected);
});

it('replaces the unconfirmed factor of the user and kind, and keeps all others', async () => {
  const begun = await add({ state: 'pending' });
  const kept = [
    await add(),
    await add({ userId: kim, state: 'pending' }),
    await add({ kind: 'passkey', state: 'pending' }),
  ];
  const begin = (kind: 'totp' | 'passkey', more: object) =>
    write((transaction) => insertUnconfirmed(transaction, { userId: mei, kind, factor: 2, ...more }));
  const next = await begin('totp', { sealedSecret: Buffer.of(1) });
  expect(await read(begun)).toBeUndefined();
  for (const id of [...kept, next]) expect(await read(id)).toBeDefined();
  const { rows } = await sql`select public_part from credentials where id = ${next}`.execute(database.store);
  expect(rows).toEqual([{ public_part: null }]);
});

it('rejects a new factor of a deleted user as not found, and other failures unchanged', async () => {
  const gone = 99;
  await sql`insert into users (id, username, canonical_username, department_id, role_id, password_hash, deleted_at)
    overriding system value values (${gone}, 'gone', 'gone', 1, 2, '!', now())
    on conflict do nothing`.execute(database.store);
  const begin = (userId: number) =>
    write((transaction) => insertUnconfirmed(transaction, { userId, kind: 'totp', factor: 2 }));
  await expect(begin(gone)).rejects.toMatchObject({ kind: 'record_not_found' });
  await expect(begin(123_456)).rejects.toMatchObject({ code: expect.stringMatching(/^23503$/) });
});

describe('the app of the user', () => {
  const others: readonly Row[] = [
    { userId: kim },
    { kind: 'passkey' },
    { state: 'ended' },
    { state: 'pending' },
  ];

  it('is the confirmed one', async () => {
    for (const row of others) await add(row);
    expect(await findTotp(database.store, mei)).toBeUndefined();
    const app = await add();
    expect((await findTotp(database.store, mei))?.id).toBe(app);
  });

  it('is the unconfirmed one of the id during enrolment', async () => {
    const wrong = [
      await add(),
      await add({ userId: kim, state: 'pending' }),
      await add({ kind: 'passkey', state: 'pending' }),
      await add({ state: 'ended' }),
    ];
    const [first, second] = [await add({ state: 'pending' }), await add({ state: 'pending' })];
    for (const id of wrong) expect(await findTotp(database.store, mei, id)).toBeUndefined();
    for (const id of [first, second]) expect((await findTotp(database.store, mei, id))?.id).toBe(id);
    // One that is over before it was confirmed.
    await sql`update credentials set ended_at = now() where id = ${first}`.execute(database.store);
    expect(await findTotp(database.store, mei, first)).toBeUndefined();
  });
});

it('spends a step of the app once, none before it, and none of an app that ended', async () => {
  const { store } = database;
  const [app, others] = [await add({ counter: 5 }), await add({ userId: kim, counter: 5 })];
  const ended = await add({ userId: kim, state: 'ended' });
  expect(await spendStep(store, app, 4)).toBe(false);
  expect(await spendStep(store, app, 5)).toBe(false);
  expect(await spendStep(store, app, 6)).toBe(true);
  expect(await spendStep(store, app, 6)).toBe(false);
  expect(await spendStep(store, ended, 6)).toBe(false);
  expect(await read(others)).toMatchObject({ counter: 5 });
});

it('confirms the factor of the id once, and keeps its public part unless a new one is given', async () => {
  const [one, other] = [await add({ state: 'pending' }), await add({ userId: kim, state: 'pending' })];
  await sql`update credentials set public_part = '{"challenge":"c"}'`.execute(database.store);
  const confirmIt = (made: Parameters<typeof confirm>[2]) =>
    write((transaction) => confirm(transaction, one, made));
  expect(await confirmIt({ counter: 1 })).toBe(true);
  expect(await confirmIt({ counter: 2 })).toBe(false);
  expect(await read(one)).toMatchObject({ counter: 1, isConfirmed: true });
  expect(await read(other)).toMatchObject({ counter: 0, isConfirmed: false });
  const publicPart = async () =>
    (await sql`select public_part from credentials where id = ${one}`.execute(database.store)).rows;
  expect(await publicPart()).toEqual([{ public_part: { challenge: 'c' } }]);
  await sql`update credentials set confirmed_at = null where id = ${one}`.execute(database.store);
  await confirmIt({ counter: 2, publicPart: { publicKey: 'k' } });
  expect(await publicPart()).toEqual([{ public_part: { publicKey: 'k' } }]);
});

it('names and ends those of the ids, with their secrets, and no other', async () => {
  const secret = Buffer.of(1);
  const [one, other] = [await add({ secret }), await add({ userId: kim, secret })];
  await write((transaction) => nameFactor(transaction, one, 'Telephone'));
  await write((transaction) => endFactors(transaction, []));
  expect(await read(one)).toMatchObject({ name: 'Telephone', isEnded: false, hasSecret: true });
  await write((transaction) => endFactors(transaction, [one]));
  expect(await read(one)).toMatchObject({ isEnded: true, hasSecret: false });
  expect(await read(other)).toMatchObject({ name: '', isEnded: false, hasSecret: true });
});

it('removes the unconfirmed factors of the user, and keeps confirmed ones and those of other users', async () => {
  const [begun, counts] = [await add({ state: 'pending' }), await add()];
  const others = await add({ userId: kim, state: 'pending' });
  await write((transaction) => removeUnconfirmed(transaction, mei));
  expect(await read(begun)).toBeUndefined();
  expect(await read(counts)).toBeDefined();
  expect(await read(others)).toBeDefined();
});

it('sets the required factor of one role, and returns the highest for an unknown role', async () => {
  const demands = () =>
    Promise.all([admin, editor, former].map((id) => findRequiredFactor(database.store, id)));
  await write((transaction) => setRoleFactor(transaction, editor, 2));
  expect(await demands()).toEqual([1, 2, 1]);
  await write((transaction) => setRoleFactor(transaction, editor, 1));
  expect(await demands()).toEqual([1, 1, 1]);
  expect(await findRequiredFactor(database.store, 99)).toBe(3);
});

describe('of the users of a role', () => {
  /** Of the two editors, of whom kim has a passkey and one other user a role of another key. */
  const count = (factor: number, most = 10) => countUsersBelow(database.store, editor, factor, most);
  const set = (fields: object) =>
    database.store.updateTable('users').set(fields).where('id', '=', mei).execute();

  it.each<[expected: number, what: string, row: Row | undefined]>([
    [1, 'has nothing', undefined],
    [1, 'sets an app up', { state: 'pending' }],
    [1, 'had an app', { state: 'ended' }],
    [0, 'has an app', {}],
  ])('counts %s below a second factor, where one %s', async (expected, _what, row) => {
    await add({ userId: kim, kind: 'passkey', factor: 3 });
    if (row !== undefined) await add(row);
    expect(await count(2)).toBe(expected);
  });

  it('counts users below a factor up to the bound: only enabled, existing users of the role', async () => {
    await add({ userId: kim, kind: 'passkey', factor: 3 });
    await add();
    expect(await count(3)).toBe(1);
    await set({ enabled: false });
    expect(await count(3)).toBe(0);
    await set({ enabled: true, role_id: former });
    expect(await count(3)).toBe(0);
    await set({ role_id: editor });
    await sql`truncate credentials`.execute(database.store);
    expect([await count(2), await count(2, 1)]).toEqual([2, 1]);
    await set({ deleted_at: new Date() });
    expect(await count(2)).toBe(1);
    await set({ deleted_at: null });
  });
});
