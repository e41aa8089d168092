// What is read and changed of passkeys: the rows that are meant, and no row that differs in one thing.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  confirmPasskey,
  findPasskey,
  findPendingPasskey,
  findUserHandle,
  listSubjects,
  raiseCounter,
} from '../../../../src/sign-in/mfa/passkey/passkey-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../../fresh-database.ts';
import { seedDirectory } from '../../../seed-directory.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
});
afterAll(() => database.drop());
beforeEach(() => sql`truncate credentials`.execute(database.store));

const [mei, kim] = [7, 8];

interface Row {
  readonly userId?: number;
  readonly kind?: 'totp' | 'passkey';
  readonly subject?: string | null;
  readonly handle?: string;
  readonly counter?: number;
  readonly state?: 'counts' | 'pending' | 'ended';
  readonly secondsAgo?: number;
}

async function add({
  userId = mei,
  kind = 'passkey',
  subject = null,
  handle = 'h',
  counter = 0,
  state = 'counts',
  secondsAgo = 0,
}: Row = {}): Promise<number> {
  const publicPart = JSON.stringify({ challenge: `challenge of ${handle}`, userHandle: handle });
  const { rows } = await sql<{ id: number }>`
    insert into credentials (user_id, kind, factor, subject, counter, public_part, confirmed_at, ended_at, created_at)
    values (${userId}, ${kind}, 3, ${subject}, ${counter}, ${publicPart},
      case when ${state} <> 'pending' then now() end, case when ${state} = 'ended' then now() end,
      now() - make_interval(secs => ${secondsAgo}))
    returning id`.execute(database.store);
  return rows[0]?.id ?? 0;
}

describe('the pending passkey', () => {
  it('is the newest of the user, or the one with the given id, for five minutes', async () => {
    const wrong = [
      await add(),
      await add({ kind: 'totp', state: 'pending' }),
      await add({ userId: kim, state: 'pending' }),
      await add({ state: 'pending', secondsAgo: 301 }),
    ];
    const find = (id?: number) => findPendingPasskey(database.store, mei, id);
    expect(await find()).toBeUndefined();
    const [older, newer] = [await add({ state: 'pending' }), await add({ state: 'pending', handle: 'n' })];
    await add({ userId: kim, state: 'pending' });
    await add({ kind: 'totp', state: 'pending' });
    expect(await find()).toEqual({ id: newer, challenge: 'challenge of n', userHandle: 'n' });
    expect((await find(older))?.id).toBe(older);
    for (const id of wrong) expect(await find(id)).toBeUndefined();
  });

  it('is confirmed with the data of the authenticator, and refused when it exists already', async () => {
    const { store } = database;
    const [first, second] = [await add({ state: 'pending' }), await add({ state: 'pending' })];
    const confirmIt = (id: number, subject: string) =>
      store
        .transaction()
        .execute((transaction) =>
          confirmPasskey(
            transaction,
            { id, challenge: 'c', userHandle: 'h' },
            { subject, publicKey: 'k', counter: 3, name: 'Key' },
          ),
        );
    expect(await confirmIt(first, 's')).toBe(true);
    expect(await findPasskey(store, 's')).toEqual({
      id: first,
      userId: mei,
      publicKey: 'k',
      userHandle: 'h',
      counter: 3,
    });
    await expect(confirmIt(second, 's')).rejects.toMatchObject({ kind: 'conflict' });
    // Longer than the column takes: another failure of the database.
    await expect(confirmIt(second, 'x'.repeat(1401))).rejects.toMatchObject({ code: '23514' });
  });
});

it('finds the user handle of any passkey that the user has or had', async () => {
  await add({ userId: kim, handle: 'kim' });
  await add({ kind: 'totp', handle: 'app' });
  expect(await findUserHandle(database.store, mei)).toBeUndefined();
  await add({ state: 'ended', handle: 'first' });
  await add({ handle: 'second' });
  expect(await findUserHandle(database.store, mei)).toBe('first');
});

it('lists and finds the passkeys that count', async () => {
  const wrong: readonly Row[] = [
    { subject: 'app', kind: 'totp' },
    { subject: 'pending', state: 'pending' },
    { subject: 'ended', state: 'ended' },
  ];
  for (const row of wrong) await add(row);
  await add({ subject: 'kims', userId: kim });
  await add({ subject: null });
  const own = await add({ subject: 'own' });
  expect(await listSubjects(database.store, mei)).toEqual(['own']);
  for (const { subject } of wrong)
    expect(await findPasskey(database.store, String(subject)), String(subject)).toBeUndefined();
  expect((await findPasskey(database.store, 'own'))?.id).toBe(own);
  expect((await findPasskey(database.store, 'kims'))?.userId).toBe(kim);
});

it('raises the counter of one passkey, when it grew or the passkey has none', async () => {
  const { store } = database;
  const [one, other] = [await add({ counter: 5 }), await add({ userId: kim, counter: 5 })];
  const [without, ended] = [await add(), await add({ state: 'ended' })];
  expect(await raiseCounter(store, one, 5)).toBe(false);
  expect(await raiseCounter(store, one, 0)).toBe(false);
  expect(await raiseCounter(store, one, 6)).toBe(true);
  expect(await raiseCounter(store, without, 0)).toBe(true);
  expect(await raiseCounter(store, ended, 6)).toBe(false);
  const { rows } = await sql`select counter::int from credentials where id = ${other}`.execute(store);
  expect(rows).toEqual([{ counter: 5 }]);
});
