// Threats, T84: clients that send their requests so slowly that they would keep every socket.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { eventually } from '../conformance/eventually.ts';
import { present } from '../rig/carriers.ts';
import { createHttpClient } from '../rig/http-client.ts';
import { isJudged, judgesTimes } from '../rig/judges-times.ts';
import { useService } from '../rig/use-service.ts';
import type { SlowKind, SlowReport, SlowSocketOptions } from './carriers/slow-sockets.ts';
import { size } from './size.ts';

const addresses = Array.from({ length: 10 }, (_, index) => `127.0.1.${index + 1}`);
const perAddress = size({ small: 50, full: 500 });
const cap = size({ small: 60, full: 512 });
const p99Milliseconds = 50;
/** What the server allows, with the second in which it looks, and some for the machine; left alone they would stay. */
const machineMilliseconds = 1000;
/** Fewer than the limit of one network: a stalled service does not get new connections without end. */
const mostOutstanding = 20;
const keptMillisecondsOf: Record<SlowKind, number> = { idle: 6000, headers: 6000, body: 11_000 };
const bytesPerSocket = 30_000;

const service = useService({ mode: 'prod', settings: { LIMIT_CONNECTIONS_PER_NETWORK: String(cap) } });

function residentBytes(): number {
  const status = readFileSync(`/proc/${service().server.process.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
}

function percentile99(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? Infinity;
}

/** Asks on, at a steady pace, until `done`; how long each answer took. */
async function measureUntil(done: Promise<unknown>): Promise<number[]> {
  const client = createHttpClient(service().server.port, { remembers: false, resends: true });
  const request = present(await service().tokenOf('carl'), 'header', { path: '/api/v1/orders' });
  const waiting: Promise<number>[] = [];
  let outstanding = 0;
  async function ask(): Promise<number> {
    const startedAt = performance.now();
    outstanding += 1;
    const { body } = await client.send(request);
    outstanding -= 1;
    expect(body.code).toBe(200);
    return performance.now() - startedAt;
  }
  const asking = setInterval(() => {
    if (outstanding < mostOutstanding) waiting.push(ask());
  }, 10);
  await done;
  clearInterval(asking);
  const times = await Promise.all(waiting);
  client.close();
  return times;
}

it('T84: thousands of slow sockets are closed at the timeout, and delay no other client', async () => {
  await service().tokenOf('carl');
  const control = percentile99(await measureUntil(setTimeout(judgesTimes ? 3000 : 300)));
  const before = residentBytes();
  const workerData: SlowSocketOptions = { port: service().server.port, addresses, perAddress };
  const worker = new Worker(new URL('./carriers/slow-sockets.ts', import.meta.url), { workerData });
  const [opened] = await once(worker, 'message');
  expect(opened).toBe('open');
  const finished = once(worker, 'message');
  let most = 0;
  const watching = setInterval(() => {
    most = Math.max(most, residentBytes());
  }, 200);
  const times = await measureUntil(finished);
  clearInterval(watching);
  const [reports] = (await finished) as [SlowReport[]];
  expect(reports).toHaveLength(addresses.length * perAddress);
  const longest = (kind: SlowKind) =>
    Math.max(...reports.filter((report) => report.kind === kind).map((report) => report.keptMilliseconds));
  const kinds = Object.keys(keptMillisecondsOf) as SlowKind[];
  console.log(
    `kept for ${kinds.map((kind) => `${longest(kind).toFixed(0)} ms (${kind})`).join(', ')} at most; meanwhile ${times.length} answers, p99 ${percentile99(times).toFixed(0)} ms, before ${control.toFixed(0)} ms`,
  );
  // They were kept as long as the limits say: it was not the cap that closed them.
  expect(Math.min(...reports.map(({ keptMilliseconds }) => keptMilliseconds))).toBeGreaterThan(4000);
  expect(times.length).toBeGreaterThan(0);
  if (isJudged('how long slow sockets are kept, and how long others wait')) {
    for (const kind of kinds)
      expect(longest(kind), kind).toBeLessThan(keptMillisecondsOf[kind] + machineMilliseconds);
    expect(times.length).toBeGreaterThan(500);
    expect(percentile99(times)).toBeLessThan(Math.max(p99Milliseconds, 3 * control));
  }
  expect(most - before).toBeLessThan(50_000_000 + reports.length * bytesPerSocket);
});

/** Whether the server keeps a connection from there: it answers, or it hangs up at once. */
async function isKept(localAddress: string): Promise<boolean> {
  const socket = connect({ port: service().server.port, host: '127.0.0.1', localAddress });
  opened.push(socket);
  socket.on('error', () => {}).write('GET /api/v1/greeting HTTP/1.1\r\nHost: x\r\n\r\n');
  return await new Promise((resolve) =>
    socket.on('data', () => resolve(true)).on('close', () => resolve(false)),
  );
}
const opened: ReturnType<typeof connect>[] = [];

it('T84: one network keeps no more connections than its limit, and the next network has a separate limit', async () => {
  const startedAt = performance.now();
  const kept = await Promise.all(Array.from({ length: cap + 20 }, () => isKept('127.0.2.1')));
  // After five idle seconds a connection is closed, and makes room for another.
  if (performance.now() - startedAt < 5000) expect(kept.filter(Boolean)).toHaveLength(cap);
  expect(kept.filter(Boolean).length).toBeGreaterThanOrEqual(cap);
  expect(await isKept('127.0.2.2')).toBe(true);
  for (const socket of opened) socket.destroy();
  await eventually(() => isKept('127.0.2.1')).toBe(true);
  for (const socket of opened) socket.destroy();
});

it('T84: a flood of headers is refused, and the service stays up', async () => {
  const many = Array.from({ length: 3000 }, (_, index) => `X-${index}: y\r\n`).join('');
  for (const headers of [many, `X: ${'y'.repeat(1_000_000)}\r\n`, `${'X'.repeat(100_000)}: y\r\n`]) {
    const { status } = await service().raw(`GET /api/v1/greeting HTTP/1.1\r\nHost: x\r\n${headers}\r\n`);
    expect(status).toBe(400);
  }
  expect((await service().send({ path: '/api/v1/greeting' })).body.code).toBe(200);
});
