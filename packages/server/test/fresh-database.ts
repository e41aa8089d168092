// A separate database for a test file, on the real Postgres, dropped at the end.
import { createDatabase } from '../../../test/rig/create-database.ts';
import { openStore, type Store } from '../src/cluster/store/store.ts';

export interface FreshDatabase {
  readonly url: string;
  readonly store: Store;
  drop(): Promise<void>;
}

/** With all tables, unless `migrated` says no. */
export async function createFreshDatabase({ migrated = true, poolSize = 5 } = {}): Promise<FreshDatabase> {
  const database = await createDatabase({ migrated });
  const store = openStore({ url: database.url, poolSize, onConnectionLost: () => {} });
  return {
    url: database.url,
    store,
    async drop() {
      await store.destroy();
      await database.drop();
    },
  };
}
