// Postgres behind PgBouncer, in its three modes.
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { withProductPools } from '../../../../../test/rig/patient-pool.ts';
import { type PgBouncer, startPgBouncer } from '../../../../../test/rig/pgbouncer.ts';
import { lintSessions } from '../../../src/cluster/store/lint-sessions.ts';
import { openStore, type Store } from '../../../src/cluster/store/store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';

let database: FreshDatabase;
let bouncer: PgBouncer | undefined;
let store: Store | undefined;
beforeAll(async () => {
  database = await createFreshDatabase({ migrated: false });
});
afterEach(async () => {
  await store?.destroy();
  await bouncer?.stop();
  store = undefined;
  bouncer = undefined;
});
afterAll(() => database.drop());

function open(url: string): Store {
  store = openStore({ url, poolSize: 2, onConnectionLost: () => {} });
  return store;
}
async function problemsBehind(
  mode: Parameters<typeof startPgBouncer>[1],
  notifications: number,
): Promise<string[]> {
  bouncer = await startPgBouncer(database.url, mode);
  const { url } = bouncer;
  return await lintSessions({ url, store: open(url), notifications });
}

describe('a pooler that shares sessions is refused', () => {
  it.each(['transaction', 'statement'] as const)('in %s mode', async (mode) => {
    expect(await problemsBehind(mode, 2)).toEqual([
      expect.stringMatching(/^`database\.url` connects to a pooler .* Set `pool_mode = session`/),
    ]);
  });

  it('in session mode nothing is, nor without one', async () => {
    // The first is heard, however long that takes.
    expect(await problemsBehind('session', 100)).toEqual([]);
    expect(await lintSessions({ url: database.url, store: database.store, notifications: 100 })).toEqual([]);
  });
});

describe('a connection', () => {
  const parameters = { statement_timeout: 2000, idle_in_transaction_session_timeout: 5000 };

  it('has its timeouts before it is used, also behind PgBouncer, which takes none with the startup', async () => {
    bouncer = await startPgBouncer(database.url, 'session');
    const asDriver = new pg.Client({ connectionString: bouncer.url, ...parameters });
    asDriver.on('error', () => {});
    await expect(asDriver.connect()).rejects.toThrow('unsupported startup parameter');
    const { rows } = await sql`
      select current_setting('statement_timeout') as statement,
        current_setting('idle_in_transaction_session_timeout') as idle
    `.execute(withProductPools(() => open(bouncer?.url ?? '')));
    expect(rows).toEqual([{ statement: '2s', idle: '5s' }]);
  });

  it('has the timeout that the URL says', async () => {
    const { rows } = await sql`select current_setting('statement_timeout') as statement`.execute(
      withProductPools(() => open(`${database.url}?statement_timeout=7000`)),
    );
    expect(rows).toEqual([{ statement: '7s' }]);
  });

  it('that does not take its first words is never used', async () => {
    const deaf = openStore({
      url: database.url,
      poolSize: 1,
      onConnectionLost: () => {},
      listen: { channel: 'no channel', onNotification: () => {} },
    });
    await expect(sql`select 1`.execute(deaf)).rejects.toThrow('syntax error');
    await deaf.destroy();
  });
});
