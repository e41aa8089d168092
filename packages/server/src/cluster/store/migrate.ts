// Database migrations: runs the plain SQL files beside this file, each once and in its own transaction.
import { readdir, readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { Store } from './store.ts';

const folder = new URL('./migrations/', import.meta.url);
const partitionMonthsAhead = 12;
const usersInBatch = 2000;

/** Returns the names of the migrations that it ran. Concurrent calls are safe: the migrator takes a lock. */
export async function migrate(store: Store, onApply?: (name: string) => void): Promise<string[]> {
  const { error, results = [] } = await createMigrator(store, onApply).migrateToLatest();
  if (error !== undefined) throw error;
  await makePartitions(store);
  await fillUserWords(store);
  return results.map((result) => result.migrationName);
}

/** Creates the monthly partitions of the login log ahead of time. */
export async function makePartitions(store: Store): Promise<void> {
  await sql`select make_login_log_partitions(${partitionMonthsAhead})`.execute(store);
}

/** Fills the search words of users who were created before the words existed, in batches that commit one by one. */
export async function fillUserWords(store: Store): Promise<void> {
  for (let isLeft = true; isLeft; ) {
    const { rows } = await sql<{ left: boolean }>`select fill_user_words(${usersInBatch}) as left`.execute(
      store,
    );
    isLeft = rows[0]?.left === true;
  }
}

export async function listPendingMigrations(store: Store): Promise<string[]> {
  const migrations = await createMigrator(store).getMigrations();
  return migrations
    .filter((migration) => migration.executedAt === undefined)
    .map((migration) => migration.name);
}

/** All migrations of this program. */
export async function listKnownMigrations(): Promise<string[]> {
  return Object.keys(await getMigrations(() => {}));
}

function createMigrator(store: Store, onApply: (name: string) => void = () => {}): Migrator {
  return new Migrator({ db: store, provider: { getMigrations: () => getMigrations(onApply) } });
}

async function getMigrations(onApply: (name: string) => void): Promise<Record<string, Migration>> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  const entries = files.map(async (file): Promise<[string, Migration]> => {
    const text = await readFile(new URL(file, folder), 'utf8');
    const name = file.replace('.sql', '');
    const up: Migration['up'] = async (db) => {
      onApply(name);
      await sql.raw(text).execute(db);
    };
    return [name, { up }];
  });
  return Object.fromEntries(await Promise.all(entries));
}
