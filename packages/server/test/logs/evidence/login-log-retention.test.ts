import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseKeptHeads } from '../../../src/logs/evidence/kept-heads.ts';
import { maintainLoginLog } from '../../../src/logs/evidence/login-log-retention.ts';
import { verifyLoginLog, writeHeads } from '../../../src/logs/evidence/verify.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { makeMonth, monthStart, tableOf, writeChain } from '../login-log/write-chain.ts';

const key = randomBytes(32);
const day = 86_400_000;

let database: FreshDatabase;
beforeEach(async () => {
  database = await createFreshDatabase();
  for (const ago of [1, 2, 3, 4]) await makeMonth(database.store, ago);
});
afterEach(() => database.drop());

const verify = async (kept?: string) =>
  await verifyLoginLog(database.store, {
    keys: [key],
    kept: kept === undefined ? undefined : parseKeptHeads([key], kept),
  });

async function maintain(keptMonths = 2): Promise<{ isDone: boolean; lines: string[] }> {
  const lines: string[] = [];
  const report = (line: string) => void lines.push(line);
  return { isDone: await maintainLoginLog(database.store, { keys: [key], keptMonths, report }), lines };
}

async function listTables(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'login_log'::regclass order by relname
  `.execute(database.store);
  return rows.map(({ name }) => name);
}

/** A record every day from four months ago until yesterday, in two chains. */
async function writeDays() {
  const first = monthStart(4);
  const days = Math.floor((Date.now() - first) / day);
  const times = Array.from({ length: days }, (_, index) => first + index * day);
  const long = await writeChain(database.store, { key, times, poisonEvery: 9 });
  const short = await writeChain(database.store, { key, times: times.slice(0, 70) });
  return { long, short, days };
}

describe('the upkeep keeps', () => {
  it('every month where no retention is set', async () => {
    await writeDays();
    expect(await maintain(0)).toMatchObject({ isDone: true });
    expect(await listTables()).toEqual(expect.arrayContaining([4, 3, 2, 1, 0].map(tableOf)));
  });

  it('a month with a changed record and the following months, and reports which', async () => {
    const { long } = await writeDays();
    const { id } = await database.store
      .updateTable('login_log')
      .set({ username: 'mallory' })
      .where('chain', '=', long.id)
      .where('seq', '=', 3)
      .returning('id')
      .executeTakeFirstOrThrow();
    const { isDone, lines } = await maintain();
    expect(isDone).toBe(false);
    expect(lines[0]).toContain(`Kept ${tableOf(4)}: record ${id} of chain ${long.id}`);
    expect(lines[1]).toContain(`Kept ${tableOf(3)}`);
    expect(await listTables()).toEqual(expect.arrayContaining([4, 3].map(tableOf)));
    expect((await verify()).problems).toEqual([{ chain: long.id, seq: 3, id, what: 'changed' }]);
  });

  it('the report of a removed record, although the months around it are dropped', async () => {
    const { short } = await writeDays();
    const ofShort = database.store.deleteFrom('login_log').where('chain', '=', short.id);
    await ofShort.where('seq', '>', 65).execute();
    expect(await maintain(0)).toMatchObject({ isDone: true });
    expect(await maintain(1)).toMatchObject({ isDone: true });
    expect((await verify()).problems).toEqual([{ chain: short.id, seq: 66, id: null, what: 'removed' }]);
  });

  it('records that no month was ready for, and the months that follow on them', async () => {
    await sql.raw(`drop table ${tableOf(3)}`).execute(database.store);
    await writeDays();
    const { isDone, lines } = await maintain(1);
    expect(isDone).toBe(false);
    expect(lines[0]).toContain(`Dropped ${tableOf(4)}`);
    expect(lines[1]).toMatch(new RegExp(`^Kept ${tableOf(2)}: chain .* has older records, which stay.`));
    expect((await verify()).problems).toEqual([]);
  });
});

describe('the upkeep drops', () => {
  it('the months before those to be kept, and the chains stay whole', async () => {
    const { long, days } = await writeDays();
    const kept = (await writeHeads(database.store, [key], new Date())).text;
    const { isDone, lines } = await maintain();
    expect(lines).toEqual([
      expect.stringContaining(`Dropped ${tableOf(4)}`),
      expect.stringContaining(`Dropped ${tableOf(3)}`),
      expect.stringContaining('Deleted 0 older heads'),
    ]);
    expect(isDone).toBe(true);
    const tables = await listTables();
    expect(tables).not.toContain(tableOf(3));
    expect(tables).toContain(tableOf(2));
    const left = Math.floor((monthStart(2) - monthStart(4)) / day);
    const { records, problems } = await verify(kept);
    expect({ records, problems }).toEqual({ records: days - left + (70 - left), problems: [] });
    const { chain } = await database.store
      .selectFrom('login_log_dead_letters')
      .select('chain')
      .orderBy('id')
      .executeTakeFirstOrThrow();
    expect(chain).toBe(long.id);
  });

  it('the counters and the rejected records of those months', async () => {
    await writeDays();
    await maintain();
    const [counts] = await database.store
      .selectFrom('login_log_counts')
      .select((of) => of.fn.min('hour').as('first'))
      .execute();
    expect(counts?.first?.getTime()).toBe(monthStart(2));
    const [letters] = await database.store
      .selectFrom('login_log_dead_letters')
      .select((of) => of.fn.countAll().as('n'))
      .where(sql<boolean>`id < uuid_v7_bound(${new Date(monthStart(2))})`)
      .execute();
    expect(Number(letters?.n)).toBe(0);
  });

  it('a month where two are at it at once, and nothing the second time', async () => {
    await writeDays();
    const both = await Promise.all([maintain(), maintain()]);
    expect(both.map(({ isDone }) => isDone)).toEqual([true, true]);
    expect(await maintain()).toEqual({ isDone: true, lines: ['Deleted 0 older heads.'] });
    expect((await verify()).problems).toEqual([]);
  });

  it('a month only without readers of the log, and lets other statements run meanwhile', async () => {
    await writeDays();
    const reader = await database.store.startTransaction().execute();
    await reader.selectFrom('login_log').select('id').limit(1).execute();
    const maintaining = maintain();
    await expect.poll(waitsForLog).toBe(true);
    // Its wait for the lock is short: this one would stand behind it until the reader ends.
    await database.store.selectFrom('login_log').select('id').limit(1).execute();
    await reader.commit().execute();
    expect(await maintaining).toMatchObject({ isDone: true });
    expect(await listTables()).not.toContain(tableOf(4));
  });
});

async function waitsForLog(): Promise<boolean> {
  const { rows } = await sql`
    select from pg_locks where not granted and relation = 'login_log'::regclass
      and database = (select oid from pg_database where datname = current_database())
  `.execute(database.store);
  return rows.length > 0;
}
