import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { createHttp } from '../src/http.ts';

it('asks any of several addresses first, so that guards spread over them', async () => {
  const asked = [0, 0];
  const servers = asked.map((_, index) =>
    createServer((_request, response) => {
      asked[index] = (asked[index] ?? 0) + 1;
      response.end('{}');
    }).listen(0, '127.0.0.1'),
  );
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const urls = servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  for (let guards = 0; guards < 60; guards += 1) {
    const http = createHttp({ urls, secret: 'x' });
    for (let calls = 0; calls < 2; calls += 1)
      await http.json({ method: 'GET', path: '/', silenceMilliseconds: 5000 });
    expect(http.reconnects).toBe(0);
    http.close();
  }
  for (const server of servers) server.close();
  // By chance fewer than 10 of 60: once in 10 billion runs.
  for (const count of asked) expect(count).toBeGreaterThan(2 * 10);
});

it('opens every line at the next address, and none at one that is away', async () => {
  const servers = [createServer(), createServer()];
  const lines = servers.map((server) => new WebSocketServer({ server }));
  for (const server of servers) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  const http = createHttp({ urls: ports.map((port) => `http://127.0.0.1:${port}`), secret: 'x' });
  const open = async () => Number(new URL((await http.openConnection('/')).url).port);
  const opened = [await open(), await open(), await open()];
  expect(new Set(opened.slice(0, 2))).toEqual(new Set(ports));
  expect(opened[2]).toBe(opened[0]);
  lines[0]?.close();
  servers[0]?.closeAllConnections();
  for (const line of lines[0]?.clients ?? []) line.terminate();
  servers[0]?.close();
  expect([await open(), await open()]).toEqual([ports[1], ports[1]]);
  expect(http.reconnects).toBeGreaterThan(0);
  http.close();
  for (const line of lines[1]?.clients ?? []) line.terminate();
  servers[1]?.close();
});

it('goes on at the next address once where two calls fail at one at the same time', async () => {
  const asked: string[] = [];
  const servers = ['away', 'there'].map((name) =>
    createServer((_request, response) => {
      asked.push(name);
      response.writeHead(name === 'away' ? 503 : 200).end('{}');
    }).listen(0, '127.0.0.1'),
  );
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const urls = servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const random = vi.spyOn(Math, 'random').mockReturnValue(0);
  const http = createHttp({ urls, secret: 'x' });
  random.mockRestore();
  const call = { method: 'GET', path: '/', silenceMilliseconds: 5000 } as const;
  expect(await Promise.all([http.json(call), http.json(call)])).toEqual([{}, {}]);
  expect(http.reconnects).toBe(1);
  expect(asked.toSorted()).toEqual(['away', 'away', 'there', 'there']);
  await http.json(call);
  expect(asked.at(-1)).toBe('there');
  http.close();
  for (const server of servers) server.close();
});

it('sends the secret, and a body as JSON', async () => {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, headers } = request;
      const type = headers['content-type'] ?? null;
      const sent = { method, type, secret: headers.authorization, body: String(Buffer.concat(chunks)) };
      response.end(JSON.stringify(sent));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const http = createHttp({
    urls: [`http://127.0.0.1:${(server.address() as AddressInfo).port}`],
    secret: 'x',
  });
  const call = { path: '/', silenceMilliseconds: 5000 } as const;
  const secret = 'Bearer x';
  expect(await http.json({ ...call, method: 'GET' })).toEqual({
    method: 'GET',
    type: null,
    secret,
    body: '',
  });
  expect(await http.json({ ...call, method: 'POST', body: { ä: 1 } })).toEqual({
    ...{ method: 'POST', type: 'application/json', secret },
    body: '{"ä":1}',
  });
  http.close();
  server.close();
});

it.each([
  [401, '/guard/v1/parts/x', /refuses the secret/],
  [404, '/guard/v1/parts/x', /no longer has this part/],
  [503, '/guard/v1/parts/x', /answers .* with 503/],
  [404, '/guard/v1/manifest', /no decision listener of this version/],
  [403, '/guard/v1/manifest', /with 403/],
])('explains an answer of %s to %s, also to a line', async (status, path, text) => {
  const server = createServer((_request, response) => response.writeHead(status).end()).listen(
    0,
    '127.0.0.1',
  );
  server.on('upgrade', (_request, socket) =>
    socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`),
  );
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const http = createHttp({ urls: [url], secret: 'x' });
  await expect(http.json({ method: 'GET', path, silenceMilliseconds: 5000 })).rejects.toThrow(text);
  await expect(http.openConnection(path)).rejects.toThrow(text);
  http.close();
  server.close();
});

it('sends no request after it is closed', async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const http = createHttp({ urls: [url], secret: 'x' });
  http.close();
  const call = { method: 'GET', path: '/', silenceMilliseconds: 1000 } as const;
  await expect(http.json(call)).rejects.toThrow('The guard is closed.');
  await expect(http.openConnection('/')).rejects.toThrow('The guard is closed.');
  expect(asked).toBe(0);
  server.close();
});

describe('an answer is given up', () => {
  async function ask(answer: RequestListener, bodyMilliseconds: number): Promise<number> {
    const server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const http = createHttp({
      urls: [`http://127.0.0.1:${(server.address() as AddressInfo).port}`],
      secret: 'x',
    });
    try {
      const call = { method: 'GET', path: '/', silenceMilliseconds: 20_000, bodyMilliseconds } as const;
      return (await http.bytes(call)).length;
    } finally {
      http.close();
      server.closeAllConnections();
      server.close();
    }
  }
  const megabyte = Buffer.alloc(1024 * 1024);
  const long =
    (megabytes: number): RequestListener =>
    (_request, response) =>
      pipeline(Readable.from(Array.from({ length: megabytes }, () => megabyte)), response, () => {});

  it('where it is longer than 64 MB', async () => {
    await expect(ask(long(65), 60_000)).rejects.toThrow('An answer is too long.');
    expect(await ask(long(64), 60_000)).toBe(64 * megabyte.length);
  });

  it('where it trickles for longer than a body may take', async () => {
    async function* bytes() {
      for (let sent = 0; sent < 50; sent += 1) {
        yield 'x';
        await sleep(10);
      }
    }
    const trickle: RequestListener = (_request, response) =>
      pipeline(Readable.from(bytes()), response, () => {});
    await expect(ask(trickle, 100)).rejects.toThrow('An answer takes too long.');
    expect(await ask(trickle, 60_000)).toBe(50);
  });
});
