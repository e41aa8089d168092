// The functions of the schema: who may call them, and which tables they find. A function that runs with the rights of the
// schema's owner must not be lent to another database role.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
});
afterAll(() => database.drop());

interface StoredFunction {
  readonly name: string;
  readonly isTrigger: boolean;
  readonly asOwner: boolean;
  readonly settings: readonly string[] | null;
  readonly isPublic: boolean;
}

async function listFunctions(): Promise<StoredFunction[]> {
  const { rows } = await sql<StoredFunction>`
    select proname as name, prorettype = 'trigger'::regtype as "isTrigger", prosecdef as "asOwner", proconfig as settings,
      has_function_privilege('public', oid, 'execute') as "isPublic"
    from pg_proc where pronamespace = current_schema()::regnamespace order by proname`.execute(
    database.store,
  );
  return rows;
}

/** They run with the rights of the database role that calls them, so that it gains none. */
const callableByAll = [
  ...['admit_login', 'settle_login', 'throttle_row', 'count_mail', 'tell_by_mail'],
  ...['audit_log_hash', 'audit_log_value', 'erased_audit_record', 'without_texts', 'is_about_person'],
  ...['current_revision_number', 'database_incarnation', 'make_login_log_partitions', 'uuid_v7_bound'],
  ...['search_text', 'words_of_user', 'fill_user_words'],
];

describe('a function that runs as the owner of the schema', () => {
  it('finds tables in this schema only, and temporary tables last', async () => {
    const functions = (await listFunctions()).filter(({ asOwner }) => asOwner);
    expect(functions.length).toBeGreaterThan(10);
    const searched = ['search_path=public, pg_temp'];
    expect(functions.filter(({ settings }) => String(settings) !== String(searched))).toEqual([]);
  });

  it('is called by triggers, or by database roles that were granted it', async () => {
    const functions = (await listFunctions()).filter(({ asOwner, isTrigger }) => asOwner && !isTrigger);
    expect(functions.map(({ name }) => name)).toContain('erase_login_records');
    expect(functions.filter(({ isPublic }) => isPublic)).toEqual([]);
  });
});

it('every database role may call the listed functions, and no other', async () => {
  // Postgres lets no role call a trigger function.
  const functions = (await listFunctions()).filter(({ isPublic, isTrigger }) => isPublic && !isTrigger);
  expect([...new Set(functions.map(({ name }) => name))]).toEqual(callableByAll.toSorted());
});

it('every function has one form', async () => {
  const names = (await listFunctions()).map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

describe('the end of a chain of the login log', () => {
  it('is noted also where its last record is a rejected one', async () => {
    const { store } = database;
    const [chain, id] = [randomUUID(), randomUUID()];
    await store
      .insertInto('login_log_dead_letters')
      .values({ id, chain, seq: 7, hash: Buffer.alloc(32), raw: Buffer.from('{}'), cause: 'refused' })
      .execute();
    const { rows } = await sql`select seq::int, id from login_log_chains where chain = ${chain}`.execute(
      store,
    );
    expect(rows).toEqual([{ seq: 7, id }]);
  });
});
