import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOpsListener } from '../../../src/base/ops/listener.ts';
import { emptyFigures } from './figures.ts';

let ready = false;
let why: string | undefined;
const readFigures = () => ({ ...emptyFigures(), portcullis_login_log_lag_seconds: 1.5 });
const listener = createOpsListener({ isReady: () => ready, whyNotReady: () => why, readFigures });
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

it('says why it is not ready, where an operator can do something about it', async () => {
  why = 'run `portcullis recover`';
  expect(await get('/readyz')).toEqual([503, 'not ready: run `portcullis recover`\n', 'no-store']);
});

it('says when it is ready', async () => {
  ready = true;
  expect(await get('/readyz')).toEqual([200, 'ready\n', 'no-store']);
});

it('serves its metrics in the text format of Prometheus', async () => {
  const response = await fetch(`${origin}/metrics`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect((await response.text()).split('\n')).toContain('portcullis_login_log_lag_seconds 1.5');
});
