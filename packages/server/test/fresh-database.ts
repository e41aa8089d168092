// A database of its own for a test file, on the real Postgres, dropped at the end.
import type pg from 'pg';
import { createDatabase } from '../../../test/rig/create-database.ts';
import { openStore, type Store } from '../src/store/store.ts';

export interface FreshDatabase {
  readonly url: string;
  readonly store: Store;
  drop(): Promise<void>;
}

/** No test is about how long the store waits, but for those of the store: a machine that stands still fails no other. */
const patienceMilliseconds = 30_000;

/** With all tables, unless `migrated` says no. */
export async function createFreshDatabase({ migrated = true, poolSize = 5 } = {}): Promise<FreshDatabase> {
  const database = await createDatabase({ migrated });
  const store = openStore({
    url: database.url,
    poolSize,
    statementTimeoutMilliseconds: patienceMilliseconds,
    onConnectionLost: () => {},
    onPool: (pool) => {
      (pool as unknown as pg.Pool).options.connectionTimeoutMillis = patienceMilliseconds;
    },
  });
  return {
    url: database.url,
    store,
    async drop() {
      await store.destroy();
      await database.drop();
    },
  };
}
