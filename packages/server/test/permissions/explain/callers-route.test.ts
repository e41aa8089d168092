import {
  type Caller,
  type Callers,
  countedUsersLimit,
  type DataScope,
  endpoints,
} from '@portcullis/contract';
import { compile, parseRule } from '@portcullis/policy';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createYielding } from '../../../src/base/values/yielding.ts';
import { listDepartmentsInScope } from '../../../src/people/departments/data-scope-store.ts';
import { callersRoute } from '../../../src/permissions/explain/callers-route.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';
import { administrator, type ServedRoutes, serveRoutes } from '../../serve-routes.ts';

let database: FreshDatabase;
let served: ServedRoutes;
let caller: Caller;

const snapshot = compile(
  [
    ['editor', '*', '/orders/*'],
    ['former', 'GET', '/orders/:id'],
    ['clerk', 'GET', '/orders/7'],
    ['idle', 'GET', '/orders/:id'],
  ].flatMap(([roleKey = '', method = '', path = '']) => {
    const parsed = parseRule({ roleKey, method, path });
    return 'rule' in parsed ? [parsed.rule] : [];
  }),
  3,
);

beforeAll(async () => {
  database = await createFreshDatabase();
  const { store } = database;
  const route = callersRoute({
    store,
    endpoints,
    exclusions: ['GET /api/v1/user/profile'],
    rules: { snapshot },
    listDepartments: (asking) => listDepartmentsInScope(store, asking),
    turns: createYielding({ monotonic: () => performance.now() }),
  });
  served = serveRoutes([route], () => caller);
  await seedDirectory(store);
  await store
    .insertInto('roles')
    .values([
      { id: 4, role_key: 'clerk', name: 'Clerk', data_scope: '3' },
      { id: 5, role_key: 'idle', name: 'Idle', data_scope: '3' },
    ])
    .execute();
  await store
    .insertInto('users')
    .values(
      (
        [
          [1, 'root', 2, 1],
          [9, 'far', 2, 2],
          [10, 'cleo', 1, 4],
          [11, 'gone', 1, 3],
          [12, 'off', 1, 2],
        ] as const
      ).map(([id, username, department_id, role_id]) => ({
        ...{ id, username, canonical_username: username, department_id, role_id },
        enabled: username !== 'off',
        password_hash: 'hash',
      })),
    )
    .execute();
});
afterAll(async () => {
  expect(served.faults).toEqual([]);
  await served.close();
  await database.drop();
});
beforeEach(() => {
  caller = administrator;
});

const ask = (method: string, path: string, more = '') =>
  served.send('GET', `/routes/callers?method=${method}&path=${encodeURIComponent(path)}${more}`);
async function find(method: string, path: string, more = ''): Promise<Callers> {
  return (await ask(method, path, more)).data as Callers;
}
const inScope = (dataScope: DataScope): Caller => ({
  ...administrator,
  ...{ userId: 7, username: 'mei', roleId: 2, roleKey: 'editor', dataScope },
});
const names = ({ items }: Callers) => items.map(({ username }) => username);

describe('the callers of a request', () => {
  it.each([
    ['no method', '/routes/callers?path=/a'],
    ['no path', '/routes/callers?method=GET'],
    ['a place that is none', '/routes/callers?method=GET&path=/a&after=x'],
    ['no limit', '/routes/callers?method=GET&path=/a&limit=0'],
  ])('with %s is refused', async (_what, url) => {
    expect(await served.send('GET', url)).toMatchObject({ code: 400 });
  });

  it('are empty for a request that is refused for its form, also for admin', async () => {
    expect(await find('GET', '/orders//7')).toMatchObject({
      needsRule: true,
      roles: { count: 0 },
      people: { count: 0, more: false },
      items: [],
      next: null,
    });
  });

  it('are not searched for an endpoint without a rule', async () => {
    const open = { needsRule: false, roles: { count: 0 }, people: { count: 0 }, items: [] };
    expect(await find('POST', '/api/v1/login')).toMatchObject({ ...open, endpoint: { access: 'public' } });
    expect(await find('GET', '/api/v1/user/profile')).toMatchObject({
      ...open,
      endpoint: { excluded: true },
    });
  });

  it('are listed with role and rule, admin last, without disabled people and disabled roles', async () => {
    const editor = {
      roleId: 2,
      roleKey: 'editor',
      roleName: 'Editor',
      rule: { method: '*', path: '/orders/*' },
    };
    const found = await find('GET', '/orders/7');
    expect(found).toMatchObject({
      endpoint: null,
      needsRule: true,
      revision: 3,
      people: { count: 5, more: false },
    });
    expect(found.roles).toEqual({
      count: 4,
      items: [
        { ...editor, reach: 'all' },
        expect.objectContaining({
          roleKey: 'clerk',
          rule: { method: 'GET', path: '/orders/7' },
          reach: 'all',
        }),
        expect.objectContaining({ roleKey: 'idle' }),
        expect.objectContaining({ roleKey: 'admin', rule: null, reach: 'all' }),
      ],
    });
    expect(names(found)).toEqual(['far', 'kim', 'mei', 'cleo', 'root']);
    expect(found.items[1]).toEqual({
      ...{ id: 8, username: 'kim', name: '', departmentId: 1, departmentName: 'Department 1' },
      ...{ ...editor, reach: 'all' },
    });
  });

  it('include, for a declared path, callers of a part of it', async () => {
    const { roles } = await find('GET', '/orders/:id');
    expect(roles.items.map(({ roleKey, reach }) => `${roleKey} ${reach}`)).toEqual([
      'editor all',
      'clerk some',
      'idle all',
      'admin all',
    ]);
    expect(names(await find('DELETE', '/orders/8'))).toEqual(['far', 'kim', 'mei', 'root']);
    expect(names(await find('DELETE', '/bills/8'))).toEqual(['root']);
  });

  it.each([
    ['5', ['mei'], 1],
    ['3', ['kim', 'mei', 'cleo'], 3],
    ['1', ['far', 'kim', 'mei', 'cleo', 'root'], 5],
  ] as const)('are limited to the data scope %s', async (dataScope, expected, count) => {
    caller = inScope(dataScope);
    const found = await find('GET', '/orders/7');
    expect(names(found)).toEqual(expected);
    expect(found.people).toEqual({ count, more: false });
    expect(JSON.stringify(found).includes('root')).toBe(dataScope === '1');
  });

  it.each([1, 2, 3])('comes in pages of %i, each person once', async (limit) => {
    const seen: string[] = [];
    let pages = 0;
    for (let after = ''; pages < 10; pages += 1) {
      const page = await find('GET', '/orders/7', `&limit=${limit}${after && `&after=${after}`}`);
      seen.push(...names(page));
      if (page.next === null) break;
      after = page.next;
    }
    expect(seen).toEqual(['far', 'kim', 'mei', 'cleo', 'root']);
    expect(pages).toBeLessThan(5);
  });

  it('are counted up to a bound', async () => {
    const { store } = database;
    await sql`
      insert into users (username, canonical_username, department_id, role_id, password_hash)
      select 'many' || n, 'many' || n, 3, 2, 'hash' from generate_series(1, ${countedUsersLimit}::int) as n`.execute(
      store,
    );
    const { people, items, next } = await find('GET', '/orders/7', '&limit=100');
    expect(people).toEqual({ count: expect.any(Number), more: true });
    expect(people.count).toBeGreaterThan(countedUsersLimit - 5);
    expect([items.length, next]).toEqual([100, expect.any(String)]);
    caller = inScope('3');
    expect((await find('GET', '/orders/7')).people).toEqual({ count: 3, more: false });
    await store.deleteFrom('users').where('username', 'like', 'many%').execute();
  });
});
