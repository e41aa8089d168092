// A commit that waits for a synchronous standby, and a cancelled wait: Postgres then answers it as done.
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type PostgresServer,
  startPostgresServer,
  waitUntil,
} from '../../../../../test/rig/postgres-server.ts';
import { openStore, type Store } from '../../../src/cluster/store/store.ts';
import { asAppError } from '../../../src/http/error-reply.ts';

let server: PostgresServer;
let store: Store;
beforeAll(async () => {
  server = await startPostgresServer();
  await server.query('create table kept (number int)');
  await server.query("alter system set synchronous_standby_names = 'nobody'");
  await server.query('select pg_reload_conf()');
  // Without a time limit, so that only the cancelled wait can end it.
  const url = `${server.url()}?options=${encodeURIComponent('-c client_min_messages=error')}`;
  store = openStore({ url, poolSize: 1, statementTimeoutMilliseconds: 0, onConnectionLost: () => {} });
});
afterAll(async () => {
  await store.destroy();
  await server.remove();
});

/** Resolves when the only commit that waits for the standby was told not to; those of autovacuum may wait too. */
const cancelTheWait = () =>
  waitUntil('a wait is cancelled', async () => {
    const rows = await server.query(
      "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep' and backend_type = 'client backend'",
    );
    return rows.length === 1;
  });
const insert = sql`insert into kept values (1)`;

it.each([
  ['a statement', () => insert.execute(store)],
  ['a transaction', () => store.transaction().execute((transaction) => insert.execute(transaction))],
])('%s is not answered as done, and its connection is not used again', async (_, write) => {
  const pid = () => sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(store);
  const before = await pid();
  const told = write().then(
    () => 'done',
    (error: unknown) => asAppError(error).kind,
  );
  await cancelTheWait();
  expect(await told).toBe('unavailable');
  expect((await pid()).rows).not.toEqual(before.rows);
});

it('reports success with the driver alone', async () => {
  const client = new pg.Client({ connectionString: server.url() });
  await client.connect();
  const written = client.query('insert into kept values (1)');
  await cancelTheWait();
  expect((await written).rowCount).toBe(1);
  await client.end();
});
