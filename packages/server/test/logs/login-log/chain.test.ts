// What the chains show, on the real table: the bytes that Postgres gives back are those that were bound.
import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createUuidV7Source } from '../../../src/cluster/store/uuid-v7.ts';
import { peerOf } from '../../../src/http/client-address.ts';
import { parseKeptHeads } from '../../../src/logs/evidence/kept-heads.ts';
import { verifyLoginLog, writeHeads } from '../../../src/logs/evidence/verify.ts';
import { createChain, signLink } from '../../../src/logs/login-log/chain.ts';
import type { LoginRow } from '../../../src/logs/login-log/login-row.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { insertTexts, rowWith, signHead, writeChain } from './write-chain.ts';

const key = randomBytes(32);
const startAt = Date.UTC(2026, 0, 31, 23, 59, 0);
const timesOf = (count: number) => Array.from({ length: count }, (_, index) => startAt + index * 20_000);

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  for (const table of ['login_log', 'login_log_heads', 'login_log_dead_letters'] as const)
    await database.store.deleteFrom(table).execute();
});

async function verify({ keys = [key] as [Buffer, ...Buffer[]], kept = '' } = {}) {
  const head = kept === '' ? undefined : parseKeptHeads(keys, kept);
  return await verifyLoginLog(database.store, { keys, kept: head });
}
const findProblems = async (options?: Parameters<typeof verify>[0]) => (await verify(options)).problems;
const run = (statement: string) => sql.raw(statement).execute(database.store);
const keepHeads = async () => (await writeHeads(database.store, [key], new Date())).text;

/** Ten records of one chain, by their numbers. */
async function writeTen() {
  const { id: chain } = await writeChain(database.store, { key, times: timesOf(10) });
  const rows = await database.store.selectFrom('login_log').select('id').orderBy('id').execute();
  const idOf = (seq: number) => String(rows[seq - 1]?.id);
  return { chain, idOf };
}

/** Of columns that take no text. */
const otherValues: Readonly<Record<string, string>> = {
  at: `at + interval '1 day'`,
  user_id: '4711',
  outcome: `case outcome when 'success' then 'failure' else 'success' end`,
  ip: `'198.51.100.1'`,
  instance: 'gen_random_uuid()',
  credential_id: '4711',
};

describe.each([1, 5, 10])('of ten records, number %i is reported', (seq) => {
  it.each([
    ['a name', `username = 'mallory'`],
    ['a time by a microsecond', `at = at + interval '1 microsecond'`],
    ['an address by its netmask', `ip = '192.0.2.0/24'`],
    ['a text to an empty one', `user_agent = ''`],
    ['a text to nothing', 'user_agent = null'],
    ['its method', `method = 'passkey'`],
    ['its hash', `hash = decode(repeat('00', 32), 'hex')`],
    ['its hash to nothing', 'hash = null'],
    ['its number', 'seq = seq + 100'],
  ])('after a change of %s', async (_what, assignment) => {
    const { chain, idOf } = await writeTen();
    await run(`update login_log set ${assignment} where id = '${idOf(seq)}'`);
    expect(await findProblems()).toEqual([{ chain, seq, id: idOf(seq), what: 'changed' }]);
  });

  it('after a change of any column that a record fills', async () => {
    const { chain, idOf } = await writeTen();
    const columns = Object.keys(rowWith()).filter((column) => column !== 'id');
    for (const column of columns) {
      const value = otherValues[column] ?? `'other'`;
      const set = (to: string) => run(`update login_log set ${column} = ${to} where id = '${idOf(seq)}'`);
      await run(`create table was as select ${column} as value from login_log where id = '${idOf(seq)}'`);
      await set(value);
      expect(await findProblems(), column).toEqual([{ chain, seq, id: idOf(seq), what: 'changed' }]);
      await set('(select value from was)');
      await run('drop table was');
    }
    expect(columns).toHaveLength(18);
  });

  it('after its deletion', async () => {
    const { chain, idOf } = await writeTen();
    await run(`delete from login_log where id = '${idOf(seq)}'`);
    expect(await findProblems()).toEqual([{ chain, seq, id: null, what: 'removed' }]);
  });

  it('after its removal from the chain', async () => {
    const { chain, idOf } = await writeTen();
    await run(`update login_log set chain = null, seq = null, hash = null where id = '${idOf(seq)}'`);
    const problems = await findProblems();
    expect(problems).toContainEqual({ chain, seq, id: null, what: 'removed' });
    expect(problems).toHaveLength(seq === 1 ? 1 : 2);
  });

  it('after a copy of it was inserted', async () => {
    const { chain, idOf } = await writeTen();
    await run(`
      create temporary table copied as select * from login_log where id = '${idOf(seq)}';
      update copied set id = 'ffffffff-0000-7000-8000-000000000000';
      insert into login_log select * from copied;
      drop table copied`);
    const id = 'ffffffff-0000-7000-8000-000000000000';
    expect(await findProblems()).toEqual([{ chain, seq, id, what: 'added' }]);
  });
});

describe('of ten records', () => {
  it('reports the first of two exchanged records', async () => {
    const { chain, idOf } = await writeTen();
    const [one, other] = [idOf(3), idOf(7)];
    const spare = randomUUID();
    for (const [from, to] of [
      [one, spare],
      [other, one],
      [spare, other],
    ])
      await run(`update login_log set id = '${to}' where id = '${from}'`);
    expect(await findProblems()).toEqual([{ chain, seq: 3, id: other, what: 'moved' }]);
  });

  it('reports the first deleted record of a truncated end, up to the signed head', async () => {
    const { chain, idOf } = await writeTen();
    await run(`delete from login_log where id >= '${idOf(8)}'`);
    expect(await findProblems()).toEqual([{ chain, seq: 8, id: null, what: 'removed' }]);
  });

  it('all of them are missed where the head was kept elsewhere', async () => {
    const { chain } = await writeTen();
    const kept = await keepHeads();
    await run('delete from login_log; delete from login_log_heads');
    expect(await findProblems()).toEqual([]);
    expect(await findProblems({ kept })).toEqual([
      { chain, seq: 1, id: null, what: 'removed' },
      { chain, seq: 10, id: null, what: 'head_removed' },
    ]);
  });

  it('reports a chain that was rewritten with the true key, when the head was kept elsewhere', async () => {
    const { chain: id } = await writeTen();
    const kept = await keepHeads();
    await run('delete from login_log; delete from login_log_heads');
    const chain = createChain(key, id);
    const nextId = createUuidV7Source(randomBytes);
    const rows = timesOf(12).map((at) => chain.add(rowWith({ id: nextId(at), username: 'mallory' }, at)));
    await insertTexts(
      database.store,
      rows.map((row) => JSON.stringify(row)),
    );
    await signHead(database.store, key, id, chain.last);
    expect(await findProblems()).toEqual([]);
    expect(await findProblems({ kept })).toEqual([{ chain: id, seq: 10, id: rows[9]?.id, what: 'changed' }]);
  });

  it('reports a forged record at the end', async () => {
    const { chain } = await writeTen();
    const forged = { ...rowWith(), chain, seq: 11, hash: `\\x${randomBytes(32).toString('hex')}` };
    await insertTexts(database.store, [JSON.stringify(forged)]);
    expect(await findProblems()).toEqual([{ chain, seq: 11, id: forged.id, what: 'changed' }]);
  });

  it('a forged one without a chain is named', async () => {
    await writeTen();
    const { id, ...rest } = rowWith();
    await insertTexts(database.store, [JSON.stringify({ id, ...rest })]);
    expect(await findProblems()).toEqual([{ chain: null, seq: null, id, what: 'added' }]);
  });

  it('one without a chain that is older than they are is found by what was kept', async () => {
    await writeTen();
    const kept = await keepHeads();
    await insertTexts(database.store, [JSON.stringify(rowWith({}, startAt - 1000))]);
    expect(await findProblems()).toEqual([]);
    expect(await findProblems({ kept })).toEqual([{ chain: null, seq: null, id: null, what: 'added' }]);
  });
});

describe('the signed head', () => {
  it.each(['seq = seq - 1', 'signature = hash', `hash = decode(repeat('00', 32), 'hex')`])(
    'reports a head after the change %s',
    async (assignment) => {
      await writeTen();
      await run(`update login_log_heads set ${assignment}`);
      expect(await findProblems()).toEqual([expect.objectContaining({ what: 'head_changed' })]);
    },
  );

  it('is no checkpoint where it is a head', async () => {
    const { chain, idOf } = await writeTen();
    await signHead(database.store, key, chain, { seq: 5, hash: randomBytes(32) });
    await run(`delete from login_log where id <= '${idOf(5)}'`);
    await run('update login_log_heads set checkpoint = true where seq = 5');
    expect(await findProblems()).toEqual([
      expect.objectContaining({ what: 'checkpoint_changed' }),
      { chain, seq: 1, id: null, what: 'removed' },
    ]);
  });

  it('is refused as kept heads where a figure in it was changed', async () => {
    await writeTen();
    const kept = await keepHeads();
    expect(parseKeptHeads([key], kept)?.heads).toHaveLength(1);
    expect(parseKeptHeads([key], kept.replace('"seq": 10', '"seq": 1'))).toBeUndefined();
    expect(parseKeptHeads([randomBytes(32)], kept)).toBeUndefined();
    expect(parseKeptHeads([key], '{}')).toBeUndefined();
    expect(parseKeptHeads([key], '')).toBeUndefined();
  });
});

describe('a chain is accepted', () => {
  it('under the previous master key', async () => {
    await writeTen();
    expect(await findProblems({ keys: [randomBytes(32), key] })).toEqual([]);
  });

  it('and is reported as bound by neither master key otherwise', async () => {
    const { chain, idOf } = await writeTen();
    expect(await findProblems({ keys: [randomBytes(32), randomBytes(32)] })).toEqual([
      { chain, seq: 10, id: null, what: 'head_changed' },
      { chain, seq: 1, id: idOf(1), what: 'unbound' },
    ]);
  });

  it('with rejected records', async () => {
    await writeChain(database.store, { key, times: timesOf(30), poisonEvery: 7 });
    expect(await verify()).toMatchObject({ records: 30, deadLetters: 5, problems: [] });
  });

  it('after a checkpoint, and with records without a chain before it', async () => {
    const { chain, idOf } = await writeTen();
    await insertTexts(database.store, [JSON.stringify(rowWith({}, startAt - 1000))]);
    const row = await database.store
      .selectFrom('login_log')
      .select('hash')
      .where('id', '=', idOf(4))
      .executeTakeFirstOrThrow();
    const link = { seq: 4, hash: row.hash ?? Buffer.alloc(0) };
    await run(`delete from login_log where chain is not null and id <= '${idOf(4)}'`);
    expect(await findProblems()).toEqual([{ chain, seq: 1, id: null, what: 'removed' }]);
    await database.store
      .insertInto('login_log_heads')
      .values({ chain, ...link, checkpoint: true, signature: signLink(key, chain, link, 'checkpoint') })
      .execute();
    expect(await verify()).toMatchObject({ unchained: 1, problems: [] });
  });

  const texts = [
    '',
    ' a  b ',
    'a\u0007\u001b[31m"\\/',
    'e\u0301 \u00e9',
    '\ufeff\u200b\u2028\u2029\uffff\ufffd',
    '😀𠮷',
    'a\udc00b',
    'a\0b',
  ];
  it.each(texts)('with the text %j in every column that takes one', async (text) => {
    const columns = ['username', 'role_key', 'reason', 'user_agent', 'browser', 'os', 'platform', 'location'];
    await writeRows([Object.fromEntries([...columns, 'request_id', 'jti'].map((column) => [column, text]))]);
    expect(await verify()).toMatchObject({ records: 1, problems: [] });
  });

  it('with any number of a user, and any time', async () => {
    await writeRows([
      { user_id: Number.MAX_SAFE_INTEGER },
      { user_id: 0 },
      ...['2026-01-01T00:00:00.000Z', '2026-06-30T23:59:59.999Z', '1970-01-01T00:00:00.010Z'].map((at) => ({
        at,
      })),
      { at: '9999-12-31T23:59:59.900Z' },
    ]);
    expect(await verify()).toMatchObject({ records: 6, problems: [] });
  });

  it('with every spelling of an address', async () => {
    const spelt = [
      '::',
      '::1',
      '::1.2.3.4',
      '::ffff:192.0.2.1',
      '64:ff9b::1.2.3.4',
      '::FFFF:0:1',
      'FE80::1%eth0',
    ];
    const random = Array.from({ length: 2000 }, () =>
      Array.from(randomBytes(8), (byte) => (byte % 3 === 0 ? '0' : (byte * 255).toString(16))).join(':'),
    );
    await writeRows([...spelt, ...random].map((remoteAddress) => ({ ip: peerOf({ remoteAddress }) })));
    expect(await verify()).toMatchObject({ records: 2007, deadLetters: 0, problems: [] });
  });
});

async function writeRows(changes: readonly Partial<LoginRow>[]): Promise<void> {
  const chain = createChain(key, randomUUID());
  const nextId = createUuidV7Source(randomBytes);
  const texts = changes.map((change) =>
    JSON.stringify(chain.add(rowWith({ id: nextId(startAt), ...change }))),
  );
  await insertTexts(database.store, texts);
}
