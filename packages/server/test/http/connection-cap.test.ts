import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createTrustedProxies } from '../../src/http/client-address.ts';
import { capConnections } from '../../src/http/connection-cap.ts';

let server: Server;
const clients: Socket[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  server.close();
  await once(server, 'close');
});

async function listen(perNetwork: number, trusted: readonly string[] = []): Promise<void> {
  server = createServer((socket) => socket.on('error', () => {}).pipe(socket));
  capConnections(server, { perNetwork, proxies: createTrustedProxies(trusted) });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

/** Whether the server keeps it: it answers whom it keeps, and hangs up on whom it does not. */
async function open(localAddress: string): Promise<boolean> {
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {});
  client.write('x');
  clients.push(client);
  return await new Promise((resolve) => {
    client.once('data', () => resolve(true)).once('close', () => resolve(false));
  });
}

async function openMany(localAddress: string, count: number): Promise<number> {
  let kept = 0;
  for (let index = 0; index < count; index += 1) if (await open(localAddress)) kept += 1;
  return kept;
}

it('keeps as many connections of one network as it may have, and of every other network too', async () => {
  await listen(3);
  expect(await openMany('127.0.1.1', 5)).toBe(3);
  expect(await openMany('127.0.1.2', 5)).toBe(3);
});

it('accepts a new connection after an old one closed, and does not count a refused one', async () => {
  await listen(2);
  expect(await openMany('127.0.1.1', 5)).toBe(2);
  clients[0]?.destroy();
  await expect.poll(() => open('127.0.1.1')).toBe(true);
  expect(await openMany('127.0.1.1', 2)).toBe(0);
});

it('keeps any number of a trusted proxy', async () => {
  await listen(1, ['127.0.1.0/24']);
  expect(await openMany('127.0.1.1', 5)).toBe(5);
  expect(await openMany('127.0.2.1', 5)).toBe(1);
});
