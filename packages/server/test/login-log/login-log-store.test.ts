import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { insertLoginRecords } from '../../src/login-log/login-log-store.ts';
import { createLoginRecord, type LoginRecord } from '../../src/login-log/login-record.ts';
import { createUuidV7 } from '../../src/login-log/uuid-v7.ts';
import { createFreshDatabase, type FreshDatabase } from '../fresh-database.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.store.deleteFrom('login_log').execute();
});

const instance = randomUUID();
function recordWith(change: Partial<LoginRecord> = {}, at = Date.now()): LoginRecord {
  const attempt = {
    outcome: 'success',
    reason: 'ok',
    username: 'mei',
    userId: 7,
    roleKey: 'editor',
    jti: 'j',
    ip: '192.0.2.1',
    userAgent: 'curl/8',
    requestId: 'r-1',
    ...change,
  } as const;
  return createLoginRecord(attempt, {
    id: change.id ?? createUuidV7(at, randomBytes(10)),
    at: new Date(at),
    instance,
  });
}
const insert = (...records: LoginRecord[]) => insertLoginRecords(database.store, records);
const rows = () => database.store.selectFrom('login_log').selectAll().orderBy('id').execute();

describe('the login log stores', () => {
  it('every field of a record', async () => {
    const record = recordWith();
    await insert(record);
    expect(await rows()).toEqual([
      expect.objectContaining({
        id: record.id,
        at: record.at,
        username: 'mei',
        user_id: 7,
        role_key: 'editor',
        outcome: 'success',
        reason: 'ok',
        ip: '192.0.2.1',
        user_agent: 'curl/8',
        request_id: 'r-1',
        jti: 'j',
        instance,
      }),
    ]);
  });

  it('what is missing as null', async () => {
    await insert(
      recordWith({
        username: undefined,
        userId: undefined,
        roleKey: undefined,
        jti: undefined,
        userAgent: undefined,
      }),
    );
    expect(await rows()).toEqual([
      expect.objectContaining({ username: null, user_id: null, role_key: null, jti: null, user_agent: null }),
    ]);
  });

  it('a record once, though it is sent again beside a new one', async () => {
    const [one, two] = [recordWith(), recordWith()];
    await insert(one);
    await insert(one, two);
    await insert(two, one);
    expect((await rows()).map(({ id }) => id)).toEqual([one.id, two.id].toSorted());
  });

  it('one record, though it stands twice in a batch', async () => {
    const record = recordWith();
    await insert(record, record);
    expect(await rows()).toHaveLength(1);
  });

  it('a batch of 500', async () => {
    await insert(...Array.from({ length: 500 }, () => recordWith()));
    expect(await rows()).toHaveLength(500);
  });

  it.each([
    ['a NUL', { username: 'a\0', userAgent: 'a\0' }],
    ['half a surrogate pair', { username: '\ud800', userAgent: 'a\udc00' }],
    ['quotes', { username: `a'b"`, userAgent: `'); drop table login_log; --` }],
    ['letters of every plane', { username: '李梅𠮷', userAgent: '浏览器 😀' }],
  ])('what was sent with %s', async (_what, change) => {
    await insert(recordWith(change));
    expect(await rows()).toHaveLength(1);
  });

  it.each(['192.0.2.1', '::ffff:192.0.2.1', '2001:db8::1', '::1', 'fe80::1'])(
    'the address %s',
    async (ip) => {
      await insert(recordWith({ ip }));
      expect(await rows()).toHaveLength(1);
    },
  );

  it('a link-local address, which Node gives with its interface', async () => {
    await insert(recordWith({ ip: 'fe80::1%eth0' }));
    expect(await rows()).toHaveLength(1);
  });

  it.each([0, Date.UTC(2020, 0, 1), Date.UTC(9999, 0, 1)])(
    'a record of the time %i, for which no month is ready',
    async (at) => {
      await insert(recordWith({}, at));
      expect(await rows()).toHaveLength(1);
    },
  );
});
