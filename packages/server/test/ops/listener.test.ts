import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOpsListener } from '../../src/ops/listener.ts';

let ready = false;
const readFigures = () => ({
  loginLog: {
    lagMilliseconds: 1500,
    spoolBytes: 4096,
    unrecorded: { success: 1, failure: 2 },
    deadLetters: 3,
  },
  droppedLines: 4,
});
const listener = createOpsListener({ isReady: () => ready, readFigures });
let origin: string;

beforeAll(async () => {
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  origin = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
});
afterAll(() => listener.close());

const get = async (path: string) => {
  const response = await fetch(origin + path);
  return [response.status, await response.text(), response.headers.get('cache-control')];
};

it.each(['/', '/livez/', '/livez?x', '/metrics/', '/metrics?x', '/api/v1/login'])(
  'does not know %s',
  async (path) => {
    expect(await get(path)).toEqual([404, 'not found\n', 'no-store']);
  },
);

it('is alive before it is ready', async () => {
  expect(await get('/livez')).toEqual([200, 'alive\n', 'no-store']);
  expect(await get('/readyz')).toEqual([503, 'not ready\n', 'no-store']);
});

it('says when it is ready', async () => {
  ready = true;
  expect(await get('/readyz')).toEqual([200, 'ready\n', 'no-store']);
});

it('tells its metrics in the text format of Prometheus', async () => {
  const response = await fetch(`${origin}/metrics`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store');
  const lines = (await response.text()).split('\n');
  expect(lines.filter((line) => !line.startsWith('#'))).toEqual([
    'portcullis_login_log_lag_seconds 1.5',
    'portcullis_login_log_spool_bytes 4096',
    'portcullis_login_log_unrecorded_total{outcome="success"} 1',
    'portcullis_login_log_unrecorded_total{outcome="failure"} 2',
    'portcullis_login_log_dead_letters_total 3',
    'portcullis_process_log_dropped_lines_total 4',
    '',
  ]);
});

it('says of every metric what it is, before its value', async () => {
  const lines = (await (await fetch(`${origin}/metrics`)).text()).trimEnd().split('\n');
  const names = new Set(lines.filter((line) => !line.startsWith('#')).map((line) => /^\w+/.exec(line)?.[0]));
  for (const name of names) {
    const first = lines.findIndex((line) => line.includes(`${name}`));
    expect(lines[first]).toMatch(new RegExp(`^# HELP ${name} [A-Z].*\\.$`));
    expect(lines[first + 1]).toBe(`# TYPE ${name} ${name?.endsWith('_total') ? 'counter' : 'gauge'}`);
  }
});
