import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
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
