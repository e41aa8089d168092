import { type CatalogRoute, type Endpoint, reaches } from '@portcullis/contract';
import { describe, expect, it } from 'vitest';
import { compareCallable } from '../../../src/permissions/catalog/compare-callable.ts';

const pattern = (text: string) => {
  const [method = '', path = ''] = text.split(' ');
  return { method, path };
};
async function* catalog(...texts: string[]): AsyncGenerator<CatalogRoute[]> {
  for (const text of texts)
    yield [{ service: 'orders', ...pattern(text), title: text, tag: null } as CatalogRoute];
}
const endpoints = [
  { method: 'GET', path: '/api/v1/keys', access: 'permission', title: 'List keys' },
  { method: 'POST', path: '/api/v1/logout', access: 'permission', title: 'Log out' },
  { method: 'GET', path: '/api/v1/getinfo', access: 'identity', title: 'Who am I' },
  { method: 'GET', path: '/api/v1/captcha', access: 'public', title: 'Captcha' },
] as unknown as Endpoint[];

async function compared(before: string[], after: string[], routes: string[] = [], limit = 100) {
  const { gained, lost, complete } = await compareCallable({
    routes: catalog(...routes),
    endpoints,
    exclusions: ['POST /api/v1/logout'],
    before: before.map(pattern),
    after: after.map(pattern),
    limit,
  });
  const shown = ({ items }: typeof gained) =>
    items.map((item) => `${item.service} ${item.method} ${item.path}: ${item.before} to ${item.after}`);
  return { gained: shown(gained), lost: shown(lost), counts: [gained.count, lost.count], complete };
}

describe('a route', () => {
  it('is in neither list when the rules cover it as before', async () => {
    const rules = ['GET /api/v1/keys', 'GET /orders/7'];
    expect(await compared(rules, [...rules, 'GET /orders/8'], ['GET /orders/:id'])).toMatchObject({
      counts: [0, 0],
      complete: true,
    });
  });

  it('that needs no rule is in neither list', async () => {
    const wide = ['* /api/v1/logout', '* /api/v1/getinfo', '* /api/v1/captcha'];
    expect(await compared([], wide)).toMatchObject({ counts: [0, 0] });
  });

  it('is gained and lost, ours and a business service’s, whole and in part', async () => {
    const routes = ['GET /orders/:id', 'PUT /orders/:id', 'GET /bills'];
    const before = ['GET /api/v1/keys', 'GET /orders/7', 'PUT /orders/:id'];
    const after = ['GET /orders/:id', 'PUT /orders/7', 'GET /bills'];
    expect(await compared(before, after, routes)).toEqual({
      gained: ['orders GET /orders/:id: some to all', 'orders GET /bills: none to all'],
      lost: ['portcullis GET /api/v1/keys: all to none', 'orders PUT /orders/:id: all to some'],
      counts: [2, 2],
      complete: true,
    });
    expect(reaches).toEqual(['none', 'some', 'all']);
  });

  it('is counted also where it is not listed', async () => {
    const routes = Array.from({ length: 30 }, (_, index) => `GET /orders/${index}`);
    const { gained, counts } = await compared([], ['GET /orders/*'], routes, 10);
    expect([gained.length, counts]).toEqual([10, [30, 0]]);
  });
});

it('says where comparing was given up', async () => {
  const { complete } = await compareCallable({
    routes: catalog('GET /a/:x', 'GET /b/:x'),
    endpoints: [],
    exclusions: [],
    before: [],
    after: ['GET /a/b', 'GET /b/c'].map(pattern),
    limit: 10,
    mostSteps: 1,
  });
  expect(complete).toBe(false);
});
