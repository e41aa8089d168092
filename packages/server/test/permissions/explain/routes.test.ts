import { type Caller, type DataScope, endpoints } from '@portcullis/contract';
import { compile } from '@portcullis/policy';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createYielding } from '../../../src/base/values/yielding.ts';
import { listDepartmentsInScope } from '../../../src/people/departments/data-scope-store.ts';
import { addUses } from '../../../src/permissions/exclusions/exclusion-use-store.ts';
import { permissionRoutes } from '../../../src/permissions/explain/routes.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';
import { administrator, type ServedRoutes, serveRoutes } from '../../serve-routes.ts';

let database: FreshDatabase;
let served: ServedRoutes;
let caller: Caller;

beforeAll(async () => {
  database = await createFreshDatabase();
  const { store } = database;
  const routes = permissionRoutes({
    store,
    endpoints,
    exclusions: ['GET /api/v1/user/profile', 'POST /api/v1/login'],
    rules: { snapshot: compile([], 3) },
    listDepartments: (asking) => listDepartmentsInScope(store, asking),
    turns: createYielding({ monotonic: () => performance.now() }),
  });
  served = serveRoutes(routes, () => caller);
  await seedDirectory(store);
  await store.updateTable('users').set({ password_due: true }).where('id', '=', 8).execute();
  await store
    .insertInto('users')
    .values({
      id: 9,
      username: 'far',
      canonical_username: 'far',
      department_id: 2,
      role_id: 3,
      password_hash: 'hash',
    })
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

const mei = (dataScope: DataScope): Caller => ({
  ...administrator,
  userId: 7,
  username: 'mei',
  roleId: 2,
  roleKey: 'editor',
  dataScope,
});
const explain = (query: string) => served.send('GET', `/explain?${query}`);
const request = 'method=GET&path=/api/v1/keys';

describe('an explanation', () => {
  it.each([
    ['nobody', request],
    ['a role and a user', `roleKey=editor&userId=7&${request}`],
    ['no path', 'roleKey=editor&method=GET'],
    ['no method', 'roleKey=editor&path=/a'],
    ['a role that cannot be', `roleKey=Editor&${request}`],
    ['a user that cannot be', `userId=0&${request}`],
  ])('of %s is answered with 400', async (_what, query) => {
    expect(await explain(query)).toMatchObject({ status: 200, code: 400 });
  });

  it.each([
    ['a role that there is not', `roleKey=nobody&${request}`],
    ['a user that there is not', `userId=4711&${request}`],
  ])('of %s is answered with 404', async (_what, query) => {
    expect(await explain(query)).toMatchObject({ status: 200, code: 404 });
  });

  it('of a user outside the data scope is answered like one of a user that there is not', async () => {
    for (const [scope, userId, code] of [
      ['5', 8, 404],
      ['3', 9, 404],
      ['2', 8, 404],
      ['5', 7, 200],
      ['3', 8, 200],
      ['1', 9, 200],
    ] as const) {
      caller = mei(scope);
      expect([scope, userId, (await explain(`userId=${userId}&${request}`)).code]).toEqual([
        scope,
        userId,
        code,
      ]);
    }
  });

  it('of a deleted user is answered with 404', async () => {
    const set = (deleted_at: Date | null) =>
      database.store.updateTable('users').set({ deleted_at }).where('id', '=', 7).execute();
    await set(new Date());
    expect(await explain(`userId=7&${request}`)).toMatchObject({ code: 404 });
    await set(null);
  });

  it('returns the state of the user and the role', async () => {
    expect((await explain(`userId=8&${request}`)).data).toMatchObject({
      decision: 'deny',
      step: 'password_change_required',
      subject: {
        userId: 8,
        username: 'kim',
        roleKey: 'editor',
        userEnabled: true,
        roleEnabled: true,
        passwordChangeRequired: true,
      },
      revision: 3,
    });
    expect((await explain(`userId=9&${request}`)).data).toMatchObject({ step: 'role_disabled' });
    expect((await explain(`roleKey=former&${request}`)).data).toMatchObject({ step: 'role_disabled' });
    expect((await explain(`roleKey=editor&${request}`)).data).toMatchObject({
      step: 'no_rule',
      endpoint: { path: '/api/v1/keys', access: 'permission' },
    });
  });

  it('knows the exclusion list', async () => {
    expect((await explain('roleKey=editor&method=GET&path=/api/v1/user/profile')).data).toMatchObject({
      decision: 'allow',
      step: 'excluded',
    });
  });
});

describe('the access of a user', () => {
  it('is answered with 404 outside the data scope, and for an unknown user', async () => {
    for (const [scope, userId, code] of [
      ['5', 8, 404],
      ['3', 9, 404],
      ['2', 8, 404],
      ['1', 4711, 404],
      ['5', 7, 200],
      ['3', 8, 200],
    ] as const) {
      caller = mei(scope);
      const answer = await served.send('GET', `/users/${userId}/access`);
      expect([scope, userId, answer.code]).toEqual([scope, userId, code]);
    }
  });

  it('says what keeps the user from it', async () => {
    for (const [userId, blockedBy] of [
      [7, null],
      [8, 'password_change_required'],
      [9, 'role_disabled'],
    ] as const)
      expect((await served.send('GET', `/users/${userId}/access`)).data).toMatchObject({
        blockedBy,
        subject: { userId },
        complete: true,
      });
  });

  it('includes public endpoints, those for every user and excluded ones, and no other without a rule', async () => {
    const { data } = await served.send('GET', '/users/7/access');
    const { count, items } = (data as { routes: { count: number; items: Record<string, unknown>[] } }).routes;
    expect(count).toBe(items.length);
    expect(items).toContainEqual({
      service: 'portcullis',
      method: 'GET',
      path: '/api/v1/user/profile',
      title: 'View your own profile',
      by: 'excluded',
      reach: 'all',
      rules: [],
    });
    expect(new Set(items.map(({ by }) => by))).toEqual(new Set(['public', 'identity', 'excluded']));
  });
});

describe('the exclusion list', () => {
  const profile = 'GET /api/v1/user/profile';
  const items = async () =>
    ((await served.send('GET', '/exclusions')).data as { items: Record<string, unknown>[] }).items;

  it('shows its entries in the order of the endpoints, unused ones too', async () => {
    expect(await items()).toEqual([
      { method: 'POST', path: '/api/v1/login', title: 'Log in', access: 'public', uses: 0, days: [] },
      {
        method: 'GET',
        path: '/api/v1/user/profile',
        title: 'View your own profile',
        access: 'permission',
        uses: 0,
        days: [],
      },
    ]);
  });

  it('counts the uses of all instances by day, of the last 30 days', async () => {
    const { store } = database;
    for (const [age, n] of [
      [29, 5],
      [30, 100],
    ] as const)
      await sql`insert into exclusion_uses values (${profile}, (now() at time zone 'utc')::date - ${age}::int, ${n})`.execute(
        store,
      );
    await Promise.all([1, 2, 3].map((n) => addUses(store, new Map([[profile, n]]))));
    await addUses(store, new Map([['GET /api/v1/removed', 9]]));
    const [, item] = await items();
    expect(item).toMatchObject({ uses: 11, days: [{ uses: 6 }, { uses: 5 }] });
    const { rows } = await sql`select from exclusion_uses where n = 100`.execute(store);
    expect(rows).toEqual([]);
  });
});
