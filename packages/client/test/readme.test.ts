// The lines of the README are lines that compile and run: each block stands word for word in a file of readme/.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCompiledBlocks, withoutImports } from '../../../test/rig/compiled-blocks.ts';
import { calls } from '../src/calls.ts';
import { type Application, createAxiosLike } from './readme/front-end.ts';
import { install } from './readme/interceptor.ts';
import { keepInTab } from './readme/usage.ts';

const { readme, blocks, countFiles } = readCompiledBlocks(new URL('../', import.meta.url));

describe('the README', () => {
  it.each(blocks.map((lines) => [withoutImports(lines)[0], lines] as const))(
    'has its lines compiled: %s',
    (_, lines) => {
      expect(countFiles(lines)).toBe(1);
    },
  );

  it('needs ten lines for an interceptor', () => {
    const block = blocks.find((lines) => lines.some((line) => line.includes('interceptors')));
    expect(block).toHaveLength(10);
    expect(block?.[0]).toBe("import { findError } from '@portcullis/client';");
  });

  it('names every call with its endpoint', () => {
    const named = [...readme.matchAll(/^\| `(\w+)` \| `([A-Z]+) (\/\S+)` \|$/gm)].map(([, ...row]) => row);
    expect(named).toEqual(Object.entries(calls).map(([name, [method, path]]) => [name, method, path]));
  });
});

describe('the ten lines', () => {
  const answers: Record<string, { status: number; reason?: string; body: string }> = {
    '/expired': { status: 200, reason: 'token_expired', body: '{"code":401,"msg":"over"}' },
    '/denied': { status: 200, reason: 'permission_denied', body: '{"code":401,"msg":"not yours"}' },
    '/wrong': { status: 200, reason: 'credentials_wrong', body: '{"code":400,"msg":"wrong"}' },
    '/away': { status: 503, reason: 'unavailable', body: '{"code":503,"msg":"later"}' },
    '/proxy': { status: 502, body: '<h1>Bad Gateway</h1>' },
    '/portal': { status: 200, body: '<h1>Pay for the network</h1>' },
    '/orders': { status: 200, body: '{"code":200,"msg":"success","data":[1]}' },
  };
  const server = createServer(({ url = '' }, response) => {
    const { status, reason, body } = answers[url] ?? { status: 404, body: '' };
    response.writeHead(status, { ...(reason && { 'X-Auth-Reason': reason }) }).end(body);
  });
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => void server.close());

  async function get(path: string): Promise<{ kind: string; acts: string[]; data?: unknown }> {
    const acts: string[] = [];
    const application: Application = {
      openLogin: () => void acts.push('login page'),
      showMessage: (msg) => void acts.push(`message: ${msg}`),
      ask: async () => '',
      addRow: () => {},
    };
    const service = createAxiosLike();
    install(service, application);
    return await service.get(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`).then(
      ({ data }) => ({ kind: 'success', acts, data }),
      ({ kind }: { kind: string }) => ({ kind, acts }),
    );
  }

  it.each([
    ['/expired', { kind: 'signed_out', acts: ['login page'] }],
    ['/denied', { kind: 'not_allowed', acts: ['message: not yours'] }],
    ['/wrong', { kind: 'invalid', acts: [] }],
    ['/away', { kind: 'unavailable', acts: [] }],
    ['/proxy', { kind: 'not_understood', acts: [] }],
    ['/portal', { kind: 'not_understood', acts: [] }],
    ['/orders', { kind: 'success', acts: [], data: { code: 200, msg: 'success', data: [1] } }],
  ])('answer %s as they should', async (path, expected) => {
    expect(await get(path)).toEqual(expected);
  });
});

it('the token store of the README keeps a token in the tab, and forgets it', () => {
  const stored = new Map<string, string>();
  const { tokenStore } = keepInTab({
    getItem: (key) => stored.get(key) ?? null,
    setItem: (key, value) => void stored.set(key, value),
    removeItem: (key) => void stored.delete(key),
  });
  tokenStore.set('t1');
  expect([tokenStore.get(), [...stored.values()]]).toEqual(['t1', ['t1']]);
  tokenStore.set(undefined);
  expect([tokenStore.get(), stored.size]).toEqual([null, 0]);
});
