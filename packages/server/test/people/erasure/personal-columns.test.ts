import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { kindOfColumn } from '../../../src/people/erasure/personal-columns.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
});
afterAll(() => database.drop());

const ofMigrator = ['kysely_migration', 'kysely_migration_lock', 'user_words_fill'];

it('lists for every text or binary column whether it can name a person', async () => {
  const { rows } = await sql<{ table: string; column: string }>`
    select relname as table, attname as column from pg_attribute
    join pg_class on pg_class.oid = attrelid join pg_type on pg_type.oid = atttypid
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
      and attnum > 0 and not attisdropped
      and typname not in ('int2', 'int4', 'int8', 'bool', 'timestamptz', 'date', 'float8', 'numeric')`.execute(
    database.store,
  );
  const unsaid = rows
    .filter(({ table, column }) => !ofMigrator.includes(table) && kindOfColumn(table, column) === undefined)
    .map(({ table, column }) => `${table}.${column}`);
  expect(rows.length).toBeGreaterThan(100);
  expect(
    unsaid,
    'Add them to people/erasure/personal-columns.ts, and to personal-data-store.ts what names people',
  ).toEqual([]);
});
