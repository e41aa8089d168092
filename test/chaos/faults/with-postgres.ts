// A Postgres of the scenario's own behind a separate line: both may be broken without harm to other scenarios.
import { type PostgresServer, startPostgresServer } from '../../rig/postgres-server.ts';
import { startTcpProxy, type TcpProxy } from '../../rig/tcp-proxy.ts';

export async function withPostgres<T>(
  settings: Readonly<Record<string, string>>,
  work: (postgres: PostgresServer, proxy: TcpProxy) => Promise<T>,
): Promise<T> {
  const postgres = await startPostgresServer({ settings });
  const proxy = await startTcpProxy({ port: postgres.port });
  try {
    return await work(postgres, proxy);
  } finally {
    await proxy.close();
    await postgres.remove();
  }
}
