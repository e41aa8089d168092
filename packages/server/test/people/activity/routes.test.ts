import type { Activity, Caller, DataScope } from '@portcullis/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRecordChange } from '../../../src/logs/audit/record-change.ts';
import { insertLoginRows } from '../../../src/logs/login-log/login-log-store.ts';
import { activityRoutes } from '../../../src/people/activity/routes.ts';
import { listDepartmentsInScope } from '../../../src/people/departments/data-scope-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { rowWith, textsOf } from '../../logs/login-log/rows.ts';
import { seedDirectory } from '../../seed-directory.ts';
import { administrator, type ServedRoutes, serveRoutes } from '../../serve-routes.ts';

const start = Date.parse('2026-11-01T00:00:00Z');
const minute = 60_000;
let database: FreshDatabase;
let served: ServedRoutes;
let caller: Caller;

const callerOf = (userId: number, username: string, dataScope: DataScope): Caller => ({
  ...administrator,
  userId,
  username,
  roleId: 2,
  roleKey: 'editor',
  dataScope,
});
const eve = callerOf(10, 'eve', '3');
const kim = callerOf(8, 'kim', '3');
const jti = 'S'.repeat(22);

/** One a minute. 7 mei and 8 kim are of department 1, 10 eve of 2. */
const records = [
  ['login', 7, 'ok'],
  ['login', 7, 'credentials_wrong'],
  ['login', 8, 'ok'],
  ['change', kim, 'user.update', 'user 7', { name: 'Mei' }, { name: 'Mei Lin' }],
  ['change', eve, 'user.disable', 'user 7', { enabled: true }, { enabled: false }],
  ['change', callerOf(7, 'mei', '3'), 'role.create', 'role 4', null, { name: 'Clerk' }],
  ['change', callerOf(7, 'mei', '3'), 'user.own_password', 'user 7', null, { passwordChangeRequired: false }],
  ['change', eve, 'session.end', `session ${jti}`, { userId: 7 }, null],
  ['change', kim, 'session.end', `session ${jti}`, { userId: 8 }, null],
  ['change', kim, 'user.update', 'user 70', { name: 'Otto' }, { name: 'Otto' }],
  ['login', 7, 'logout'],
] as const;

beforeAll(async () => {
  database = await createFreshDatabase();
  const { store } = database;
  await seedDirectory(store);
  await store
    .insertInto('users')
    .values({
      id: 10,
      username: 'eve',
      canonical_username: 'eve',
      role_id: 2,
      department_id: 2,
      password_hash: 'x',
    })
    .execute();
  let at = start;
  const recordChange = createRecordChange(() => at);
  for (const [kind, who, what, target, before, after] of records) {
    if (kind === 'login') {
      const outcome = what === 'credentials_wrong' ? 'failure' : 'success';
      await insertLoginRows(store, textsOf([rowWith({ userId: who, reason: what, outcome }, at)]));
    } else
      await store
        .transaction()
        .execute((transaction) =>
          recordChange(
            transaction,
            { caller: who, requestId: 'r1', ip: '192.0.2.7' },
            { action: what, target, before, after },
          ),
        );
    at += minute;
  }
  served = serveRoutes(
    activityRoutes({
      store,
      listDepartments: (asking) => listDepartmentsInScope(store, asking),
      now: () => at,
      monotonic: () => 0,
    }),
    () => caller,
  );
});
afterAll(async () => {
  expect(served.faults).toEqual([]);
  await served.close();
  await database.drop();
});
beforeEach(() => {
  caller = administrator;
});

const nameOf = ({ login, change }: Activity) => login?.reason ?? change?.action;
async function list(id: number, query = ''): Promise<(string | undefined)[]> {
  const { code, data } = await served.send('GET', `/users/${id}/activity${query}`);
  expect(code).toBe(200);
  return (data as { items: Activity[] }).items.map(nameOf);
}

it.each(['limit=0', 'limit=101', 'after=x'])('answers the query %s with 400', async (query) => {
  expect(await served.send('GET', `/users/7/activity?${query}`)).toMatchObject({ code: 400 });
});

describe('a data scope', () => {
  it.each([
    ['5, the own rows, of another person', callerOf(8, 'kim', '5'), 7],
    ['3, the own department, of a person of another', eve, 7],
    ['2 without departments, of oneself', callerOf(7, 'mei', '2'), 7],
    ['1, all, of an unknown person', administrator, 4711],
  ])('of %s is answered with 404', async (_scope, asking, id) => {
    caller = asking;
    expect(await served.send('GET', `/users/${id}/activity`)).toMatchObject({ status: 200, code: 404 });
  });

  it('hides changes by an actor outside the scope, of the person and of a session', async () => {
    caller = kim;
    expect(await list(7)).toEqual([
      'logout',
      'user.own_password',
      'role.create',
      'user.update',
      'credentials_wrong',
      'ok',
    ]);
  });

  it('of the own rows shows the own ones', async () => {
    caller = callerOf(7, 'mei', '5');
    expect(await list(7)).toEqual(['logout', 'user.own_password', 'role.create', 'credentials_wrong', 'ok']);
  });

  it('answers 404 for a deleted person', async () => {
    const set = (deleted_at: Date | null) =>
      database.store.updateTable('users').set({ deleted_at }).where('id', '=', 7).execute();
    await set(new Date());
    expect(await served.send('GET', '/users/7/activity')).toMatchObject({ code: 404 });
    await set(null);
  });
});

it('is newest first: logins, refusals, and changes of and by the person, each once and with names', async () => {
  expect(await list(7)).toEqual([
    'logout',
    'session.end',
    'user.own_password',
    'role.create',
    'user.disable',
    'user.update',
    'credentials_wrong',
    'ok',
  ]);
  const { data } = await served.send('GET', '/users/7/activity?limit=1');
  expect((data as { items: Activity[] }).items[0]).toMatchObject({
    at: new Date(start + 10 * minute).toISOString(),
    login: { reason: 'logout', browser: 'Firefox' },
    change: null,
  });
  const second = await served.send('GET', '/users/7/activity?limit=2');
  expect((second.data as { items: Activity[] }).items[1]?.change?.names).toEqual({ 'user 7': 'mei' });
});

it.each([1, 2, 3])('in pages of %i neither repeats nor misses a record', async (limit) => {
  const all = await list(7);
  const seen: (string | undefined)[] = [];
  for (let after = ''; seen.length <= all.length; ) {
    const { data } = await served.send('GET', `/users/7/activity?limit=${limit}${after}`);
    const { items, next } = data as { items: Activity[]; next: string | null };
    seen.push(...items.map(nameOf));
    if (next === null) break;
    after = `&after=${next}`;
  }
  expect(seen).toEqual(all);
});
