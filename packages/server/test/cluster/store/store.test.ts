import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withProductPools } from '../../../../../test/rig/patient-pool.ts';
import { openStore, prepared, type Store, sendTogether } from '../../../src/cluster/store/store.ts';
import { asAppError } from '../../../src/http/error-reply.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase({ migrated: false });
});
afterAll(() => database.drop());

/** With the limits of the product. */
function open(url: string, onPool: (pool: object) => void = () => {}): Store {
  return withProductPools(() => openStore({ url, poolSize: 2, onConnectionLost: () => {}, onPool }));
}
const pidOf = async (store: Store) => {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(store);
  return rows[0]?.pid;
};

/** What a caller would be told of a failed question. */
const toldOf = (question: Promise<unknown>) =>
  question.then(
    () => 'no failure',
    (error: unknown) => asAppError(error).kind,
  );

describe.concurrent('a store without a database reports unavailable', () => {
  it('when the port refuses the connection', async () => {
    const store = open('postgres://postgres@127.0.0.1:1/x');
    expect(await toldOf(pidOf(store))).toBe('unavailable');
    await store.destroy();
  });

  it('when the server accepts the connection and never answers', async () => {
    const silent = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const told = await toldOf(pidOf(open(`postgres://postgres@127.0.0.1:${port}/x`)));
    silent.close();
    expect(told).toBe('unavailable');
  });

  it('when all connections are taken for too long', async () => {
    let options: { connectionTimeoutMillis: number } | undefined;
    const store = open(database.url, (pool) => {
      ({ options } = pool as never);
    });
    const released = Promise.withResolvers<void>();
    const limit = options?.connectionTimeoutMillis;
    // They are taken however long that takes.
    Object.assign(options ?? {}, { connectionTimeoutMillis: 120_000 });
    const taken = [1, 2].map(() => Promise.withResolvers<void>());
    const holders = taken.map(({ resolve }) =>
      store.connection().execute(() => {
        resolve();
        return released.promise;
      }),
    );
    await Promise.all(taken.map(({ promise }) => promise));
    Object.assign(options ?? {}, { connectionTimeoutMillis: limit });
    const told = await toldOf(pidOf(store));
    released.resolve();
    await Promise.all(holders);
    await store.destroy();
    expect(told).toBe('unavailable');
  });

  it('when a statement takes too long', async () => {
    const store = open(database.url);
    expect(await toldOf(sql`select pg_sleep(30)`.execute(store))).toBe('unavailable');
    await store.destroy();
  });

  it('when the connection breaks while it is used, and the process lives on', async () => {
    const script = fileURLToPath(new URL('./cut-connection.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [script, database.url]);
    expect(JSON.parse(stdout)).toEqual({ ended: 'unavailable', broken: 'unavailable' });
  });
});

describe('a store', () => {
  it('reads 64-bit integers as exact numbers', async () => {
    const { rows } = await sql`select 9007199254740991::bigint as largest, 1::int as small`.execute(
      database.store,
    );
    expect(rows).toEqual([{ largest: 9_007_199_254_740_991, small: 1 }]);
  });

  it('plans a statement once a connection where it is marked so, and no other', async () => {
    const store = openStore({ url: database.url, poolSize: 1, onConnectionLost: () => {} });
    for (const n of [1, 2]) {
      await sql`${prepared}select ${n}::int as marked`.execute(store);
      await sql`select ${n}::int as plain`.execute(store);
    }
    const { rows } = await sql`select statement from pg_prepared_statements where from_sql = false`.execute(
      store,
    );
    expect(rows).toEqual([{ statement: '/* prepared */ select $1::int as marked' }]);
    await store.destroy();
  });

  it('sends statements together that each see what the ones before have committed, and fail alone', async () => {
    const store = openStore({ url: database.url, poolSize: 1, onConnectionLost: () => {} });
    await sql`create table sent (n int primary key)`.execute(store);
    const insert = sql`insert into sent values (${1})`.compile(store);
    const answers = await sendTogether(store, [
      insert,
      insert,
      sql`select count(*)::int as n, pg_backend_pid() as pid, txid_current() as id from sent`.compile(store),
      sql`select txid_current() as id`.compile(store),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    const [, , counted, last] = answers as unknown as { value: { rows: { n: number; id: number }[] } }[];
    expect(counted?.value.rows).toMatchObject([{ n: 1, pid: await pidOf(store) }]);
    expect(last?.value.rows[0]?.id).not.toBe(counted?.value.rows[0]?.id);
    await store.destroy();
  });

  it('replaces a connection that broke while it was idle', async () => {
    const lost: Error[] = [];
    const onConnectionLost = (cause: Error) => void lost.push(cause);
    const store = openStore({ url: database.url, poolSize: 1, onConnectionLost });
    const pid = await pidOf(store);
    await sql`select pg_terminate_backend(${pid})`.execute(database.store);
    await expect.poll(() => lost.length).toBeGreaterThan(0);
    expect(await pidOf(store)).not.toBe(pid);
    await store.destroy();
  });
});
