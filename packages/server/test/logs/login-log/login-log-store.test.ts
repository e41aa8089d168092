import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findDeployment } from '../../../src/cluster/store/deployment.ts';
import { insertLoginRows, insertRejectedRecord } from '../../../src/logs/login-log/login-log-store.ts';
import type { LoginRecord } from '../../../src/logs/login-log/login-record.ts';
import type { LoginRow } from '../../../src/logs/login-log/login-row.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { instance, rowWith, startChain, textsOf } from './rows.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  for (const table of ['login_log', 'login_log_counts', 'login_log_dead_letters'] as const)
    await database.store.deleteFrom(table).execute();
});

const insert = (...texts: string[]) => insertLoginRows(database.store, texts);
const insertOne = (change: Partial<LoginRecord>, at?: number) => insert(...textsOf([rowWith(change, at)]));
const rows = () => database.store.selectFrom('login_log').selectAll().orderBy('id').execute();
const counts = async () => {
  const all = await database.store.selectFrom('login_log_counts').selectAll().execute();
  return Object.fromEntries(all.map(({ hour, reason, n }) => [`${hour.toISOString()} ${reason}`, n]));
};
const failed: Partial<LoginRecord> = { outcome: 'failure', reason: 'credentials_wrong' };

describe('the login log refuses', () => {
  it.each([
    ['an outcome that is none', { outcome: 'perhaps' }],
    ['an address that is none', { ip: 'nowhere' }],
    ['a NUL', { username: 'a\0b' }],
    ['no id', { id: null }],
  ])('a row with %s, and stores nothing of its batch', async (_what, change) => {
    const texts = textsOf([rowWith(), { ...rowWith(), ...change } as LoginRow, rowWith()]);
    await expect(insert(...texts)).rejects.toMatchObject({ code: expect.stringMatching(/^2[23]/) });
    expect(await rows()).toEqual([]);
    expect(await counts()).toEqual({});
  });
});

describe('the login log stores', () => {
  it('every field of a record, and its position in its chain', async () => {
    const row = rowWith();
    const chain = startChain();
    await insert(...textsOf([row], chain));
    expect(await rows()).toEqual([
      {
        ...row,
        at: new Date(row.at),
        chain: chain.id,
        seq: 1,
        hash: chain.last.hash,
        erasure: null,
        seal: null,
      },
    ]);
    expect(row).toMatchObject({ username: 'mei', user_id: 7, browser: 'Firefox', location: 'IN', instance });
  });

  it('what is missing as null', async () => {
    const missing = { username: undefined, userId: undefined, roleKey: undefined, jti: undefined };
    await insertOne({ ...missing, userAgent: undefined });
    expect(await rows()).toEqual([
      expect.objectContaining({ username: null, user_id: null, role_key: null, jti: null, user_agent: null }),
    ]);
  });

  it('and counts a record once, also when it is sent again beside a new one', async () => {
    const at = Date.UTC(2026, 4, 1, 10, 30);
    const [one = '', two = ''] = textsOf([rowWith({}, at), rowWith({}, at)]);
    await insert(one);
    await insert(one, two);
    await insert(two, one);
    await insert(one, one);
    expect(await rows()).toHaveLength(2);
    expect(await counts()).toEqual({ '2026-05-01T10:00:00.000Z ok': 2 });
  });

  it('a batch of 1000 in its order, and counts it by hour and reason', async () => {
    const at = Date.UTC(2026, 4, 1, 10, 59, 59, 500);
    const batch = Array.from({ length: 1000 }, (_, index) =>
      rowWith(index % 4 === 0 ? {} : failed, at + index),
    );
    await insert(...textsOf(batch));
    const stored = await rows();
    expect(stored.map(({ id }) => id)).toEqual(batch.map(({ id }) => id));
    expect(stored.map(({ seq }) => seq)).toEqual(batch.map((_row, index) => index + 1));
    expect(await counts()).toEqual({
      '2026-05-01T10:00:00.000Z ok': 125,
      '2026-05-01T10:00:00.000Z credentials_wrong': 375,
      '2026-05-01T11:00:00.000Z ok': 125,
      '2026-05-01T11:00:00.000Z credentials_wrong': 375,
    });
  });

  it('what several instances send at once: none waits for another for good, and the counts are right', async () => {
    const at = Date.UTC(2026, 4, 1, 10);
    const reasons = ['credentials_wrong', 'captcha_wrong', 'throttled', 'params_invalid'] as const;
    const sender = async (which: number) => {
      // Of eight instances some share a shard, and each meets the reasons and hours in another order.
      const sender = randomUUID();
      for (let batch = 0; batch < 10; batch += 1)
        await insert(
          ...textsOf(
            Array.from({ length: 40 }, (_, index) => {
              const reason = reasons[(index + which) % 4] ?? 'throttled';
              const hour = ((index * (which + 1)) % 3) * 3_600_000;
              return rowWith({ outcome: 'failure', reason, instance: sender }, at + hour);
            }),
          ),
        );
    };
    await Promise.all(Array.from({ length: 8 }, (_, which) => sender(which)));
    expect(await rows()).toHaveLength(3200);
    const all = await database.store.selectFrom('login_log_counts').select('n').execute();
    expect(all.reduce((sum, { n }) => sum + n, 0)).toBe(3200);
  });

  it('the same records once when two processes store the same left-over records', async () => {
    const texts = textsOf(Array.from({ length: 500 }, () => rowWith(failed, Date.UTC(2026, 4, 1, 10))));
    await Promise.all([insert(...texts), insert(...texts), insert(...texts)]);
    expect(await rows()).toHaveLength(500);
    expect(await counts()).toEqual({ '2026-05-01T10:00:00.000Z credentials_wrong': 500 });
  });

  it.each([
    ['a NUL', { username: 'a\0', userAgent: 'a\0' }],
    ['half a surrogate pair', { username: '\ud800', userAgent: 'a\udc00' }],
    ['quotes', { username: `a'b"`, userAgent: `'); drop table login_log; --` }],
    ['what looks like JSON', { username: '"}]', userAgent: '\\"},{"id":"\\u0000"}' }],
    ['letters of every plane', { username: '李梅𠮷', userAgent: '浏览器 😀' }],
  ])('what was sent with %s', async (_what, change) => {
    await insertOne(change);
    expect(await rows()).toHaveLength(1);
  });

  it.each(['192.0.2.1', '::ffff:192.0.2.1', '2001:db8::1', '::1', 'fe80::1', 'fe80::1%eth0'])(
    'the address %s',
    async (ip) => {
      await insertOne({ ip });
      expect(await rows()).toHaveLength(1);
    },
  );

  it.each([0, Date.UTC(2020, 0, 1), Date.UTC(9999, 0, 1)])(
    'a record of the time %i, for which no month is ready',
    async (at) => {
      await insertOne({}, at);
      expect(await rows()).toHaveLength(1);
    },
  );
});

it('a record that the table refuses is kept beside it as it was, once', async () => {
  const chain = startChain();
  const row = { ...rowWith(), outcome: 'perhaps' };
  const [text = ''] = textsOf([row], chain);
  await insertRejectedRecord(database.store, text, 'a cause');
  await insertRejectedRecord(database.store, text, 'another cause');
  expect(await database.store.selectFrom('login_log_dead_letters').selectAll().execute()).toEqual([
    {
      id: row.id,
      chain: chain.id,
      seq: 1,
      hash: chain.last.hash,
      raw: Buffer.from(text),
      cause: 'a cause',
      erasure: null,
      seal: null,
    },
  ]);
});

it('returns the same deployment id on every call', async () => {
  const id = await findDeployment(database.store);
  expect(await findDeployment(database.store)).toBe(id);
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
});

it.each([['mei'], [1e30], [1.5], [{}]])('a record whose account is %j is kept too', async (user_id) => {
  const [text = ''] = textsOf([{ ...rowWith(), user_id } as LoginRow], startChain());
  await insertRejectedRecord(database.store, text, 'a cause');
  const found = await database.store.selectFrom('login_log_dead_letters').select('raw').execute();
  expect(found).toEqual([{ raw: Buffer.from(text) }]);
});
