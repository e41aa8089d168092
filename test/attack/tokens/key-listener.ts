// What an attacker's `jku` points to: a server that would hand out a key, and counts who connects.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface KeyListener {
  readonly url: string;
  readonly connections: number;
  close(): void;
}

export async function startKeyListener(): Promise<KeyListener> {
  let connections = 0;
  const server = createServer((_request, response) => response.end('{"keys":[]}')).on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return connections;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
