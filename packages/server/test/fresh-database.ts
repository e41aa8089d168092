// A database of its own for a test file, on the real Postgres, dropped at the end.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrate } from '../src/store/migrate.ts';
import { openStore, type Store } from '../src/store/store.ts';

const serverUrl = 'postgres://postgres@127.0.0.1:5432/postgres';

export interface FreshDatabase {
  readonly url: string;
  readonly store: Store;
  drop(): Promise<void>;
}

/** With all tables, unless `migrated` says no. */
export async function createFreshDatabase({ migrated = true, poolSize = 5 } = {}): Promise<FreshDatabase> {
  const name = `portcullis_test_${randomBytes(6).toString('hex')}`;
  await onServer(`create database ${name}`);
  const url = serverUrl.replace(/postgres$/, name);
  const onConnectionLost = () => {};
  const store = openStore({ url, poolSize, onConnectionLost });
  if (migrated) {
    const patient = openStore({ url, poolSize: 2, statementTimeoutMilliseconds: 0, onConnectionLost });
    await migrate(patient);
    await patient.destroy();
  }
  return {
    url,
    store,
    async drop() {
      await store.destroy();
      await onServer(`drop database ${name} with (force)`);
    },
  };
}

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
