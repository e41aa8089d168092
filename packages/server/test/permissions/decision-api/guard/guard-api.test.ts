// What the listener answers to guards, with a source and members that the test holds.
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { gunzipSync } from 'node:zlib';
import type { AccessSource, Change, Found, Manifest, SnapshotRecord } from '@portcullis/gate';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Members } from '../../../../src/cluster/member-store.ts';
import { createGuardApi, type GuardApi } from '../../../../src/permissions/decision-api/guard/guard-api.ts';
import { listening } from '../listening.ts';

const id = 'b0f0a4c6-3c1e-4b53-9d2e-0a5a3a7b6c1d';
const registration = { id, service: 'orders', version: '0.1.0', leaseMilliseconds: 2000, revision: 7 };
const found: Found = {
  n: 7,
  mark: 'm',
  at: 1,
  incarnation: 'i',
  membershipComplete: true,
  leaseMilliseconds: 10_000,
  instances: 2,
};

let server: Server;
let url: string;
let api: GuardApi;
let calls: unknown[];
let faults: unknown[];
let ring: (revision: number) => void;
let listeners: number;
let members: Members;
let source: AccessSource;
let memory: AccessSource['readAll'];

let newest: number;

beforeEach(async () => {
  newest = 7;
  calls = [];
  faults = [];
  listeners = 0;
  members = {
    register: async (...words) => void calls.push(['register', ...words]),
    report: async (...words) => {
      calls.push(['report', ...words]);
      return words[1] === 7 ? found : undefined;
    },
    deregister: async (...words) => void calls.push(['deregister', ...words]),
  };
  source = {
    listRevisionsFrom: async (n) => [{ n, mark: 'm', changes: [] as Change[] }],
    readAll: async () => ({ n: 7, mark: 'm' }),
  };
  memory = async () => ({ n: 7, mark: 'm' });
  api = createGuardApi({
    source: {
      listRevisionsFrom: (n) => source.listRevisionsFrom(n),
      readAll: (take, atLeast) => source.readAll(take, atLeast),
    },
    readAll: (take, atLeast) => memory(take, atLeast),
    newest: () => newest,
    members: {
      register: (...words) => members.register(...words),
      report: (...words) => members.report(...words),
      deregister: (...words) => members.deregister(...words),
    },
    onRing(listener) {
      listeners += 1;
      ring = listener;
      return () => {
        listeners -= 1;
      };
    },
    mode: 'prod',
    reportFault: (fault) => void faults.push(fault),
  });
  server = createServer((request, response) => api.serve(request, response, 'request-1'));
  url = `http://127.0.0.1:${await listening(server)}/guard/v1/`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const post = (path: string, body: unknown, type = 'application/json') =>
  fetch(url + path, { method: 'POST', headers: { 'content-type': type }, body: JSON.stringify(body) });

describe('a call that is not from a guard', () => {
  it.each([
    ['register', { ...registration, id: 'x' }],
    ['register', { ...registration, id: id.toUpperCase() }],
    ['register', { ...registration, service: '' }],
    ['register', { ...registration, service: 'x'.repeat(65) }],
    ['register', { ...registration, service: 'a\0b' }],
    ['register', { ...registration, service: 7 }],
    ['register', { ...registration, leaseMilliseconds: 999 }],
    ['register', { ...registration, leaseMilliseconds: 10_001 }],
    ['register', { ...registration, leaseMilliseconds: '2000' }],
    ['register', { ...registration, revision: -2 }],
    ['register', {}],
    ['report', { id }],
    ['report', { id, revision: 1.5 }],
    ['report', { id, revision: '7' }],
    ['report', { id, revision: 2 ** 53 }],
    ['report', { id: `${id}'`, revision: 7 }],
    ['report', []],
    ['report', null],
    ['deregister', {}],
  ])('is refused with 400: %s %j', async (path, body) => {
    expect((await post(path, body)).status).toBe(400);
    expect(calls).toEqual([]);
  });

  it('is refused with 404, 413 or 415', async () => {
    for (const path of ['', 'Report', 'report/', 'constructor', '__proto__'])
      expect((await post(path, { id, revision: 7 })).status).toBe(404);
    for (const path of ['register', 'report', 'deregister'])
      expect((await fetch(url + path)).status).toBe(404);
    expect((await post('snapshot', {})).status).toBe(404);
    expect((await post('report', { id, revision: 7, more: 'x'.repeat(5000) })).status).toBe(413);
    expect((await post('report', { id, revision: 7 }, 'text/plain')).status).toBe(415);
    for (const query of ['', '?from=', '?from=x', '?from=1.5', '?from=99999999999999999', '?from=1&from=2x'])
      expect((await fetch(`${url}revisions${query}`)).status).toBe(400);
    expect(calls).toEqual([]);
    expect(faults).toEqual([]);
  });
});

describe('a member', () => {
  it('is registered in the mode of this instance, whatever it says itself', async () => {
    const answer = await post('register', { ...registration, mode: 'dev' });
    expect(answer.status).toBe(200);
    const { revision, ...row } = registration;
    expect(calls).toEqual([['register', expect.objectContaining({ ...row, mode: 'prod' }), revision]]);
  });

  it('receives the result of its report, or that it has no row', async () => {
    // Byte by byte: guards of earlier versions read it too.
    expect(await (await post('report', { id, revision: 7 })).text()).toBe(
      '{"found":{"n":7,"mark":"m","leaseMilliseconds":10000,"at":1,"incarnation":"i","isSettled":true,"instances":2}}',
    );
    expect(await (await post('report', { id, revision: 6 })).json()).toEqual({ found: null });
    expect(calls).toEqual([
      ['report', id, 7],
      ['report', id, 6],
    ]);
  });

  it('may leave', async () => {
    expect((await post('deregister', { id })).status).toBe(200);
    expect(calls).toEqual([['deregister', id]]);
  });

  it('receives 503 and no reason where the database fails', async () => {
    members = { ...members, report: () => Promise.reject(new Error('the password of the database')) };
    const answer = await post('report', { id, revision: 7 });
    expect([answer.status, await answer.json()]).toEqual([
      503,
      { error: 'The database does not answer now.' },
    ]);
    expect(faults).toHaveLength(1);
  });
});

describe('a snapshot, for a guard of the version before', () => {
  const rules: SnapshotRecord = {
    kind: 'rules',
    rules: [{ roleKey: 'clerk', method: 'GET', path: '/orders' }],
  };
  const read = () => fetch(`${url}snapshot`);

  it('that fails before its first piece is 503', async () => {
    source = { ...source, readAll: () => Promise.reject(new Error('away')) };
    expect((await read()).status).toBe(503);
  });

  it('that fails in the middle does not end well', async () => {
    source = {
      ...source,
      async readAll(take) {
        await take(rules);
        throw new Error('away');
      },
    };
    const answer = await read();
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
    expect(faults).toHaveLength(1);
  });

  it('has temporary rules only for a guard that asks for them: an earlier one could not read them', async () => {
    const temporary: SnapshotRecord = {
      kind: 'temporary_rules',
      rules: [{ roleKey: 'clerk', method: 'GET', path: '/orders', endsAt: 1 }],
    };
    source = {
      ...source,
      async readAll(take) {
        for (const piece of [rules, temporary]) await take(piece);
        return { n: 7, mark: 'm' };
      },
    };
    const kindsOf = (text: string) =>
      text
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { kind: string }).kind);
    expect(kindsOf(await (await read()).text())).toEqual(['rules', 'end']);
    const asked = await fetch(`${url}snapshot?temporary-rules`);
    expect(kindsOf(await asked.text())).toEqual(['rules', 'temporary_rules', 'end']);
  });

  it('is a line a piece, and the revision last', async () => {
    source = {
      ...source,
      async readAll(take) {
        await take(rules);
        await take({ kind: 'revocations', lines: 'a 1' });
        return { n: 7, mark: 'm' };
      },
    };
    const lines = (await (await read()).text())
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    expect(lines).toEqual([rules, { kind: 'revocations', lines: 'a 1' }, { kind: 'end', n: 7, mark: 'm' }]);
  });

  it('waits for a slow reader, and ends the reading of one that has left', async () => {
    const large: SnapshotRecord = { kind: 'revocations', lines: 'x'.repeat(1024 * 1024) };
    source = {
      ...source,
      async readAll(take) {
        for (let taken = 0; taken < 100; taken += 1) await take(large);
        return { n: 7, mark: 'm' };
      },
    };
    const leaving = new AbortController();
    const answer = await fetch(`${url}snapshot`, { signal: leaving.signal });
    await answer.body?.getReader().read();
    expect(faults).toEqual([]);
    leaving.abort();
    await expect.poll(() => faults).toEqual([expect.objectContaining({ name: 'AbortError' })]);
  });
});

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
    expect((await fetch(`${url}manifest?at-least=0`)).status).toBe(503);
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

describe('rings', () => {
  it('are lines with the number of each revision, until the listener ends them', async () => {
    const answer = await fetch(`${url}rings`);
    ring(8);
    ring(9);
    api.close();
    expect(await answer.text()).toBe('\n8\n9\n');
    await expect.poll(() => listeners).toBe(0);
  });

  it('are not kept for a guard that has left', async () => {
    const leaving = new AbortController();
    await fetch(`${url}rings`, { signal: leaving.signal });
    expect(listeners).toBe(1);
    leaving.abort();
    await expect.poll(() => listeners).toBe(0);
    ring(8);
    expect(faults).toEqual([]);
  });

  it('are ended for a guard that does not read them', async () => {
    await fetch(`${url}rings`);
    for (let lines = 0; listeners > 0 && lines < 1_000; lines += 1) {
      for (let n = 0; n < 10_000; n += 1) ring(1_000_000 + n);
      await new Promise(setImmediate);
    }
    expect(listeners).toBe(0);
  });
});
