// A primary with a synchronous standby behind one port that always leads to the primary, and the fail-over between
// them. It must never lose a commit that the primary acknowledged: so it fails over only to a standby in step.
import { type PostgresServer, startPostgresServer, waitUntil } from './postgres-server.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

export interface PostgresPair {
  /** By way of the proxy. */
  url(database?: string): string;
  /** Between the clients and the primary; the two servers talk past it. */
  readonly proxy: TcpProxy;
  readonly primary: PostgresServer;
  /** Undefined from a fail-over until it is rebuilt. */
  readonly standby: PostgresServer | undefined;
  /**
   * Kills the primary, promotes the standby, points the proxy at it and resets its connections. Resolves when the
   * promoted server accepts writes; it has no standby then.
   */
  failOver(): Promise<void>;
  /** Gives the primary a new standby; resolves when every commit from here on waits for it. */
  rebuildStandby(): Promise<void>;
  remove(): Promise<void>;
}

export interface PostgresPairOptions {
  /** Of both servers. */
  readonly settings?: Readonly<Record<string, string>>;
}

export async function startPostgresPair({ settings = {} }: PostgresPairOptions = {}): Promise<PostgresPair> {
  let primary = await startPostgresServer({ settings });
  let standby: PostgresServer | undefined;
  let retired: PostgresServer | undefined;
  const proxy = await startTcpProxy({ port: primary.port });

  async function rebuildStandby(): Promise<void> {
    if (standby !== undefined) throw new Error('The primary has a standby already.');
    const port = retired?.port;
    await retired?.remove();
    retired = undefined;
    const fresh = await startPostgresServer({ standbyOf: primary, ...(port === undefined ? {} : { port }) });
    try {
      await waitForReplication(primary, `state = 'streaming'`);
      await makeSynchronous(primary);
    } catch (error) {
      await fresh.remove();
      throw error;
    }
    standby = fresh;
  }
  async function remove(): Promise<void> {
    await proxy.close();
    for (const server of [primary, standby, retired]) await server?.remove();
  }

  try {
    await rebuildStandby();
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    url: (database) => proxy.urlThrough(primary.url(database)),
    proxy,
    get primary() {
      return primary;
    },
    get standby() {
      return standby;
    },
    async failOver() {
      if (standby === undefined) throw new Error('There is no standby to fail over to: rebuild it first.');
      await primary.kill();
      await standby.promote();
      [retired, primary, standby] = [primary, standby, undefined];
      proxy.setTarget(primary.port);
      proxy.destroyConnections();
    },
    rebuildStandby,
    remove,
  };
}

/** From its end on, no commit is acknowledged that the standby has not flushed, nor was one before that it lacks. */
async function makeSynchronous(primary: PostgresServer): Promise<void> {
  await primary.query(`alter system set synchronous_standby_names = '*'`);
  await primary.query('select pg_reload_conf()');
  await waitForReplication(primary, `sync_state = 'sync'`);
  // Commits wait once the checkpointer has read the setting, which it does before the next checkpoint at the latest;
  // `sync_state` shows only that the sender has.
  await primary.query('checkpoint');
  const [row] = await primary.query<{ end: string }>('select pg_current_wal_flush_lsn()::text as end');
  await waitForReplication(primary, `sync_state = 'sync' and flush_lsn >= '${row?.end}'`);
}

async function waitForReplication(primary: PostgresServer, condition: string): Promise<void> {
  await waitUntil(`the standby has ${condition}`, async () => {
    const rows = await primary.query(`select from pg_stat_replication where ${condition}`);
    return rows.length > 0;
  });
}
