// The five data scopes from the role in the directory to the rows of a business table, on real Postgres.
import { createPortcullis, type Portcullis } from '@portcullis/server';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type Database } from '../../../test/rig/create-database.ts';
import { masterKey } from '../../../test/rig/master-key.ts';
import { scopeSql } from '../src/data-scope.ts';
import { scopeWhere } from '../src/kysely.ts';

interface Tables {
  orders: { id: number; created_by: number; department_id: number };
}

const columns = { owner: 'created_by', department: 'department_id' } as const;
const directory = `
  insert into departments (id, parent_id, name) values
    (1, null, 'Head office'), (2, 1, 'Sales'), (3, 2, 'Sales north'), (4, 1, 'Support'), (5, 3, 'Sales north east');
  insert into roles (id, role_key, name, data_scope, enabled) values
    (2, 'all', 'All', '1', true), (3, 'chosen', 'Chosen', '2', true), (4, 'own-department', 'Own department', '3', true),
    (5, 'below', 'Below', '4', true), (6, 'own', 'Own', '5', true), (7, 'none-chosen', 'None chosen', '2', true),
    (8, 'former', 'Former', '1', false);
  insert into role_departments (role_id, department_id) values (3, 4), (3, 5);
  insert into users (id, username, canonical_username, department_id, role_id, password_hash, enabled) values
    (12, 'a', 'a', 1, 2, '', true), (13, 'b', 'b', 1, 3, '', true), (14, 'c', 'c', 2, 4, '', true),
    (15, 'd', 'd', 2, 5, '', true), (16, 'e', 'e', 2, 6, '', true), (17, 'f', 'f', 2, 7, '', true),
    (18, 'g', 'g', 1, 8, '', true), (19, 'h', 'h', 1, 2, '', false);
  create table orders (id int primary key, created_by bigint not null, department_id bigint not null);
  insert into orders select row_number() over (), u, d from unnest(array[12, 13, 14, 15, 16, 17, 18, 19]) u, generate_series(1, 5) d;`;

let database: Database;
let portcullis: Portcullis;
let db: Kysely<Tables>;
beforeAll(async () => {
  database = await createDatabase({ migrated: true });
  await database.query(directory);
  db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: database.url, max: 2 }) }),
  });
  portcullis = await createPortcullis({
    settings: {
      database: { url: database.url },
      auth: { masterKey },
      logger: { enableddb: false, level: 'silent' },
    },
  });
});
afterAll(async () => {
  await portcullis?.close(0);
  await db?.destroy();
  await database?.drop();
});

/** What both forms select, as `owner/department`. */
async function rowsOf(userId: number): Promise<string[]> {
  const scope = await portcullis.resolveScope({ userId });
  const { text, values } = scopeSql(scope, columns);
  const plain = await database.query<Record<string, string>>(
    `select created_by, department_id from orders where ${text} order by id`,
    values,
  );
  const query = db.selectFrom('orders').select(['created_by', 'department_id']);
  expect(await query.where(scopeWhere(scope, columns)).orderBy('id').execute()).toEqual(plain);
  return plain.map((row) => `${row.created_by}/${row.department_id}`);
}
const owners = [12, 13, 14, 15, 16, 17, 18, 19];
const everyRowOf = (departments: number[]) =>
  owners.flatMap((owner) => departments.map((department) => `${owner}/${department}`));
const ownRowsOf = (userId: number) => [1, 2, 3, 4, 5].map((department) => `${userId}/${department}`);

it.each<[string, number, string[]]>([
  ['scope 2 without a chosen department: no rows', 17, []],
  ['scope 5: own rows, in every department', 16, ownRowsOf(16)],
  ['a user who does not exist: own rows', 99, []],
  ['a disabled user of scope 1: own rows', 19, ownRowsOf(19)],
  ['a user whose role is disabled, of scope 1: own rows', 18, ownRowsOf(18)],
  ['scope 3: the own department, and no own row of another one', 14, everyRowOf([2])],
  ['scope 4: the own department and all below it', 15, everyRowOf([2, 3, 5])],
  ['scope 2: the chosen departments, and not those below them', 13, everyRowOf([4, 5])],
  ['scope 1: all rows', 12, everyRowOf([1, 2, 3, 4, 5])],
])('%s', async (_, userId, expected) => {
  expect((await rowsOf(userId)).toSorted()).toEqual(expected.toSorted());
});

it('a change of the directory is seen by the next call', async () => {
  await database.query('update users set department_id = 4 where id = 14');
  expect((await rowsOf(14)).toSorted()).toEqual(everyRowOf([4]).toSorted());
});
