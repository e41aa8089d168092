// A decision listener that answers wrongly, by half or not at all gives no lease: neither at the start nor later.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Guard, GuardOptions } from '@portcullis/client/guard';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Fault, type FaultyListener, startFaultyListener } from './faulty-listener.ts';
import { bearer, orders, outcome, outcomeNow, startWorld, type World } from './world.ts';

const snapshot = '/guard/v1/snapshot';
const report = '/guard/v1/report';

let world: World;
let listener: FaultyListener;
let token: string;
let good: string;

beforeAll(async () => {
  world = await startWorld();
  listener = await startFaultyListener(world.url);
  token = await world.logIn('carl');
  good = await fetchText(snapshot);
});
afterAll(async () => {
  await listener?.close();
  await world?.close();
});
afterEach(() => listener.heal());

const answer =
  (text: string): Fault =>
  (response) =>
    void response.end(text);
const linesOf = (text: string) => text.split('\n').slice(0, -1);
const without = (kind: string) =>
  linesOf(good)
    .filter((line) => (JSON.parse(line) as { kind: string }).kind !== kind)
    .join('\n');

it('is a listener that works, but for its faults', async () => {
  expect(good.length).toBeGreaterThan(500);
  listener.break(snapshot, answer(good));
  const guard = await world.openGuard({ url: listener.url });
  expect(await outcome(guard, orders(token))).toBe('allowed');
  await guard.close();
});

it('takes a question back when its asker leaves before the answer', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const between = await startFaultyListener(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`);
  const asker = connect(Number(new URL(between.url).port), '127.0.0.1');
  asker.write('GET / HTTP/1.1\r\nhost: between\r\n\r\n');
  const [question] = (await once(silent, 'request')) as [IncomingMessage];
  asker.destroy();
  await once(question.socket, 'close');
  await between.close();
  silent.close();
});

describe('a guard does not begin', () => {
  it.each<readonly [string, string, () => Fault, RegExp]>([
    [
      'with a snapshot that is cut off in the middle',
      snapshot,
      () => (response) => void response.write(good.slice(0, good.length / 2), () => response.destroy()),
      /aborted|broke off|not JSON/,
    ],
    [
      'with one that is cut off between two lines',
      snapshot,
      () => (response) =>
        void response.write(`${linesOf(good).slice(0, 2).join('\n')}\n`, () => response.destroy()),
      /aborted|broke off/,
    ],
    ['with one that ends well but lacks its end', snapshot, () => answer(without('end')), /broke off/],
    [
      'with one whose end names no revision',
      snapshot,
      () => answer(`${without('end')}\n{"kind":"end"}\n`),
      /cannot read/,
    ],
    ['with an empty one', snapshot, () => answer(''), /broke off/],
    [
      'with a line that is no piece',
      snapshot,
      () => answer(`{"kind":"rules","rules":[{}]}\n${good}`),
      /cannot read/,
    ],
    [
      'with a line of a kind that it does not know',
      snapshot,
      () => answer(`{"kind":"bans","users":[7]}\n${good}`),
      /cannot read/,
    ],
    ['with a line that is no object', snapshot, () => answer(`null\n${good}`), /cannot read/],
    ['with a page of HTML', '/', () => answer('<html>Sign in</html>'), /not JSON. Check the url/],
    ['with a page of HTML as a snapshot', snapshot, () => answer('<html>\n'), /not JSON/],
    [
      'with a redirect',
      '/',
      () => (response) => void response.writeHead(302, { location: '/' }).end(),
      /with 302/,
    ],
    ['with a fault', report, () => (response) => void response.writeHead(503).end(), /with 503/],
    ['without a snapshot of keys', snapshot, () => answer(`${without('keys')}\n`), /no keys of this mode/],
    ...['{}', 'null', '[]', '7', '""', '{"found":{}}', '{"found":true}', '{"found":{"n":"7","mark":""}}'].map(
      (text) => [`with a report answered by ${text}`, report, () => answer(text), /cannot read/] as const,
    ),
    ['with revisions that are none', '/guard/v1/revisions', () => answer('{"revisions":{}}'), /cannot read/],
    ['with a list of nothing', '/guard/v1/revisions', () => answer('{"revisions":[null]}'), /cannot read/],
  ])('%s', async (_, path, createFault, text) => {
    listener.break(path, createFault());
    await expect(world.openGuard({ url: listener.url, startSeconds: 0 })).rejects.toThrow(text);
  });
});

describe('a guard that has begun', () => {
  let guard: Guard;
  const begin = async (options: Partial<GuardOptions> = {}) => {
    guard = await world.openGuard({ url: listener.url, ...options });
  };
  afterEach(() => guard.close());

  it.each<readonly [string, Fault]>([
    ['rubbish', answer('rubbish')],
    ['an empty object', answer('{}')],
    ['a revision and nothing else', answer('{"found":{"n":0,"mark":""}}')],
    [
      'an answer that trickles in',
      (response) => {
        const timer = setInterval(() => response.write(' '), 100);
        response.once('close', () => clearInterval(timer));
      },
    ],
    ['silence', () => {}],
    ['a cut line', (response) => void response.destroy()],
  ])('loses its lease to reports answered with %s, and has it again afterwards', async (_, fault) => {
    await begin({ leaseSeconds: 2 });
    await expect.poll(() => outcome(guard, orders(token))).toBe('allowed');
    listener.break(report, fault);
    await expect.poll(() => outcomeNow(guard, orders(token))).toBe('unavailable');
    const until = performance.now() + 500;
    while (performance.now() < until) {
      expect(await outcomeNow(guard, orders(token))).toBe('unavailable');
      await sleep(5);
    }
    listener.heal();
    await expect.poll(() => outcome(guard, orders(token))).toBe('allowed');
  });

  it('refuses what was taken away also where it hears no ring', async () => {
    listener.break('/guard/v1/rings', answer(''));
    await begin();
    const own = await world.logIn('carl');
    expect(await outcome(guard, orders(own))).toBe('allowed');
    await world.service.send({ method: 'POST', path: '/api/v1/logout', headers: bearer(own) });
    expect(await outcome(guard, orders(own))).toBe('token_revoked');
  });

  it('loads everything where a change is of a kind that it does not know', async () => {
    await begin();
    const loads = listener.count(snapshot);
    let revisions = '';
    listener.break('/guard/v1/revisions', async (response, url) => {
      revisions = (await fetchText(url)).replaceAll('"token_revoked"', '"token_banned"');
      response.end(revisions);
    });
    const own = await world.logIn('carl');
    expect(await outcome(guard, orders(own))).toBe('allowed');
    await world.service.send({ method: 'POST', path: '/api/v1/logout', headers: bearer(own) });
    expect(await outcome(guard, orders(own))).toBe('token_revoked');
    expect(revisions).toContain('token_banned');
    expect(listener.count(snapshot)).toBeGreaterThan(loads);
  });
});

async function fetchText(path: string): Promise<string> {
  const headers = { authorization: `Bearer ${world.secret}` };
  return await (await fetch(new URL(path, world.url), { headers })).text();
}
