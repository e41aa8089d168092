// A Postgres whose history can be set back under those who use it, in the two ways in which that happens: a failover to
// an asynchronous standby, and a backup that is restored.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { binary, type PostgresServer, startPostgresServer, waitUntil } from '../../rig/postgres-server.ts';
import { startTcpProxy, type TcpProxy } from '../../rig/tcp-proxy.ts';

export type LossKind = 'asynchronous failover' | 'restore';

export interface ForgetfulPostgres {
  /** By way of a line that always leads to the primary. */
  url(database?: string): string;
  query: PostgresServer['query'];
  /** What takes time and needs no database yet; once before each mark. */
  prepare(kind: LossKind): Promise<void>;
  /** Remembers the database as it is now; the result takes it back to that, as its users see it. */
  mark(kind: LossKind, database: string): Promise<() => Promise<void>>;
  remove(): Promise<void>;
}

const run = promisify(execFile);

export async function startForgetfulPostgres(folder: string): Promise<ForgetfulPostgres> {
  let primary = await startPostgresServer();
  let standby: PostgresServer | undefined;
  const proxy = await startTcpProxy({ port: primary.port });

  async function prepareFailover(): Promise<void> {
    standby = await startPostgresServer({ standbyOf: primary });
  }

  async function markFailover(): Promise<() => Promise<void>> {
    if (standby === undefined) throw new Error('There is no standby: prepare it first.');
    const [row] = await primary.query<{ end: string }>('select pg_current_wal_flush_lsn()::text as end');
    await waitUntil('the standby has everything', async () => {
      const rows = await primary.query(
        `select from pg_stat_replication where state = 'streaming' and flush_lsn >= '${row?.end}'`,
      );
      return rows.length > 0;
    });
    // From here on it lags for ever.
    await standby.stopFast();
    const [old, next] = [primary, standby];
    return async () => {
      await old.kill();
      await next.start();
      await next.promote();
      [primary, standby] = [next, undefined];
      proxy.setTarget(next.port);
      proxy.destroyConnections();
      await old.remove();
    };
  }

  async function markDump(database: string): Promise<() => Promise<void>> {
    const file = join(folder, `${database}.dump`);
    await run(binary('pg_dump'), ['--format=custom', `--file=${file}`, primary.url(database)]);
    return async () => {
      const restored = `${database}_restored`;
      await primary.query(`create database ${restored} template template0`);
      await run(binary('pg_restore'), [`--dbname=${primary.url(restored)}`, file]);
      await swapDatabases(primary, database, restored);
    };
  }

  return {
    url: (database) => proxy.urlThrough(primary.url(database)),
    query: (...asked) => primary.query(...asked),
    prepare: (kind) => (kind === 'restore' ? Promise.resolve() : prepareFailover()),
    mark: (kind, database) => (kind === 'restore' ? markDump(database) : markFailover()),
    async remove() {
      await closeAll(proxy, primary, standby);
    },
  };
}

/** Whoever has the name's connections loses them, and finds the other database there. */
async function swapDatabases(server: PostgresServer, name: string, other: string): Promise<void> {
  await server.query(`alter database ${name} with allow_connections false`);
  await waitUntil('the database is not in use', async () => {
    const left = await server.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    );
    return left.length === 0;
  });
  await server.query(`alter database ${name} rename to ${name}_lost`);
  await server.query(`alter database ${other} rename to ${name}`);
  await server.query(`drop database ${name}_lost`);
}

async function closeAll(proxy: TcpProxy, ...servers: (PostgresServer | undefined)[]): Promise<void> {
  await proxy.close();
  for (const server of servers) await server?.remove();
}
