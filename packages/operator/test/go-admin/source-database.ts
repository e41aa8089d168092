// A database of go-admin for a test, on the real MariaDB or the real Postgres, dropped at the end.
import { randomBytes } from 'node:crypto';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { type Dialect, type Rows, schemaOf, type Value, type Version } from './source-schema.ts';

const postgresServer = 'postgres://postgres@127.0.0.1:5432/postgres';
const mysqlServer = process.env.PORTCULLIS_TEST_MYSQL_URL ?? 'mysql://root@127.0.0.1:3306/mysql';

export interface SourceDatabase {
  /** As the operator would write it: of an account that may only read. */
  readonly url: string;
  run(statement: string, values?: readonly Value[]): Promise<void>;
  insert(rows: Readonly<Record<string, Rows>>): Promise<void>;
  drop(): Promise<void>;
}

export async function createSourceDatabase(dialect: Dialect, version: Version): Promise<SourceDatabase> {
  const name = `portcullis_test_go_admin_${randomBytes(5).toString('hex')}`;
  const database = dialect === 'mysql' ? await createMysql(name) : await createPostgres(name);
  for (const statement of schemaOf(dialect, version)) await database.run(statement);
  return {
    ...database,
    async insert(rows) {
      for (const [table, records] of Object.entries(rows))
        for (let at = 0; at < records.length; at += rowsAtOnce)
          await insertRows(table, records.slice(at, at + rowsAtOnce));
    },
  };

  /** Rows may lack columns, which are null then. */
  async function insertRows(table: string, records: Rows): Promise<void> {
    const columns = [...new Set(records.flatMap((record) => Object.keys(record)))];
    const values = records.flatMap((record) => columns.map((column) => record[column] ?? null));
    const place = (index: number) => (dialect === 'mysql' ? '?' : `$${index + 1}`);
    const places = records.map(
      (_, row) => `(${columns.map((_, column) => place(row * columns.length + column)).join(', ')})`,
    );
    await database.run(`insert into ${table} (${columns.join(', ')}) values ${places.join(', ')}`, values);
    const key = keys[table];
    if (dialect === 'postgres' && key !== undefined)
      await database.run(`select setval('${table}_${key}_seq', (select max(${key}) from ${table}))`);
  }
}

/** On Postgres the sequence does not follow rows that were inserted with explicit ids. */
const keys: Readonly<Record<string, string>> = {
  sys_dept: 'dept_id',
  sys_role: 'role_id',
  sys_user: 'user_id',
  sys_menu: 'menu_id',
  sys_config: 'id',
};

const rowsAtOnce = 1000;

type Opened = Omit<SourceDatabase, 'insert'>;

async function createMysql(name: string): Promise<Opened> {
  const admin = await mysql.createConnection(mysqlServer);
  const password = 'p@ss:w/ord';
  const account = name.slice(-20);
  await admin.query(`create database ${name} character set utf8mb4`);
  await admin.query(`create user ${account}@'%' identified by '${password}'`);
  await admin.query(`grant select on ${name}.* to ${account}@'%'`);
  await admin.query(`use ${name}`);
  const { host } = new URL(mysqlServer);
  return {
    url: `mysql://${account}:${encodeURIComponent(password)}@${host}/${name}`,
    async run(statement, values = []) {
      await admin.query(statement, [...values]);
    },
    async drop() {
      await admin.query(`drop database ${name}`);
      await admin.query(`drop user ${account}@'%'`);
      await admin.end();
    },
  };
}

async function createPostgres(name: string): Promise<Opened> {
  const admin = new pg.Client({ connectionString: postgresServer });
  await admin.connect();
  await admin.query(`create database ${name}`);
  const url = postgresServer.replace(/postgres$/, name);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    url,
    async run(statement, values = []) {
      await client.query(statement, [...values]);
    },
    async drop() {
      await client.end();
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
}
