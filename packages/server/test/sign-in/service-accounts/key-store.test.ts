// SQL of keys: whose a key is, and how long an assertion that was used is remembered.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failIfAttackSucceeded } from '../../../../../test/weaknesses/attack.ts';
import {
  findKey,
  findKeyOf,
  insertKey,
  listKeys,
  spendAssertion,
  sweepAssertions,
} from '../../../src/sign-in/service-accounts/key-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { refusal, whileRefused } from '../../refuse-writes.ts';
import { seedDirectory } from '../../seed-directory.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
});
afterAll(() => database.drop());

async function addProgram(username: string): Promise<number> {
  const names = { username, canonical_username: username, nick_name: username };
  const { id } = await database.store
    .insertInto('users')
    .values({
      ...names,
      kind: 'service',
      department_id: 1,
      role_id: 2,
      password_hash: '!',
      password_due: false,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

async function addKey(userId: number, kid: string, kind = 'key'): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into credentials (user_id, kind, factor, subject, confirmed_at)
    values (${userId}, ${kind}, 1, ${kid}, now()) returning id`.execute(database.store);
  return rows[0]?.id ?? 0;
}

const end = (id: number) =>
  database.store.updateTable('credentials').set({ ended_at: new Date() }).where('id', '=', id).execute();
const mei = 7;

it('returns the key of an account, and no key of another account', async () => {
  const [one, another] = [await addProgram('one'), await addProgram('another')];
  const [own, other] = [await addKey(one, 'own'), await addKey(another, 'other')];
  expect(await findKeyOf(database.store, one, own)).toMatchObject({ kid: 'own' });
  const found = await findKeyOf(database.store, one, other);
  failIfAttackSucceeded(found?.kid === 'other', 'the key of another account is found');
  expect(found).toBeUndefined();
});

describe('a key', () => {
  it('is found by its thumbprint alone, until it ends, and nothing of another kind is', async () => {
    const { store } = database;
    const userId = await addProgram('finder');
    const [first, second] = [await addKey(userId, 'first'), await addKey(userId, 'second')];
    await addKey(mei, 'of a passkey', 'passkey');
    expect([await findKey(store, 'first'), await findKey(store, 'second')]).toMatchObject([
      { id: first, userId },
      { id: second, userId },
    ]);
    expect([await findKey(store, 'none'), await findKey(store, 'of a passkey')]).toEqual([
      undefined,
      undefined,
    ]);
    await end(first);
    expect(await findKey(store, 'first')).toBeUndefined();
  });

  it('is listed with those of its account that have not ended', async () => {
    const { store } = database;
    const [userId, other] = [await addProgram('lister'), await addProgram('other-lister')];
    const [first, ended, last] = [
      await addKey(userId, 'a'),
      await addKey(userId, 'b'),
      await addKey(userId, 'c'),
    ];
    await addKey(other, 'd');
    await end(ended);
    expect((await listKeys(store, userId)).map(({ id, kid }) => [id, kid])).toEqual([
      [first, 'a'],
      [last, 'c'],
    ]);
    await addKey(mei, 'another passkey', 'passkey');
    expect(await listKeys(store, mei)).toEqual([]);
  });

  it('of an account is known after its end, and is none where it is of another kind', async () => {
    const id = await addKey(await addProgram('ender'), 'ending');
    expect(await findKeyOf(database.store, await userOf(id), id)).toMatchObject({ isEnded: false });
    await end(id);
    expect(await findKeyOf(database.store, await userOf(id), id)).toMatchObject({ isEnded: true });
    expect(await findKeyOf(database.store, mei, await addKey(mei, 'third', 'passkey'))).toBeUndefined();
  });

  const userOf = async (id: number) =>
    (await database.store.selectFrom('credentials').select('user_id').where('id', '=', id).executeTakeFirst())
      ?.user_id ?? 0;
});

describe('a new key', () => {
  const publicKey = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' } as const;
  const insert = (userId: number, kid: string) =>
    database.store
      .transaction()
      .execute((transaction) => insertKey(transaction, { userId, kid, name: 'key', publicKey }));

  it('is refused where any account has or had it', async () => {
    const userId = await addProgram('adder');
    const id = await insert(userId, 'once');
    const other = await addProgram('other-adder');
    for (const of of [userId, other])
      await expect(insert(of, 'once')).rejects.toMatchObject({ kind: 'conflict' });
    await end(id);
    await expect(insert(other, 'once')).rejects.toMatchObject({ kind: 'conflict' });
  });

  it('is added beside other keys, and beside a credential of another kind with the same subject', async () => {
    const userId = await addProgram('twice');
    await addKey(mei, 'shared', 'passkey');
    const ids = [await insert(userId, 'alone'), await insert(userId, 'shared')];
    expect((await listKeys(database.store, userId)).map(({ id }) => id)).toEqual(ids);
  });

  it('is refused where another transaction adds it at the same moment', async () => {
    const [one, other] = [await addProgram('racer'), await addProgram('other-racer')];
    let second: Promise<unknown> = Promise.resolve();
    await database.store.transaction().execute(async (transaction) => {
      await insertKey(transaction, { userId: one, kid: 'raced', name: 'key', publicKey });
      second = insert(other, 'raced').catch((error: unknown) => error);
      await expect.poll(countWaiting).toBe(1);
    });
    expect(await second).toMatchObject({ kind: 'conflict' });
  });

  it('that the database refuses for another reason fails with that', async () => {
    await expect(insert(mei, 'of a person')).rejects.toThrow('Service accounts have keys');
  });

  async function countWaiting(): Promise<number> {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(database.store);
    return rows.length;
  }
});

describe('an assertion', () => {
  const expiresAt = Math.floor(Date.now() / 1000) + 60;

  it('of a key that ended is not spent, and one that is spent is noted of its key alone', async () => {
    const { store } = database;
    const userId = await addProgram('spender');
    const [used, idle, ended] = [
      await addKey(userId, 'u'),
      await addKey(userId, 'i'),
      await addKey(userId, 'e'),
    ];
    await end(ended);
    expect(await spendAssertion(store, ended, { id: 'of the ended', expiresAt })).toBe(false);
    expect(await spendAssertion(store, used, { id: 'one', expiresAt })).toBe(true);
    expect(await spendAssertion(store, used, { id: 'one', expiresAt })).toBe(false);
    expect((await listKeys(store, userId)).map(({ id, usedAt }) => [id, usedAt !== null])).toEqual([
      [used, true],
      [idle, false],
    ]);
  });

  it('that cannot be swept is reported', async () => {
    const keyId = await addKey(await addProgram('sweeper'), 'swept');
    expect(await spendAssertion(database.store, keyId, { id: 'old', expiresAt: 0 })).toBe(true);
    const sweep = () => sweepAssertions(database.store);
    await expect(whileRefused(database.store, 'delete on used_assertions', sweep)).rejects.toThrow(refusal);
  });
});

it('keeps a used assertion until an hour after its end', async () => {
  const { store } = database;
  const keyId = await addKey(await addProgram('third'), 'spent');
  const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
  const ends = { live: inSeconds(300), late: inSeconds(-1800), past: inSeconds(-7200) };
  for (const [id, end] of Object.entries(ends))
    expect(await spendAssertion(store, keyId, { id, expiresAt: end })).toBe(true);
  await sweepAssertions(store);
  for (const [id, end] of Object.entries(ends))
    expect(await spendAssertion(store, keyId, { id, expiresAt: end })).toBe(id === 'past');
});
