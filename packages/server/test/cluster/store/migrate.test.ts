import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listPendingMigrations, migrate } from '../../../src/cluster/store/migrate.ts';
import { openStore } from '../../../src/cluster/store/store.ts';
import { createUuidV7 } from '../../../src/cluster/store/uuid-v7.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase({ migrated: false });
});
afterAll(() => database.drop());

// First, because the rules below need the tables.
describe('migrating', () => {
  it('from three instances at once does its work once', async () => {
    const { url } = database;
    const store = openStore({
      url,
      poolSize: 3,
      statementTimeoutMilliseconds: 0,
      onConnectionLost: () => {},
    });
    const pending = await listPendingMigrations(store);
    expect(pending.length).toBeGreaterThan(0);
    const done = await Promise.all([migrate(store), migrate(store), migrate(store)]);
    expect(done.flat()).toEqual(pending);
    expect(await listPendingMigrations(store)).toEqual([]);
    await store.destroy();
  });

  it('again does nothing', async () => {
    expect(await migrate(database.store)).toEqual([]);
  });
});

describe('the tables', () => {
  beforeAll(async () => {
    await sql`
      insert into roles (id, role_key, name) values (1, 'admin', 'Administrator'), (5, 'editor', 'Editor')
    `.execute(database.store);
    await sql`insert into departments (id, name) values (1, 'Head office')`.execute(database.store);
  });

  const insertRole = (values: string) =>
    `insert into roles (id, role_key, name, data_scope, enabled) values (${values})`;
  const insertUser = (columns: string, values: string) =>
    `insert into users (username, canonical_username, password_hash, department_id, role_id${columns}) values ('a', 'a', 'h', 1, 5${values})`;
  const checkViolation = '23514';
  // biome-ignore format: One row a statement.
  const refused: [string, string, string][] = [
    ['a second role admin',               insertRole(`9, 'admin', 'x', '1', true`),                                checkViolation],
    ['another key for role 1',            `update roles set role_key = 'boss' where id = 1`,                       checkViolation],
    ['another id for admin',              `update roles set id = 9 where role_key = 'admin'`,                      checkViolation],
    ['admin disabled',                    `update roles set enabled = false where role_key = 'admin'`,             checkViolation],
    ['the key admin for another role',    `update roles set role_key = 'admin' where id = 5`,                      checkViolation],
    ['a role key in capitals',            insertRole(`9, 'Admin', 'x', '1', true`),                                checkViolation],
    ['a role key with a space',           insertRole(`9, 'admin ', 'x', '1', true`),                               checkViolation],
    ['a role key with a line end',        insertRole(`9, E'admin\\n', 'x', '1', true`),                            checkViolation],
    ['a role key over two lines',         insertRole(`9, E'x\\nadmin', 'x', '1', true`),                           checkViolation],
    ['a look-alike role key',             insertRole(`9, E'\\u0430dmin', 'x', '1', true`),                         checkViolation],
    ['a role key that starts with 1',     insertRole(`9, '1a', 'x', '1', true`),                                   checkViolation],
    ['an empty role key',                 insertRole(`9, '', 'x', '1', true`),                                     checkViolation],
    ['a role key of 33 characters',       insertRole(`9, repeat('a', 33), 'x', '1', true`),                        checkViolation],
    ['a repeated role key',               insertRole(`9, 'editor', 'x', '1', true`),                               '23505'],
    ['an unknown data scope',             insertRole(`9, 'x', 'x', '6', true`),                                    checkViolation],
    ['an empty data scope',               insertRole(`9, 'x', 'x', '', true`),                                     checkViolation],
    ['a role id of zero',                 insertRole(`0, 'x', 'x', '5', true`),                                    checkViolation],
    ['a role id beyond 2^53',             insertRole(`9007199254740992, 'x', 'x', '5', true`),                     checkViolation],
    ['a user id beyond 2^53',             insertUser(', id', ', 9007199254740992'),                                checkViolation],
    ['a negative epoch',                  insertUser(', epoch', ', -1'),                                           checkViolation],
    ['a second signing key of a mode',    `insert into keys values ('a', false, '{}', '', true), ('b', false, '{}', '', true)`, '23505'],
    ['a kid with a slash',                `insert into keys values ('../a', false, '{}', '', false)`,              checkViolation],
    ['a second current revision',         `insert into current_revision (one, n) values (false, 1)`,               checkViolation],
    ['a current revision twice',          `insert into current_revision (n) values (1)`,                           '23505'],
    ['a role that is in use deleted',     `with u as (${insertUser('', '')} returning role_id) delete from roles where id = 5`, '23503'],
  ];
  it.each(refused)('refuse %s', async (_what, statement, code) => {
    await expect(sql.raw(statement).execute(database.store)).rejects.toMatchObject({ code });
  });

  it('never give the id 1 to a role by themselves', async () => {
    const { rows } = await sql`insert into roles (role_key, name) values ('x', 'x') returning id`.execute(
      database.store,
    );
    expect(rows).toEqual([{ id: 2 }]);
  });
});

describe('the partitions of the login log', () => {
  const now = new Date();
  const monthStart = (ahead: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1);
  const nameOf = (ahead: number) =>
    `login_log_${new Date(monthStart(ahead)).toISOString().slice(0, 7).replace('-', '_')}`;
  const partitions = async () => {
    const { rows } = await sql<{ name: string }>`
      select inhrelid::regclass::text as name from pg_inherits where inhparent = 'login_log'::regclass order by 1
    `.execute(database.store);
    return rows.map(({ name }) => name);
  };
  /** Inserts a row with this id and gives the partition that took it. */
  const placeOf = async (id: string) => {
    const { rows } = await sql<{ place: string }>`
      insert into login_log (id, at, outcome, reason, request_id, instance)
      values (${id}, now(), 'success', 'ok', 'r', ${randomUUID()}) returning tableoid::regclass::text as place
    `.execute(database.store);
    return rows[0]?.place;
  };

  it('are made for this month and twelve ahead, beside one for what is late', async () => {
    const months = Array.from({ length: 13 }, (_, ahead) => nameOf(ahead));
    expect(await partitions()).toEqual([...months, 'login_log_late'].toSorted());
  });

  it('are made ahead by every migrate, also by one that finds nothing else to do', async () => {
    const before = await partitions();
    await sql`drop table ${sql.table(nameOf(12))}, ${sql.table(nameOf(11))}`.execute(database.store);
    expect(await migrate(database.store)).toEqual([]);
    expect(await partitions()).toEqual(before);
  });

  it('are made once, though two ask at once', async () => {
    const before = await partitions();
    await Promise.all([
      sql`select make_login_log_partitions(14)`.execute(database.store),
      sql`select make_login_log_partitions(14)`.execute(database.store),
    ]);
    expect((await partitions()).toSorted()).toEqual([...before, nameOf(13), nameOf(14)].toSorted());
  });

  it('begin at the first and end at the last millisecond of a month, whatever the random part is', async () => {
    for (const ahead of [1, 2, 11]) {
      expect(await placeOf(createUuidV7(monthStart(ahead), Buffer.alloc(10)))).toBe(nameOf(ahead));
      expect(await placeOf(createUuidV7(monthStart(ahead) - 1, Buffer.alloc(10, 0xff)))).toBe(
        nameOf(ahead - 1),
      );
    }
  });

  it.each([0, Date.UTC(2000, 0, 1), monthStart(40)])('take a record of the time %i as late', async (at) => {
    expect(await placeOf(createUuidV7(at, randomBytes(10)))).toBe('login_log_late');
  });

  it('admit an id once, whatever else the row says', async () => {
    const id = createUuidV7(Date.now(), randomBytes(10));
    await placeOf(id);
    await expect(placeOf(id)).rejects.toMatchObject({ code: '23505' });
  });

  it('can be made for a month that already has late records', async () => {
    await placeOf(createUuidV7(monthStart(20), randomBytes(10)));
    await sql`select make_login_log_partitions(20)`.execute(database.store);
    expect(await partitions()).toContain(nameOf(20));
  });

  it.each([
    ['1970-01-01T00:00:00Z', '00000000-0000-0000-0000-000000000000'],
    ['2022-02-22T19:22:22Z', '017f22e2-79b0-0000-0000-000000000000'],
    ['2022-02-22T19:22:22.001Z', '017f22e2-79b1-0000-0000-000000000000'],
  ])('bound ids at %s by %s', async (at, bound) => {
    const { rows } = await sql<{ bound: string }>`select uuid_v7_bound(${at}::timestamptz) as bound`.execute(
      database.store,
    );
    expect(rows).toEqual([{ bound }]);
  });
});
