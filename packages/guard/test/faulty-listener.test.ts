// A decision listener that answers wrongly, by half or not at all gives no lease: neither at the start nor later.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Manifest, Revision } from '@portcullis/gate';
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

const manifest = '/guard/v1/manifest';
const parts = '/guard/v1/parts/';

let world: World;
let listener: FaultyListener;
let token: string;
/** What the listener gives away, a line a piece. */
let good: string[];
let revision: Revision;

beforeAll(async () => {
  world = await startWorld();
  listener = await startFaultyListener(world.url);
  token = await world.logIn('carl');
  await load();
});
afterAll(async () => {
  await listener?.close();
  await world?.close();
});
afterEach(() => listener.heal());

const answer =
  (body: string | Buffer): Fault =>
  (response) =>
    void response.end(body);
const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
/** Gives these lines away in place of the real ones, a part a line. */
function give(lines: readonly string[]): [string, Fault][] {
  const given = new Map(
    lines.map((line) => gzipSync(line)).map((part): [string, Buffer] => [hashOf(part), part]),
  );
  return [
    [manifest, answer(JSON.stringify({ ...revision, parts: [...given.keys()] }))],
    [parts, (response, url) => void response.end(given.get(url.slice(parts.length)))],
  ];
}
const without = (kind: string) => good.filter((line) => (JSON.parse(line) as { kind: string }).kind !== kind);

it('is a listener that works, but for its faults', async () => {
  expect(good.length).toBeGreaterThan(3);
  for (const [path, fault] of give(good)) listener.break(path, fault);
  const guard = await world.openGuard({ url: listener.url });
  expect(await outcome(guard, orders(token))).toBe('allowed');
  await guard.close();
});

it('goes on with a load that is cut off, and fetches no part twice', async () => {
  let asked = 0;
  for (const [path, fault] of give(good))
    listener.break(path, (response, url) => {
      if (path === parts) asked += 1;
      if (path === parts && asked % 2 === 0) response.destroy();
      else fault(response, url);
    });
  const before = listener.count(parts);
  const guard = await world.openGuard({ url: listener.url, startSeconds: 0 });
  expect(await outcome(guard, orders(token))).toBe('allowed');
  expect(listener.count(parts) - before).toBe(2 * good.length - 1);
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

it('leaves an unreadable rule out, and reports it', async () => {
  const rule = { roleKey: 'clerk', method: 'GET', path: 'no-path' };
  for (const [path, fault] of give([...good, JSON.stringify({ kind: 'rules', rules: [rule] })]))
    listener.break(path, fault);
  const failures: string[] = [];
  const guard = await world.openGuard({
    url: listener.url,
    onFailure: (cause) => void failures.push(String(cause)),
  });
  expect(await outcome(guard, orders(token))).toBe('allowed');
  expect(failures).toContainEqual(expect.stringMatching(/rule clerk GET no-path is not in force/));
  await guard.close();
});

describe('a guard does not begin', () => {
  it.each<readonly [string, () => [string, Fault][], RegExp]>([
    [
      'with a part that is cut off in the middle',
      () => [
        [
          parts,
          (response) =>
            void response.writeHead(200, { 'content-length': 99 }).write('x', () => response.destroy()),
        ],
      ],
      /aborted/,
    ],
    ['with a part that is empty', () => [[parts, answer('')]], /not the one that was asked for/],
    ['with another part', () => [[parts, answer(gzipSync(good[0] ?? ''))]], /not the one that was asked for/],
    [
      'with a part that no instance has',
      () => [[parts, (response) => void response.writeHead(404).end()]],
      /no longer has this part/,
    ],
    [
      'with a part that is not compressed',
      () => {
        const plain = Buffer.from(good.join('\n'));
        return [
          [manifest, answer(JSON.stringify({ ...revision, parts: [hashOf(plain)] }))],
          [parts, answer(plain)],
        ];
      },
      /incorrect header/,
    ],
    ['with a manifest without a revision', () => [[manifest, answer('{"parts":[]}')]], /cannot read/],
    ['with a manifest without parts', () => [[manifest, answer(JSON.stringify(revision))]], /cannot read/],
    ['with an empty manifest', () => [[manifest, answer('')]], /not JSON/],
    [
      'with a manifest that names no hash',
      () => [[manifest, answer(JSON.stringify({ ...revision, parts: ['../snapshot'] }))]],
      /cannot read/,
    ],
    ['with a line that is no piece', () => give(['{"kind":"rules","rules":[{}]}', ...good]), /cannot read/],
    [
      'with a line of a kind that it does not know',
      () => give(['{"kind":"bans","users":[7]}', ...good]),
      /cannot read/,
    ],
    ['with a line that is no object', () => give(['null', ...good]), /cannot read/],
    [
      'with ended tokens that are cut off',
      () => give(['{"kind":"ended_tokens","hour":999999,"fingerprints":"AAAA"}', ...good]),
      /cut off/,
    ],
    ['with a page of HTML', () => [['/', answer('<html>Sign in</html>')]], /not JSON. Check the url/],
    ['with a page of HTML as a part', () => give(['<html>']), /not JSON/],
    [
      'with a redirect',
      () => [['/', (response) => void response.writeHead(302, { location: '/' }).end()]],
      /with 302/,
    ],
    ['with a fault', () => [[manifest, (response) => void response.writeHead(503).end()]], /with 503/],
    ['without a piece of keys', () => give(without('keys')), /no keys of this mode/],
  ])('%s', async (_, createFaults, text) => {
    for (const [path, fault] of createFaults()) listener.break(path, fault);
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
    await expect(world.openGuard({ url: listener.url, startSeconds: 0 })).rejects.toThrow(
      /closed the connection/,
    );
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
  ])('loses its lease to reports answered with %s, and gets it back afterwards', async (_, fault) => {
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

  it('refuses a revoked token also where its connection is cut in that moment', async () => {
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
    const loads = listener.count(manifest);
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
    expect(listener.count(manifest)).toBeGreaterThan(loads);
  });

  it('is closed once the load that it began is over', async () => {
    await begin();
    const held = Promise.withResolvers<() => void>();
    listener.break(manifest, (response) => held.resolve(() => void response.writeHead(503).end()));
    listener.breakLines((text) => text.replaceAll('"token_revoked"', '"token_banned"'));
    const own = await world.logIn('carl');
    const ending = world.service.send({ method: 'POST', path: '/api/v1/logout', headers: bearer(own) });
    const answer503 = await held.promise;
    let isClosed = false;
    const closing = guard.close().finally(() => {
      isClosed = true;
    });
    await new Promise(setImmediate);
    expect(isClosed).toBe(false);
    answer503();
    await closing;
    await ending;
  });
});

async function fetchBytes(path: string): Promise<Buffer> {
  const headers = { authorization: `Bearer ${world.secret}` };
  return Buffer.from(await (await fetch(new URL(path, world.url), { headers })).arrayBuffer());
}

async function load(): Promise<void> {
  const { parts: hashes, ...named } = JSON.parse(
    String(await fetchBytes(`${manifest}?at-least=0`)),
  ) as Manifest;
  revision = named;
  const texts = await Promise.all(
    hashes.map(async (hash) => String(gunzipSync(await fetchBytes(parts + hash)))),
  );
  good = texts.flatMap((text) => text.split('\n'));
}
