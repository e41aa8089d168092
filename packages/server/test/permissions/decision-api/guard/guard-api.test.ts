// What the listener answers to guards, with a memory that the test holds.
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { type AccessSource, HistoryLost, type Manifest, type SnapshotRecord } from '@portcullis/gate';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGuardApi } from '../../../../src/permissions/decision-api/guard/guard-api.ts';
import { listening } from '../listening.ts';

let server: Server;
let url: string;
let faults: unknown[];
let memory: AccessSource['readAll'];

let newest: number;

beforeEach(async () => {
  newest = 7;
  faults = [];
  memory = async () => ({ n: 7, mark: 'm' });
  const serve = createGuardApi({
    readAll: (take, atLeast) => memory(take, atLeast),
    newest: () => newest,
    reportFault: (fault) => void faults.push(fault),
  });
  server = createServer((request, response) => serve(request, response, 'request-1'));
  url = `http://127.0.0.1:${await listening(server)}/guard/v1/`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const post = (path: string, body: unknown) =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

it.each(['', 'Manifest', 'manifest/', 'register', 'report', 'snapshot', 'rings', 'constructor', '__proto__'])(
  'a call that no guard sends is refused with 404: %s',
  async (path) => {
    expect((await fetch(`${url}${path}?at-least=0`)).status).toBe(404);
    expect((await post(`${path}?at-least=0`, {})).status).toBe(404);
    expect((await post('manifest?at-least=0', {})).status).toBe(404);
    expect(faults).toEqual([]);
  },
);

describe('a manifest and its parts', () => {
  const rules: SnapshotRecord = {
    kind: 'rules',
    rules: [{ roleKey: 'clerk', method: 'GET', path: '/orders' }],
  };
  const large: SnapshotRecord = { kind: 'ended_tokens', hour: 1, fingerprints: 'x'.repeat(1024 * 1024) };
  const readManifest = async (atLeast: number) =>
    (await (await fetch(`${url}manifest?at-least=${atLeast}`)).json()) as Manifest;
  const readPart = async (hash: string) =>
    Buffer.from(await (await fetch(`${url}parts/${hash}`)).arrayBuffer());

  it('are refused without a revision, of an unknown name, and by another method', async () => {
    for (const query of ['', '?at-least=', '?at-least=x', '?at-least=-1', '?at-least=99999999999999999'])
      expect((await fetch(`${url}manifest${query}`)).status).toBe(400);
    for (const name of ['', 'a'.repeat(64), 'constructor', '__proto__'])
      expect((await fetch(`${url}parts/${name}`)).status).toBe(404);
    const { parts } = await readManifest(0);
    for (const hash of parts) expect((await post(`parts/${hash}`, {})).status).toBe(404);
    expect(faults).toEqual([]);
  });

  it('are 503 where memory fails, and tried again for the next guard', async () => {
    const works = memory;
    memory = () => Promise.reject(new Error('not there yet'));
    const answer = await fetch(`${url}manifest?at-least=0`);
    expect([answer.status, await answer.json()]).toEqual([
      503,
      { error: 'The database does not answer now.' },
    ]);
    expect(faults).toHaveLength(1);
    memory = () => Promise.reject(new HistoryLost('lost'));
    expect(await (await fetch(`${url}manifest?at-least=0`)).text()).toContain('portcullis recover');
    memory = works;
    expect((await readManifest(0)).n).toBe(7);
  });

  it('are named by the hash of their bytes, and hold every piece in its order', async () => {
    memory = async (take) => {
      for (const piece of [rules, large, rules, { ...large, hour: 2 }, rules]) await take(piece);
      return { n: 7, mark: 'm' };
    };
    const { parts, ...revision } = await readManifest(0);
    expect([revision, parts.length]).toEqual([{ n: 7, mark: 'm' }, 3]);
    const read: unknown[] = [];
    for (const hash of parts) {
      const part = await readPart(hash);
      expect(createHash('sha256').update(part).digest('hex')).toBe(hash);
      read.push(
        ...gunzipSync(part)
          .toString()
          .split('\n')
          .map((line) => JSON.parse(line)),
      );
    }
    expect(read).toEqual([rules, large, rules, { ...large, hour: 2 }, rules]);
  });

  it('are shared while few changes follow, and rebuilt for a guard that needs a later revision', async () => {
    const asked: unknown[] = [];
    memory = async (take, atLeast) => {
      asked.push(atLeast);
      await take({ ...rules, rules: [{ roleKey: 'clerk', method: 'GET', path: `/orders/${newest}` }] });
      return { n: newest, mark: 'm' };
    };
    const [one, other] = await Promise.all([readManifest(0), readManifest(7)]);
    expect(one).toEqual(other);
    expect(asked).toEqual([0]);
    newest = 9;
    for (const atLeast of [9, 8, 0]) expect((await readManifest(atLeast)).n).toBe(9);
    expect(asked).toEqual([0, 9]);
    // Who has begun with the earlier one can go on.
    expect((await readPart(one?.parts[0] ?? '')).length).toBeGreaterThan(0);
    newest = 209;
    expect((await readManifest(0)).n).toBe(9);
    newest = 210;
    expect((await readManifest(0)).n).toBe(210);
    expect(asked).toEqual([0, 9, 0]);
    // Of the last two: a guard that asked for each change would fill memory.
    expect((await fetch(`${url}parts/${one?.parts[0]}`)).status).toBe(404);
  });
});
