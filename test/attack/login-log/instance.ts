// Instances of a service on one database, one after the other: they are stopped, killed and started with other settings.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDatabase, type Database } from '../../rig/create-database.ts';
import { createHttpClient, type HttpClient } from '../../rig/http-client.ts';
import { seed } from '../../rig/seed.ts';
import { spoolFolderOf } from '../../rig/spool-folder.ts';
import { type Server, startServer } from '../../rig/start-server.ts';
import { patience } from '../size.ts';

/** So cheap that a thousand attempts are a matter of seconds. */
export const cheapHashes = { HASH_MEMORY_KIBIBYTES: '64', HASH_PASSES: '1' };

export interface Instance {
  readonly server: Server;
  readonly client: HttpClient;
  stop(): Promise<void>;
  kill(): Promise<void>;
}

export async function createSeededDatabase(): Promise<Database> {
  const database = await createDatabase({ migrated: true });
  await seed(database);
  return database;
}

export async function startInstance(
  database: Database,
  settings: Readonly<Record<string, string>> = {},
): Promise<Instance> {
  const server = await startServer({
    databaseUrl: database.url,
    settings: { APPLICATION_MODE: 'dev', ...patience, ...cheapHashes, ...settings },
  });
  const client = createHttpClient(server.port, { remembers: false });
  return {
    server,
    client,
    async stop() {
      client.close();
      await server.stop();
    },
    async kill() {
      client.close();
      server.process.signal('SIGKILL');
      await server.process.exited;
    },
  };
}

/** Every byte that the spools of a database hold, as text; undefined where there is not even a folder. */
export async function readSpool(database: Database): Promise<string | undefined> {
  const folder = spoolFolderOf(database.url);
  if (!existsSync(folder)) return undefined;
  const names = await readdir(folder, { recursive: true });
  const segments = names.filter((name) => name.endsWith('.log')).sort();
  const texts = await Promise.all(segments.map((name) => readFile(join(folder, name), 'latin1')));
  return texts.join('').replaceAll('\0', '');
}

export async function countRows(database: Database): Promise<{ rows: number; counted: number }> {
  const [count] = await database.query<{ rows: number; counted: number }>(
    `select (select count(*) from login_log)::int as rows,
            (select coalesce(sum(n), 0) from login_log_counts)::int as counted`,
  );
  return count ?? { rows: -1, counted: -1 };
}

/** Ends what Postgres still does on behalf of a process that is dead: it would go on when it gets its lock. */
export async function endOrphans(database: Database): Promise<void> {
  await database.query(
    `select pg_terminate_backend(pid, 30000) from pg_stat_activity
     where datname = current_database() and application_name = 'portcullis'`,
  );
}
