import { catalogLimits, endpoints, type RouteImport } from '@portcullis/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRecordChange } from '../../../src/logs/audit/record-change.ts';
import { readRoutes } from '../../../src/permissions/catalog/catalog-store.ts';
import { catalogRoutes } from '../../../src/permissions/catalog/routes.ts';
import { createAccessStandIn } from '../../access-stand-in.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';
import { type ServedRoutes, serveRoutes } from '../../serve-routes.ts';

let database: FreshDatabase;
let served: ServedRoutes;

beforeAll(async () => {
  database = await createFreshDatabase();
  const { store } = database;
  const routes = catalogRoutes({
    store,
    access: createAccessStandIn(store),
    recordChange: createRecordChange(),
    endpoints,
    exclusions: ['POST /api/v1/logout', 'GET /api/v1/user/profile'],
    memory: undefined,
  });
  served = serveRoutes(routes);
  await seedDirectory(store);
});
afterAll(async () => {
  expect(served.faults).toEqual([]);
  await served.close();
  await database.drop();
});
beforeEach(async () => {
  await database.store.deleteFrom('catalog').execute();
  await database.store.deleteFrom('rules').execute();
});

interface Item {
  readonly service: string;
  readonly method: string;
  readonly path: string;
}
/** `['GET /orders/{id}', 'PUT /orders/{id}']` as a document. */
function documentOf(names: readonly string[], more: object = {}) {
  const paths: Record<string, Record<string, object>> = {};
  for (const name of names) {
    const [method = '', path = ''] = name.split(' ');
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: { summary: `Title of ${name}`, tags: ['Sales'] },
    };
  }
  return { openapi: '3.0.3', paths, ...more };
}
const put = (names: readonly string[], service = 'orders') =>
  served.send('PUT', `/routes/${service}`, documentOf(names));
const stored = async (service?: string) =>
  (await readRoutes(database.store, { service })).map(({ method, path }) => `${method} ${path}`);
async function listed(query = ''): Promise<string[]> {
  const { data } = await served.send('GET', `/routes${query}`);
  return (data as { items: Item[] }).items.map(({ service, method, path }) => `${service} ${method} ${path}`);
}

describe('an import is answered with 400, and changes nothing,', () => {
  it.each([
    ['of a service without a good name', '/routes/Orders', documentOf(['GET /a'])],
    ['of a service with the name of this one', '/routes/portcullis', documentOf(['GET /a'])],
    ['of a service with too long a name', `/routes/${'a'.repeat(33)}`, documentOf(['GET /a'])],
    ['of a list', '/routes/orders', []],
    ['of an empty document', '/routes/orders', {}],
    ['of a document without routes', '/routes/orders', documentOf([])],
    ['of a document of which every route is skipped', '/routes/orders', documentOf(['GET /a/*'])],
    ['with a prefix that is none', '/routes/orders?prefix=a', documentOf(['GET /a'])],
    [
      'with a server whose path is not known',
      '/routes/orders',
      documentOf(['GET /a'], { servers: [{ url: 'v1' }] }),
    ],
    [
      'of more routes than the limit',
      '/routes/orders',
      documentOf(Array.from({ length: catalogLimits.routes + 1 }, (_, index) => `GET /a/${index}`)),
    ],
  ])('%s', async (_what, url, body) => {
    await put(['GET /before']);
    expect(await served.send('PUT', url, body)).toMatchObject({ status: 200, code: 400 });
    expect(await stored()).toEqual(['GET /before']);
  });

  it('of a document with a poisoned prototype', async () => {
    const body = JSON.parse('{"openapi":"3.0.0","paths":{"/a":{"get":{"__proto__":{"x":1}}}}}');
    expect(await served.send('PUT', '/routes/orders', body)).toMatchObject({ code: 400 });
    expect(await stored()).toEqual([]);
  });
});

it('a document above the limit is answered with 413', async () => {
  const body = documentOf(['GET /a'], { info: { description: 'x'.repeat(catalogLimits.documentBytes) } });
  expect(await served.send('PUT', '/routes/orders', body)).toMatchObject({ status: 413 });
  expect(await stored()).toEqual([]);
});

describe('an import', () => {
  it('stores the method, the path, the title and the tag', async () => {
    await put(['GET /orders/{id}']);
    expect((await served.send('GET', '/routes')).data).toEqual({
      items: [
        {
          service: 'orders',
          method: 'GET',
          path: '/orders/:id',
          title: 'Title of GET /orders/{id}',
          tag: 'Sales',
        },
      ],
      next: null,
    });
  });

  it('replaces the routes of its service, and says what it added, removed, kept and skipped', async () => {
    await put(['GET /a', 'GET /b', 'PUT /b'], 'other');
    await put(['GET /a', 'GET /b', 'PUT /b']);
    const { code, data } = await put(['GET /b', 'POST /b', 'DELETE /c', 'GET /d/*', 'HEAD /b']);
    expect(code).toBe(200);
    expect(data).toEqual({
      prefix: '',
      added: {
        count: 2,
        items: [
          { method: 'POST', path: '/b' },
          { method: 'DELETE', path: '/c' },
        ],
      },
      removed: {
        count: 2,
        items: [
          { method: 'GET', path: '/a' },
          { method: 'PUT', path: '/b' },
        ],
      },
      kept: 1,
      skipped: {
        count: 2,
        items: [
          { method: 'HEAD', path: '/b', reason: expect.any(String) },
          { method: 'GET', path: '/d/*', reason: expect.any(String) },
        ],
      },
    } satisfies RouteImport);
    expect(await stored('orders')).toEqual(['GET /b', 'POST /b', 'DELETE /c']);
    expect(await stored('other')).toEqual(['GET /a', 'GET /b', 'PUT /b']);
  });

  it('once more changes nothing but a title', async () => {
    await put(['GET /a', 'GET /b']);
    const body = { openapi: '3.1.0', paths: { '/a': { get: {} }, '/b': { get: { operationId: 'b' } } } };
    expect((await served.send('PUT', '/routes/orders', body)).data).toMatchObject({
      added: { count: 0 },
      removed: { count: 0 },
      kept: 2,
    });
    expect(await readRoutes(database.store, {})).toMatchObject([
      { path: '/a', title: '', tag: null },
      { path: '/b', title: 'b', tag: null },
    ]);
  });

  it('takes a prefix', async () => {
    const body = documentOf(['GET /a'], { servers: [{ url: 'https://example.com/v1' }] });
    expect((await served.send('PUT', '/routes/orders', body)).data).toMatchObject({ prefix: '/v1' });
    expect(await stored()).toEqual(['GET /v1/a']);
    await served.send('PUT', '/routes/orders?prefix=/api/v2', body);
    expect(await stored()).toEqual(['GET /api/v2/a']);
  });

  it('takes 10,000 routes, and lists the first hundred', async () => {
    const names = Array.from({ length: catalogLimits.routes }, (_, index) => `GET /a/${index}`);
    const { data } = (await put(names)) as { data: RouteImport };
    expect([data.added.count, data.added.items.length]).toEqual([10_000, 100]);
    expect(await stored()).toHaveLength(10_000);
  });

  it('at the same time as another one leaves the routes of one document, never a mixture', async () => {
    const namesOf = (letter: string) => Array.from({ length: 200 }, (_, index) => `GET /${letter}/${index}`);
    for (let round = 0; round < 10; round++) {
      await Promise.all([put(namesOf('a')), put(namesOf('b')), put(namesOf('c'))]);
      const letters = new Set((await stored()).map((name) => name.slice(0, 6)));
      expect([...letters]).toHaveLength(1);
    }
  });
});

describe('the list', () => {
  it.each([
    ['with a cursor that is none', '?after=x'],
    ['with a limit of 101', '?limit=101'],
    ['of a service without a good name', '?service=A'],
    ['by an empty text', '?text='],
  ])('%s is refused', async (_what, query) => {
    expect(await served.send('GET', `/routes${query}`)).toMatchObject({ status: 200, code: 400 });
  });

  it('is filtered by service, tag and text', async () => {
    await put(['GET /orders', 'GET /orders/{id}/50%25_off']);
    await put(['GET /orders', 'GET /stock']);
    await put(['GET /bills'], 'billing');
    const tagged = documentOf([]);
    await served.send('PUT', '/routes/tagged', { ...tagged, paths: { '/t': { get: { tags: ['Other'] } } } });
    expect(await listed()).toEqual([
      'billing GET /bills',
      'orders GET /orders',
      'orders GET /stock',
      'tagged GET /t',
    ]);
    expect(await listed('?service=billing')).toEqual(['billing GET /bills']);
    expect(await listed('?service=none')).toEqual([]);
    expect(await listed('?tag=Other')).toEqual(['tagged GET /t']);
    expect(await listed('?text=STOCK')).toEqual(['orders GET /stock']);
    expect(await listed('?text=title%20of')).toHaveLength(3);
    expect(await listed('?service=orders&text=orders&tag=Sales')).toEqual(['orders GET /orders']);
  });

  it('takes no character of a text for a pattern', async () => {
    await put(['GET /a_b', 'GET /axb']);
    expect(await listed('?text=a_b')).toEqual(['orders GET /a_b']);
    expect(await listed('?text=%25')).toEqual([]);
  });

  it('comes in pages of 20, each route once, also across services and methods', async () => {
    const names = Array.from({ length: 15 }, (_, index) => [`GET /a/${index}`, `PUT /a/${index}`]).flat();
    await put(names);
    await put(names, 'other');
    const pages: Item[][] = [];
    for (let after = ''; ; ) {
      const { data } = await served.send('GET', `/routes${after}`);
      const { items, next } = data as { items: Item[]; next: string | null };
      pages.push(items);
      if (next === null) break;
      after = `?after=${next}`;
    }
    expect(pages.map((items) => items.length)).toEqual([20, 20, 20]);
    const texts = pages.flat().map(({ service, method, path }) => `${service} ${method} ${path}`);
    expect(new Set(texts).size).toBe(60);
  });
});

describe('forgetting a service', () => {
  it('that has no routes is answered with 404', async () => {
    expect(await served.send('DELETE', '/routes/orders')).toMatchObject({ status: 200, code: 404 });
  });

  it('leaves the others', async () => {
    await put(['GET /a', 'GET /b']);
    await put(['GET /a'], 'other');
    expect(await served.send('DELETE', '/routes/orders')).toMatchObject({ code: 200, data: { removed: 2 } });
    expect(await listed()).toEqual(['other GET /a']);
  });
});

describe('the report', () => {
  interface Report {
    readonly adminOnly: { count: number; items: Item[] };
    readonly unmatchedRules: { count: number; items: { roleKey: string; path: string }[] };
    readonly complete: boolean;
  }
  const report = async (query = '') => (await served.send('GET', `/routes/report${query}`)).data as Report;
  const allow = async (...rules: string[]) => {
    const ids: Record<string, number> = { admin: 1, editor: 2, former: 3 };
    for (const rule of rules) {
      const [roleKey = '', method = '', path = ''] = rule.split(' ');
      await database.store
        .insertInto('rules')
        .values({ role_id: ids[roleKey] ?? 0, method, path })
        .execute();
    }
  };

  it.each(['?limit=0', '?limit=1001', '?limit=x'])('with %s is refused', async (query) => {
    expect(await served.send('GET', `/routes/report${query}`)).toMatchObject({ status: 200, code: 400 });
  });

  it('has the routes that only admin can call, of business services and of this one', async () => {
    await put(['GET /orders', 'GET /orders/{id}', 'DELETE /orders/{id}']);
    await allow('editor GET /orders/7', 'editor GET /api/v1/sessions', 'former DELETE /orders/:id');
    const { adminOnly } = await report('?limit=1000');
    const names = adminOnly.items.map(({ service, method, path }) => `${service} ${method} ${path}`);
    expect(names).toContain('orders GET /orders');
    expect(names).toContain('orders DELETE /orders/:id');
    expect(names).not.toContain('orders GET /orders/:id');
    expect(names).toContain('portcullis DELETE /api/v1/sessions');
    for (const open of [
      'GET /api/v1/sessions',
      'POST /api/v1/login',
      'POST /api/v1/logout',
      'GET /api/v1/getinfo',
    ])
      expect(names).not.toContain(`portcullis ${open}`);
    expect(adminOnly.count).toBe(names.length);
  });

  it('has the rules that match no route, also those that are stored and do not parse', async () => {
    await put(['GET /orders/{id}']);
    await allow(
      'editor GET /orders/7',
      'editor * /api/*',
      'editor GET /ordres/:id',
      'admin GET /x',
      'editor get /(.*)',
    );
    const { unmatchedRules, complete } = await report();
    expect(unmatchedRules).toEqual({
      count: 3,
      items: [
        { roleKey: 'admin', method: 'GET', path: '/x' },
        { roleKey: 'editor', method: 'get', path: '/(.*)' },
        { roleKey: 'editor', method: 'GET', path: '/ordres/:id' },
      ],
    });
    expect(complete).toBe(true);
  });

  it('lists as many as were asked for, and counts all', async () => {
    await allow('editor GET /a', 'editor GET /b', 'editor GET /c');
    const { adminOnly, unmatchedRules } = await report('?limit=2');
    expect([unmatchedRules.count, unmatchedRules.items.length]).toEqual([3, 2]);
    expect(adminOnly.items).toHaveLength(2);
    expect(adminOnly.count).toBeGreaterThan(2);
  });
});
