import { type Caller, countedUsersLimit, type RuleComparison } from '@portcullis/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createYielding } from '../../../src/base/values/yielding.ts';
import { createRecordChange } from '../../../src/logs/audit/record-change.ts';
import { listDepartmentsInScope } from '../../../src/people/departments/data-scope-store.ts';
import { countHolders } from '../../../src/people/users/holder-count-store.ts';
import { resolveUserScope } from '../../../src/people/users/user-scope.ts';
import { listAllRoutes, replaceRoutes } from '../../../src/permissions/catalog/catalog-store.ts';
import { compareCallable } from '../../../src/permissions/catalog/compare-callable.ts';
import { ruleRoutes } from '../../../src/permissions/rules/routes.ts';
import { type AccessStandIn, createAccessStandIn } from '../../access-stand-in.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';
import { administrator, type ServedRoutes, serveRoutes } from '../../serve-routes.ts';

let database: FreshDatabase;
let access: AccessStandIn;
let served: ServedRoutes;
let caller: Caller;

beforeAll(async () => {
  database = await createFreshDatabase();
  const { store } = database;
  access = createAccessStandIn(store);
  const routes = ruleRoutes({
    store,
    access,
    recordChange: createRecordChange(),
    checkRules: async () => {},
    turns: createYielding({ monotonic: () => performance.now() }),
    compareRoutes: (before, after) =>
      compareCallable({
        routes: listAllRoutes(store),
        endpoints: [],
        exclusions: [],
        before,
        after,
        limit: 10,
      }),
    countUsers: async (asking, roleId) => {
      const scope = await resolveUserScope(asking, (each) => listDepartmentsInScope(store, each));
      return (await countHolders(store, scope, [roleId])).users;
    },
  });
  served = serveRoutes(routes, () => caller);
  await seedDirectory(store);
  const orders = [
    { method: 'GET', path: '/orders/:id', title: 'View an order', tag: null },
    { method: 'PUT', path: '/orders/:id', title: 'Change an order', tag: null },
  ] as const;
  await store.transaction().execute((transaction) => replaceRoutes(transaction, 'orders', orders));
});
afterAll(async () => {
  await served.close();
  await database.drop();
});
beforeEach(async () => {
  caller = administrator;
  await database.store.deleteFrom('rules').execute();
  const stored = [rule('GET /orders/*'), rule('GET /orders/:id'), rule('PUT /orders/7'), rule('get /(.*)')];
  await database.store
    .insertInto('rules')
    .values(stored.map((each) => ({ role_id: 2, ...each })))
    .execute();
});

function rule(text: string) {
  const [method = '', path = ''] = text.split(' ');
  return { method, path };
}
async function compare(add: string[], remove: string[] = []): Promise<RuleComparison> {
  const { data } = await served.send('POST', '/roles/2/rules/compare', {
    add: add.map(rule),
    remove: remove.map(rule),
  });
  return data as RuleComparison;
}

it.each([
  ['/roles/99/rules/compare', { add: [rule('GET /a')] }, 404],
  ['/roles/1/rules/compare', { add: [rule('GET /a')] }, 409],
  ['/roles/2/rules/compare', {}, 400],
  ['/roles/2/rules/compare', { add: [rule('GET a')] }, 400],
  ['/roles/2/rules/compare', { add: [rule('GET /a')], ifRevision: 1 }, 400],
  ['/roles/2/rules/compare', { add: [rule('GET /a')], rollbackTo: 1 }, 400],
  ['/roles/2/rules/compare', { rollbackTo: -1 }, 400],
  ['/roles/1/rules/compare', { rollbackTo: 1 }, 409],
])('%s with %j is refused with code %i', async (url, body, code) => {
  expect(await served.send('POST', url, body)).toMatchObject({ code });
});

it('reports no affected people for a draft that changes nothing', async () => {
  expect(await compare(['GET /orders/*'], ['GET /gone'])).toMatchObject({
    added: [],
    removed: [],
    gains: [],
    losses: [],
    routes: { gained: { count: 0 }, lost: { count: 0 }, complete: true },
    users: { count: 0, more: false },
  });
});

it('rules that others cover are changes, but neither gains nor losses', async () => {
  expect(await compare(['GET /orders/:id/items'], ['GET /orders/:id', 'get /(.*)'])).toMatchObject({
    added: [rule('GET /orders/:id/items')],
    removed: [rule('GET /orders/:id'), rule('get /(.*)')],
    gains: [],
    losses: [],
    users: { count: 0, more: false },
  });
});

it('a draft shows the rules, the routes and the people that gain and lose, and changes nothing', async () => {
  const comparison = await compare(
    ['PUT /orders/:id', 'PUT /orders/:id', 'GET /bills'],
    ['GET /orders/*', 'GET /orders/:id', 'PUT /orders/7'],
  );
  expect(comparison).toEqual({
    revision: expect.any(Number),
    added: [rule('PUT /orders/:id'), rule('GET /bills')],
    removed: [rule('GET /orders/*'), rule('GET /orders/:id'), rule('PUT /orders/7')],
    gains: [rule('PUT /orders/:id'), rule('GET /bills')],
    losses: [rule('GET /orders/*'), rule('GET /orders/:id')],
    routes: {
      gained: {
        count: 1,
        items: [
          {
            service: 'orders',
            method: 'PUT',
            path: '/orders/:id',
            title: 'Change an order',
            before: 'some',
            after: 'all',
          },
        ],
      },
      lost: { count: 1, items: [expect.objectContaining({ method: 'GET', before: 'all', after: 'none' })] },
      complete: true,
    },
    users: { count: 2, more: false },
  });
  expect(access.takeWritten()).toEqual([]);
  expect(await database.store.selectFrom('rules').select('path').execute()).toHaveLength(4);
});

it('counts users up to a bound, and only those who can log in', async () => {
  const { store } = database;
  await store.updateTable('users').set({ enabled: false }).where('id', '=', 8).execute();
  expect((await compare(['GET /bills'])).users).toEqual({ count: 1, more: false });
  await sql`
    insert into users (username, canonical_username, department_id, role_id, password_hash)
    select 'many' || n, 'many' || n, 1, 2, 'hash' from generate_series(1, ${countedUsersLimit}::int) as n`.execute(
    store,
  );
  const { users } = await compare(['GET /bills']);
  expect(users.more).toBe(true);
  expect(users.count).toBeGreaterThan(countedUsersLimit - 2);
  await store.deleteFrom('users').where('username', 'like', 'many%').execute();
  await store.updateTable('users').set({ enabled: true }).where('id', '=', 8).execute();
});

it('counts no user outside the data scope', async () => {
  const { store } = database;
  const far = { id: 9, username: 'far', canonical_username: 'far', password_hash: 'hash' };
  await store
    .insertInto('users')
    .values({ ...far, department_id: 2, role_id: 2 })
    .execute();
  const count = async (dataScope: Caller['dataScope']) => {
    caller = { ...administrator, userId: 7, roleKey: 'editor', roleId: 2, dataScope };
    return (await compare(['GET /bills'])).users.count;
  };
  expect(await count('5')).toBe(1);
  expect(await count('3')).toBe(2);
  expect(await count('1')).toBe(3);
  await store.deleteFrom('users').where('id', '=', 9).execute();
});

it('a rollback is compared before it is made, and one further back than the history is refused', async () => {
  await database.store.deleteFrom('rules').execute();
  const change = async (body: object) => (await served.send('POST', '/roles/2/rules', body)).revision ?? 0;
  const before = await change({ add: [rule('GET /orders/:id')] });
  await change({ add: [rule('PUT /orders/:id')], remove: [rule('GET /orders/:id')] });
  const back = (rollbackTo: number) => served.send('POST', '/roles/2/rules/compare', { rollbackTo });
  expect((await back(before)).data).toMatchObject({
    added: [rule('GET /orders/:id')],
    removed: [rule('PUT /orders/:id')],
    routes: {
      gained: { count: 1, items: [{ method: 'GET', path: '/orders/:id' }] },
      lost: { count: 1, items: [{ method: 'PUT', path: '/orders/:id' }] },
    },
    users: { count: 2 },
  });
  await sql`update roles set recorded_from = ${before} where id = 2`.execute(database.store);
  expect((await back(before - 1)).code).toBe(409);
});
