import {
  endpoints,
  type HttpMethod,
  type MatrixRole,
  type MatrixRoute,
  matrixRoutesLimit,
} from '@portcullis/contract';
import { compile, parseRule } from '@portcullis/policy';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectAttackFails } from '../../../../../../test/weaknesses/attack.ts';
import { listRoles } from '../../../../src/people/roles/role-store.ts';
import { replaceRoutes } from '../../../../src/permissions/catalog/catalog-store.ts';
import { matrixRoute } from '../../../../src/permissions/catalog/matrix/matrix-route.ts';
import type { RuleMemory } from '../../../../src/permissions/catalog/read-rules.ts';
import { readRulesRevision } from '../../../../src/permissions/rules/rule-history-store.ts';
import { getRole } from '../../../../src/permissions/rules/rule-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../../fresh-database.ts';
import { seedDirectory } from '../../../seed-directory.ts';
import { type ServedRoutes, serveRoutes } from '../../../serve-routes.ts';

let database: FreshDatabase;
let served: ServedRoutes;

/** What this instance holds: nothing, and no role, until a test says otherwise. */
const nothing = { rules: compile([], 0), n: -1, roleIds: [] as number[] };
let held = nothing;
const memory: RuleMemory = {
  rules: {
    get lasting() {
      return held.rules;
    },
  },
  roles: {
    find: (id) => (held.roleIds.includes(id) ? { id, roleKey: 'editor', dataScope: '1' } : undefined),
  },
  current: {
    get revision() {
      return { n: held.n, mark: '' };
    },
  },
};

beforeAll(async () => {
  database = await createFreshDatabase();
  const { store } = database;
  const matrix = matrixRoute({
    store,
    memory,
    endpoints,
    exclusions: ['POST /api/v1/logout'],
    listRoles: (query) => listRoles(store, query),
  });
  served = serveRoutes([matrix]);
  await seedDirectory(store);
});
afterAll(async () => {
  expect(served.faults).toEqual([]);
  await served.close();
  await database.drop();
});
beforeEach(async () => {
  for (const table of ['catalog', 'rules', 'temporary_rules', 'rule_history'] as const)
    await database.store.deleteFrom(table).execute();
  held = nothing;
});

interface Matrix {
  readonly routes: { count: number; items: MatrixRoute[] };
  readonly items: MatrixRole[];
  readonly next: string | null;
  readonly complete: boolean;
}
const read = async (query = '') => (await served.send('GET', `/matrix${query}`)).data as Matrix;
const store = async (service: string, ...names: string[]) => {
  const routes = names.map((name) => {
    const [method = '', path = ''] = name.split(' ');
    return { method: method as HttpMethod, path, title: `Title of ${name}`, tag: 'Sales' };
  });
  await database.store.transaction().execute((transaction) => replaceRoutes(transaction, service, routes));
};
const allow = async (roleId: number, ...rules: string[]) => {
  for (const rule of rules) {
    const [method = '', path = ''] = rule.split(' ');
    await database.store.insertInto('rules').values({ role_id: roleId, method, path }).execute();
  }
};

describe('the matrix', () => {
  it.each([
    ['with a cursor that is none', '?after=x'],
    ['with a limit of 101', '?limit=101'],
    ['with a limit of 0', '?limit=0'],
    ['of a service without a good name', '?service=A'],
  ])('%s is refused', async (_what, query) => {
    expect(await served.send('GET', `/matrix${query}`)).toMatchObject({ status: 200, code: 400 });
  });

  it('returns no routes and all roles for a service without routes', async () => {
    const { routes, items } = await read('?service=none');
    expect(routes).toEqual({ count: 0, items: [] });
    expect(items.map(({ cells }) => cells)).toEqual(['', '', '']);
  });

  it('has our own routes with what they ask for, then the imported ones in the order of the catalogue', async () => {
    await store('orders', 'PUT /orders/:id', 'GET /orders');
    await store('billing', 'GET /bills');
    const { routes } = await read();
    const texts = routes.items.map(({ service, method, path }) => `${service} ${method} ${path}`);
    expect(texts).toEqual([
      ...endpoints.map(({ method, path }) => `portcullis ${method} ${path}`),
      'billing GET /bills',
      'orders GET /orders',
      'orders PUT /orders/:id',
    ]);
    expect(routes.count).toBe(texts.length);
    const named = (path: string) => routes.items.find((item) => item.path === path);
    expect(named('/api/v1/login')).toMatchObject({ access: 'public', excluded: false, tag: null });
    expect(named('/api/v1/logout')).toMatchObject({ access: 'permission', excluded: true });
    expect(named('/api/v1/getinfo')).toMatchObject({ access: 'identity', excluded: false });
    expect(named('/orders')).toEqual({
      service: 'orders',
      method: 'GET',
      path: '/orders',
      title: 'Title of GET /orders',
      tag: 'Sales',
      access: 'permission',
      excluded: false,
    });
  });

  it('has every role by its key, a disabled one with its rules too', async () => {
    await store('orders', 'GET /orders', 'GET /orders/:id', 'PUT /orders/:id');
    await allow(2, 'GET /orders', 'GET /orders/7');
    await allow(3, '* /orders/:id', 'get /orders');
    const { items, next, complete } = await read('?service=orders');
    expect(items).toEqual([
      {
        id: 1,
        roleKey: 'admin',
        name: 'Administrator',
        enabled: true,
        revision: expect.any(Number),
        temporary: [],
        cells: 'aaa',
      },
      {
        id: 2,
        roleKey: 'editor',
        name: 'Editor',
        enabled: true,
        revision: expect.any(Number),
        temporary: [],
        cells: 'rs-',
      },
      {
        id: 3,
        roleKey: 'former',
        name: 'Former',
        enabled: false,
        revision: expect.any(Number),
        temporary: [],
        cells: '-aa',
      },
    ]);
    expect([next, complete]).toEqual([null, true]);
  });

  it('lists temporary rules beside the cells, the next end first, and none that is over', async () => {
    await store('orders', 'GET /orders', 'PUT /orders/:id');
    await allow(2, 'GET /orders');
    await sql`insert into temporary_rules (role_id, path, method, ends_at, given_by) values
      (2, '/orders/:id', 'PUT', now() + interval '2 hours', 'ann'),
      (2, '/orders/7', 'PUT', now() + interval '1 hour', 'ann'),
      (2, '/orders/8', 'PUT', now() - interval '1 second', 'ann'),
      (3, '/orders', 'GET', now() + interval '1 hour', 'ann')`.execute(database.store);
    const { items } = await read('?service=orders');
    expect(items.map(({ cells }) => cells)).toEqual(['aa', 'r-', '--']);
    expect(items.map(({ temporary }) => temporary.map(({ method, path }) => `${method} ${path}`))).toEqual([
      [],
      ['PUT /orders/7', 'PUT /orders/:id'],
      ['GET /orders'],
    ]);
    expect(Date.parse(items[1]?.temporary[0]?.endsAt ?? '')).toBeGreaterThan(Date.now());
  });

  it('has the cells of routes that need no rule like those of the others', async () => {
    await allow(2, 'POST /api/v1/logout', '* /api/v1/login');
    const { routes, items } = await read('?service=portcullis');
    expect(routes.count).toBe(endpoints.length);
    const cellOf = (path: string) => items[1]?.cells[routes.items.findIndex((item) => item.path === path)];
    expect(['/api/v1/logout', '/api/v1/login', '/api/v1/getinfo'].map(cellOf)).toEqual(['r', 'a', '-']);
  });

  it('has the revision of each role’s rules as they are listed with', async () => {
    const change = { user_id: 1, username: 'ada', added: '[]', removed: '[]', rolled_back_to: null };
    await database.store
      .insertInto('rule_history')
      .values([4, 9, 6].map((revision) => ({ ...change, role_id: 2, revision })))
      .execute();
    const { items } = await read('?service=none');
    expect(items[1]?.revision).toBe(9);
    for (const { id, revision } of items)
      expect(revision).toBe(await readRulesRevision(database.store, await getRole(database.store, id)));
  });

  it('has the revision from before it read the rules, so that a draft on it is refused after a change meanwhile', async () => {
    const change = { user_id: 1, username: 'ada', added: '[]', removed: '[]', rolled_back_to: null };
    const { store: postgres } = database;
    await store('orders', 'GET /orders');
    await postgres
      .insertInto('rule_history')
      .values({ ...change, role_id: 2, revision: 4 })
      .execute();
    const reading = await postgres.transaction().execute(async (transaction) => {
      await sql`lock table rules in access exclusive mode`.execute(transaction);
      const matrix = read('?service=orders');
      const isWaiting = async () =>
        (await sql`select from pg_locks where not granted and relation = 'rules'::regclass`.execute(postgres))
          .rows.length;
      await expect.poll(isWaiting).toBe(1);
      await transaction.insertInto('rules').values({ role_id: 2, method: 'GET', path: '/orders' }).execute();
      await transaction
        .insertInto('rule_history')
        .values({ ...change, role_id: 2, revision: 5 })
        .execute();
      return { matrix };
    });
    const { items } = await reading.matrix;
    expectAttackFails(items[1]?.revision, { success: 5, failure: 4 });
    expect(items[1]?.cells).toBe('r');
  });

  it('comes in pages of roles, each role once', async () => {
    await store('orders', 'GET /orders');
    await allow(2, 'GET /orders');
    const first = await read('?service=orders&limit=2');
    const second = await read(`?service=orders&limit=2&after=${first.next}`);
    expect([first, second].map(({ items }) => items.map(({ roleKey, cells }) => [roleKey, cells]))).toEqual([
      [
        ['admin', 'a'],
        ['editor', 'r'],
      ],
      [['former', '-']],
    ]);
    expect(second.next).toBeNull();
  });

  it('has the cells of more rules than are read at once', async () => {
    await store('orders', 'GET /z', 'PUT /z', 'GET /orders/:id', 'GET /y');
    await sql`insert into rules (role_id, path, method)
      select 2, '/orders/' || n, 'GET' from generate_series(1, 60000) as n`.execute(database.store);
    await allow(2, 'GET /z', 'PUT /z');
    await allow(3, 'GET /y');
    const { items } = await read('?service=orders');
    expect(items.map(({ cells }) => cells)).toEqual(['aaaa', 's-rr', '-r--']);
  });

  it('lists the first 5,000 routes, and counts all', async () => {
    const names = Array.from({ length: matrixRoutesLimit + 1 }, (_, index) => `GET /a/${index}`);
    await store('orders', ...names);
    const { routes, items } = await read('?service=orders');
    expect([routes.count, routes.items.length]).toEqual([matrixRoutesLimit + 1, matrixRoutesLimit]);
    expect(items.map(({ cells }) => cells.length)).toEqual(Array(3).fill(matrixRoutesLimit));
  });
});

describe('the rules of a role', () => {
  const change = { user_id: 1, username: 'ada', added: '[]', removed: '[]', rolled_back_to: null };
  /** Memory and Postgres allow different things, so that a cell says where it is from. */
  const cellsWith = async (memory: { n: number; roleIds: number[] }) => {
    await store('orders', 'GET /held', 'GET /stored');
    await allow(2, 'GET /stored');
    await database.store
      .insertInto('rule_history')
      .values({ ...change, role_id: 2, revision: 7 })
      .execute();
    const rules = ['editor', 'former'].flatMap((roleKey) => {
      const parsed = parseRule({ roleKey, method: 'GET', path: '/held' });
      return 'rule' in parsed ? [parsed.rule] : [];
    });
    held = { ...memory, rules: compile(rules, memory.n) };
    return (await read('?service=orders')).items.map(({ cells }) => cells);
  };

  it('are not those of a memory that is older than their last change', async () => {
    expect(await cellsWith({ n: 6, roleIds: [1, 2] })).toEqual(['aa', '-r', '--']);
  });

  it('are not those of an earlier role of the same key, which memory does not know by its number', async () => {
    expect(await cellsWith({ n: 7, roleIds: [1] })).toEqual(['aa', '-r', '--']);
  });

  it('are stored ones where the role is disabled, and memory does not know it', async () => {
    await allow(3, 'GET /stored');
    expect(await cellsWith({ n: 7, roleIds: [1, 2] })).toEqual(['aa', 'r-', '-r']);
  });

  it('are those in the memory of the instance, where it is as new as Postgres', async () => {
    expect(await cellsWith({ n: 7, roleIds: [1, 2] })).toEqual(['aa', 'r-', '--']);
  });
});
