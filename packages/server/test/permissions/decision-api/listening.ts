// A server of Node on a free port of its own, and where it is.
import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

export async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
