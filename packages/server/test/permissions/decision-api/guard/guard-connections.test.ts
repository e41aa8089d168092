// The lines of guards over real sockets, with a relay that the test holds.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Relay } from '@portcullis/gate';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import {
  createGuardConnections,
  type GuardConnections,
} from '../../../../src/permissions/decision-api/guard/guard-connections.ts';

let server: Server;
let lines: GuardConnections;
let received: (text: string) => void;
let isAnyLive: boolean;
let misuses: string[];
let relayClosed: PromiseWithResolvers<void>;

beforeEach(async () => {
  [received, isAnyLive, misuses, relayClosed] = [() => {}, false, [], Promise.withResolvers<void>()];
  const relay = {
    connect: () => ({
      receive: (text: string) => received(text),
      closed: () => relayClosed.resolve(),
    }),
    leave() {},
    isAnyLive: () => isAnyLive,
  };
  lines = createGuardConnections({
    relay: relay as unknown as Relay,
    isSecret: (secret) => secret === 'right',
    readBearer: (rawHeaders) => {
      const at = rawHeaders.findIndex((name) => name.toLowerCase() === 'authorization');
      return rawHeaders[at + 1]?.replace('Bearer ', '') ?? '';
    },
    reportMisuse: (text) => void misuses.push(text),
  });
  server = createServer().on('upgrade', lines.upgrade).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  vi.useRealTimers();
  await lines.close();
  server.closeAllConnections();
  server.close();
});

function connect(secret = 'right'): WebSocket {
  const { port } = server.address() as AddressInfo;
  return new WebSocket(`ws://127.0.0.1:${port}/`, { headers: { authorization: `Bearer ${secret}` } });
}

describe('a line', () => {
  it('is refused without the secret', async () => {
    const line = connect('wrong');
    const [error] = (await once(line, 'error')) as [Error];
    expect(error.message).toContain('401');
    expect(misuses).toHaveLength(1);
  });

  it('is refused by an instance that is ending', async () => {
    await lines.close();
    const [error] = (await once(connect(), 'error')) as [Error];
    expect(error.message).toContain('503');
  });

  it('stays open while the guard asks, and is cut off after ten seconds without a question', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const line = connect();
    await once(line, 'open');
    const ended = once(line, 'close');
    for (let asked = 0; asked < 3; asked += 1) {
      vi.advanceTimersByTime(9_000);
      const { promise, resolve } = Promise.withResolvers<string>();
      received = resolve;
      line.send(`question ${asked}`);
      expect(await Promise.race([promise, ended])).toBe(`question ${asked}`);
    }
    vi.advanceTimersByTime(9_999);
    expect(line.readyState).toBe(WebSocket.OPEN);
    vi.advanceTimersByTime(1);
    await ended;
    await relayClosed.promise;
  });

  it('is cut off at the end of the instance, once no guard holds a lease of it', async () => {
    const line = connect();
    await once(line, 'open');
    isAnyLive = true;
    let isOver = false;
    const closing = lines.close().then(() => {
      isOver = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect([isOver, line.readyState]).toEqual([false, WebSocket.OPEN]);
    isAnyLive = false;
    await Promise.all([closing, once(line, 'close')]);
  });
});
