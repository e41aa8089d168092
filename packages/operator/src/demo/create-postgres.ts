// Starts PGlite (Postgres in WebAssembly) in the current thread, in memory, with a socket server for Postgres clients.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { PGlite, PGliteOptions } from '@electric-sql/pglite';
import { createSessionServer } from './session-server.ts';

export interface SocketPostgres {
  readonly postgres: PGlite;
  readonly url: string;
}

/** `pglite` is the URL of PGlite's module. */
export async function createPostgres(
  pglite: string,
  password: string,
  options: PGliteOptions,
): Promise<SocketPostgres> {
  const { PGlite } = (await import(pglite)) as typeof import('@electric-sql/pglite');
  const postgres = await PGlite.create(options);
  const { rows } = await postgres.query<{ server_version: string }>('show server_version');
  const server = createSessionServer({
    execute: (bytes) => Buffer.from(postgres.execProtocolRawSync(bytes)),
    serverVersion: rows[0]?.server_version ?? '',
    password,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { postgres, url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres` };
}
