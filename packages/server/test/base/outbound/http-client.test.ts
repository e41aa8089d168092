import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { anyAddress, createAllowedAddresses } from '../../../src/base/outbound/allowed-addresses.ts';
import { createConnect } from '../../../src/base/outbound/checked-connection.ts';
import type { Address } from '../../../src/base/outbound/host-resolver.ts';
import { createHttpClient, type OutboundRequest } from '../../../src/base/outbound/http-client.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const inner: Address = { address: '127.0.0.1', family: 4 };
const outer: Address = { address: '192.0.77.1', family: 4 };
const loopback = createAllowedAddresses({ allowedNetworks: [], allowLoopback: true });
const strict = createAllowedAddresses({ allowedNetworks: [] });

function open(addresses = loopback, answers: readonly (readonly Address[])[] = [[inner]]) {
  let asked = 0;
  const client = createHttpClient({
    addresses,
    resolve: async () => answers[Math.min(asked++, answers.length - 1)] ?? [],
    wholeMilliseconds: 400,
    mostBytes: 1000,
  });
  closing.push(client.close);
  return {
    send: (url: string, request: OutboundRequest = {}) => client.send(new URL(url), request),
    asked: () => asked,
  };
}

async function countConnections() {
  let connections = 0;
  const port = await listen(
    createTcpServer((socket) => {
      connections += 1;
      socket.on('error', () => {}).destroy();
    }),
  );
  return { port, count: () => connections };
}

describe('a request', () => {
  it.each([
    ['to a refused address', 'https://127.0.0.1', strict],
    ['to a name at a refused address', 'https://hook.example.com', strict],
    ['without TLS to a public address', 'http://192.0.77.1', strict],
  ])('%s opens no connection', async (_what, origin, addresses) => {
    const { port, count } = await countConnections();
    await expect(open(addresses).send(`${origin}:${port}/`)).rejects.toMatchObject({
      fault: 'address_refused',
    });
    expect(count()).toBe(0);
  });

  it('goes to the address that was checked, and the name is not resolved again', async () => {
    const { port, count } = await countConnections();
    const rebinding = open(strict, [[outer], [inner]]);
    await expect(rebinding.send(`https://hook.example.com:${port}/`)).rejects.toThrow();
    expect([rebinding.asked(), count()]).toEqual([1, 0]);
  });

  it('is not sent over a socket to another address than the checked one', async () => {
    const received: Buffer[] = [];
    const port = await listen(
      createTcpServer((socket) => void socket.on('data', (data) => received.push(data))),
    );
    const blind = { ...strict, findRefused: () => undefined };
    await expect(open(blind).send(`https://hook.example.com:${port}/`)).rejects.toMatchObject({
      fault: 'address_refused',
    });
    expect(received).toEqual([]);
  });

  it('without TLS reaches loopback only, at any name and in any allowed network', async () => {
    const { port } = await countConnections();
    const named = createAllowedAddresses({ allowedNetworks: ['127.0.0.1'] });
    await expect(open(named).send(`http://hook.example.com:${port}/`)).rejects.toMatchObject({
      fault: 'address_refused',
    });
  });
});

describe('an answer', () => {
  async function answered(answer: RequestListener, request: OutboundRequest = {}) {
    const port = await listen(createServer(answer));
    return await open().send(`http://hook.example.com:${port}/`, request);
  }

  it('that redirects is a fault, and its target is not asked', async () => {
    const asked: unknown[] = [];
    const redirect: RequestListener = ({ url }, response) => {
      asked.push(url);
      response.writeHead(url === '/' ? 302 : 200, { location: '/elsewhere' }).end();
    };
    await expect(answered(redirect)).rejects.toMatchObject({ fault: 'redirect' });
    expect(asked).toEqual(['/']);
  });

  it('is read up to the limit of bytes', async () => {
    const long =
      (bytes: number): RequestListener =>
      (_request, response) =>
        void response.end('a'.repeat(bytes));
    expect((await answered(long(1000))).body).toHaveLength(1000);
    await expect(answered(long(1001))).rejects.toMatchObject({ fault: 'too_large' });
    expect((await answered(long(1001), { isStatusEnough: true })).status).toBe(200);
  });

  it('that does not come, or does not end, is given up in time', async () => {
    await expect(answered(() => {})).rejects.toMatchObject({ fault: 'timeout' });
    const endless: RequestListener = (_request, response) => void response.writeHead(200).write('a');
    await expect(answered(endless)).rejects.toMatchObject({ fault: 'timeout' });
    expect((await answered(endless, { isStatusEnough: true })).status).toBe(200);
  });
});

it('a connection of another protocol is checked in the same way', async () => {
  const { port, count } = await countConnections();
  const connectTo = (addresses = strict, host = 'directory.example.com') =>
    createConnect({ addresses, resolve: async () => [inner] })({ host, port });
  const [error] = await once(connectTo(), 'error');
  expect(error).toMatchObject({ fault: 'address_refused' });
  expect(() => connectTo(strict, '127.0.0.1')).toThrow('not allowed');
  expect(count()).toBe(0);
  await once(connectTo(anyAddress), 'connect');
});
