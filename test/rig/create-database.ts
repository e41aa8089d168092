// A separate database for every server under test, copied from a template that `portcullis migrate` made. The
// template's name holds the migrations' hash and the month (partitions are made by month), so it is never stale.
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { masterKey } from './master-key.ts';
import { spoolFolderOf } from './spool-folder.ts';
import { commandLine, repository, startProcess } from './start-process.ts';

const adminUrl = process.env.PORTCULLIS_TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';
const templatePrefix = 'portcullis_template_';

export interface Database {
  readonly url: string;
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Locks the table against every writer, and every reader too unless they may pass, until the result is called. */
  lock(table: string, options?: { readersPass: boolean }): Promise<() => Promise<void>>;
  /** How many of the server's connections wait for a lock on the table. */
  countWaiting(table: string): Promise<number>;
  drop(): Promise<void>;
}

interface DatabaseOptions {
  readonly migrated: boolean;
  /** Another server than the machine's own, by the URL of its database `postgres`. */
  readonly server?: string;
}

export async function createDatabase({ migrated, server = adminUrl }: DatabaseOptions): Promise<Database> {
  const name = `portcullis_rig_${randomBytes(6).toString('hex')}`;
  await asAdmin(server, async (admin) => {
    const template = migrated ? await prepareTemplate(server, admin) : 'template0';
    await admin.query(`create database ${name} template ${template} strategy ${await findStrategy(admin)}`);
  });
  const database = openDatabase(server, name);
  // A copy is another incarnation than its template, and has lost nothing.
  if (migrated) await database.query('update current_revision set settled_in = database_incarnation()');
  return database;
}

function openDatabase(server: string, name: string): Database {
  const url = urlOf(server, name);
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  // A connection that is still closing when the database is dropped reports that it was cut.
  pool.on('error', () => {});
  async function query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) {
    return (await pool.query<Row>(text, [...values])).rows;
  }
  return {
    url,
    query,
    async lock(table, { readersPass } = { readersPass: false }) {
      const connection = await pool.connect();
      await connection.query('begin');
      await connection.query(`lock table ${table} in ${readersPass ? '' : 'access '}exclusive mode`);
      return async () => {
        await connection.query('commit');
        connection.release();
      };
    },
    async countWaiting(table) {
      const [row] = await query<{ waiting: number }>(
        // Copies of one template have the same numbers for their tables.
        `select count(*)::int as waiting from pg_locks where not granted and relation = $1::regclass
         and database = (select oid from pg_database where datname = current_database())`,
        [table],
      );
      return row?.waiting ?? 0;
    },
    async drop() {
      await pool.end();
      await asAdmin(server, (admin) => admin.query(`drop database if exists ${name} with (force)`));
      await rm(spoolFolderOf(url), { recursive: true, force: true });
    },
  };
}

/** In memory, where no checkpoint waits for a disk, a copy of the files costs half as much as one through the log. */
async function findStrategy(admin: pg.Client): Promise<string> {
  const { rows } = await admin.query<{ data_directory: string }>('show data_directory');
  return rows[0]?.data_directory.startsWith('/dev/shm/') === true ? 'file_copy' : 'wal_log';
}

/** One at a time, over all processes: a template must not be copied while it is made or dropped. */
async function asAdmin<T>(server: string, work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  try {
    await admin.query(`select pg_advisory_lock(hashtext('portcullis rig'))`);
    return await work(admin);
  } finally {
    await admin.end();
  }
}

async function prepareTemplate(server: string, admin: pg.Client): Promise<string> {
  const name = `${templatePrefix}${templateHash()}`;
  const { rows } = await admin.query<{ datname: string }>(
    'select datname from pg_database where starts_with(datname, $1)',
    [templatePrefix],
  );
  if (rows.some(({ datname }) => datname === name)) return name;
  for (const { datname } of rows) await admin.query(`drop database ${datname} with (force)`);
  const unfinished = `${templatePrefix}unfinished`;
  await admin.query(`create database ${unfinished} template template0`);
  await migrate(urlOf(server, unfinished));
  await admin.query(`alter database ${unfinished} rename to ${name}`);
  return name;
}

/** `portcullis migrate`, as an operator runs it. */
export async function migrate(url: string): Promise<string> {
  const process = startProcess({
    script: commandLine,
    arguments: ['migrate'],
    environment: { DATABASE_URL: url, AUTH_MASTER_KEY: masterKey },
  });
  const code = await process.exited;
  if (code !== 0) throw new Error(`The migration exited with ${code}:\n${process.output}`);
  return process.output;
}

function templateHash(): string {
  const folder = join(repository, 'packages/server/src/cluster/store/migrations');
  const hash = createHash('sha256').update(new Date().toISOString().slice(0, 7));
  for (const file of readdirSync(folder).sort()) hash.update(file).update(readFileSync(join(folder, file)));
  return hash.digest('hex').slice(0, 12);
}

function urlOf(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}
