// A decision listener that answers wrongly, by half or not at all gives no lease: neither at the start nor later.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Guard, GuardOptions } from '@portcullis/guard';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  cut,
  type Fault,
  type FaultyListener,
  type LineFault,
  startFaultyListener,
} from './faulty-listener.ts';
import { bearer, orders, outcome, outcomeNow, startWorld, type World } from './world.ts';

const snapshot = '/guard/v1/snapshot';

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
    ['with a fault', snapshot, () => (response) => void response.writeHead(503).end(), /with 503/],
    ['without a snapshot of keys', snapshot, () => answer(`${without('keys')}\n`), /no keys of this mode/],
  ])('%s', async (_, path, createFault, text) => {
    listener.break(path, createFault());
    await expect(world.openGuard({ url: listener.url, startSeconds: 0 })).rejects.toThrow(text);
  });

  it.each([
    '{}',
    'null',
    '[]',
    '7',
    '""',
    '{"kind":"granted"}',
    '{"kind":"granted","seq":1,"milliseconds":3000}',
    '{"kind":"granted","seq":1,"milliseconds":60000,"at":1}',
    '{"kind":"granted","seq":1,"milliseconds":"3000","at":1}',
    '{"kind":"refused","seq":1,"why":"weather"}',
    '{"kind":"revisions","after":{"n":1,"mark":"m"},"revisions":{}}',
    '{"kind":"revisions","after":{"n":1,"mark":"m"},"revisions":[null]}',
    '{"kind":"revisions","revisions":[]}',
  ])('with a line that says %s', async (text) => {
    listener.breakLines(() => text);
    await expect(world.openGuard({ url: listener.url, startSeconds: 0 })).rejects.toThrow(/cannot read/);
  });

  it('with a line that is cut, or that stays silent', async () => {
    listener.breakLines(() => cut);
    await expect(world.openGuard({ url: listener.url, startSeconds: 0 })).rejects.toThrow(/ended the line/);
    listener.breakLines(() => undefined);
    await expect(world.openGuard({ url: listener.url, startSeconds: 0 })).rejects.toThrow(/does not answer/);
  });
});

describe('a guard that has begun', () => {
  let guard: Guard;
  const begin = async (options: Partial<GuardOptions> = {}) => {
    guard = await world.openGuard({ url: listener.url, ...options });
  };
  afterEach(() => guard.close());

  it.each<readonly [string, LineFault]>([
    ['rubbish', () => 'rubbish'],
    ['an empty object', () => '{}'],
    ['a lease without an end', (text) => text.replace(/"milliseconds":[\d.]+/, '"milliseconds":null')],
    ['a lease for another question', (text) => text.replace(/"seq":\d+/, '"seq":0')],
    ['a clock that is 3 s off', (text) => text.replace(/"at":\d+/, `"at":${Date.now() - 3000}`)],
    ['silence', () => undefined],
    ['a cut line', () => cut],
  ])('loses its lease to questions answered with %s, and has it again afterwards', async (_, fault) => {
    await begin({ leaseSeconds: 2 });
    await expect.poll(() => outcome(guard, orders(token))).toBe('allowed');
    listener.breakLines(fault);
    await expect.poll(() => outcomeNow(guard, orders(token))).toBe('unavailable');
    const until = performance.now() + 500;
    while (performance.now() < until) {
      expect(await outcomeNow(guard, orders(token))).toBe('unavailable');
      await sleep(5);
    }
    listener.heal();
    await expect.poll(() => outcome(guard, orders(token))).toBe('allowed');
  });

  it('refuses what was taken away also where its line is cut in that moment', async () => {
    await begin();
    let cuts = 0;
    listener.breakLines((text) => {
      if (!text.includes('"revisions"') || cuts > 0) return text;
      cuts += 1;
      return cut;
    });
    const own = await world.logIn('carl');
    expect(await outcome(guard, orders(own))).toBe('allowed');
    await world.service.send({ method: 'POST', path: '/api/v1/logout', headers: bearer(own) });
    expect(await outcome(guard, orders(own))).toBe('token_revoked');
    expect(cuts).toBe(1);
  });

  it('loads everything where a change is of a kind that it does not know', async () => {
    await begin();
    const loads = listener.count(snapshot);
    let revisions = '';
    listener.breakLines((text) => {
      if (!text.includes('"token_revoked"')) return text;
      revisions = text.replaceAll('"token_revoked"', '"token_banned"');
      return revisions;
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
