import type { Caller, DataScope } from '@portcullis/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRecordChange } from '../../src/audit/record-change.ts';
import { auditRoutes } from '../../src/audit/routes.ts';
import { listDepartmentsInScope } from '../../src/directory/departments/department-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../fresh-database.ts';
import { seedDirectory } from '../seed-directory.ts';
import { administrator, type ServedRoutes, serveRoutes } from '../serve-routes.ts';

const start = Date.parse('2026-03-01T00:00:00Z');
const minute = 60_000;
let database: FreshDatabase;
let served: ServedRoutes;
let caller: Caller;
let now: number;

beforeAll(async () => {
  database = await createFreshDatabase();
  const { store } = database;
  const routes = auditRoutes({
    store,
    listDepartments: (asking) => listDepartmentsInScope(store, asking),
  });
  served = serveRoutes(routes, () => caller);
  await seedDirectory(store);
  await store
    .insertInto('users')
    .values(
      [
        { id: 9, username: 'ada', department_id: 2 },
        { id: 10, username: 'eve', department_id: 3 },
      ].map((user) => ({ ...user, canonical_username: user.username, role_id: 2, password_hash: 'hash' })),
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

const callerOf = (userId: number, username: string, dataScope: DataScope = '3'): Caller => ({
  ...administrator,
  userId,
  username,
  roleId: 2,
  roleKey: 'editor',
  dataScope,
});

/** One a minute: 7 mei and 8 kim are of department 1, 9 ada of 2, 10 eve of 3. */
const changes = [
  [callerOf(7, 'mei'), 'user.create', 'user 20', null, { name: 'Lin' }],
  [callerOf(8, 'kim'), 'user.rename', 'user 20', { name: 'Lin' }, { name: 'Lin Wu' }],
  [callerOf(9, 'ada'), 'role.create', 'role 4', null, { roleKey: 'clerk' }],
  [callerOf(10, 'eve'), 'role.delete', 'role 4', { roleKey: 'clerk' }, null],
] as const;

beforeAll(async () => {
  const recordChange = createRecordChange(() => now);
  now = start;
  for (const [by, action, target, before, after] of changes) {
    await database.store
      .transaction()
      .execute((transaction) =>
        recordChange(
          transaction,
          { caller: by, requestId: 'r1', ip: '192.0.2.7' },
          { action, target, before, after },
        ),
      );
    now += minute;
  }
});

interface Item {
  readonly actorName: string;
  readonly action: string;
}

async function list(query = ''): Promise<Item[]> {
  const { code, data } = await served.send('GET', `/audit${query}`);
  expect(code).toBe(200);
  return (data as { items: Item[] }).items;
}
const actorsIn = async (query = '') => (await list(query)).map(({ actorName }) => actorName);

it.each(['actorId=-1', 'action=User', 'action=%25', 'target=', 'from=yesterday', 'after=x', 'limit=101'])(
  'answers the query %s with 400',
  async (query) => {
    expect(await served.send('GET', `/audit?${query}`)).toMatchObject({ status: 200, code: 400 });
  },
);

describe('a data scope', () => {
  it.each([
    ['5, the own rows', callerOf(7, 'mei', '5'), ['mei']],
    ['3, the own department', callerOf(7, 'mei', '3'), ['kim', 'mei']],
    ['2 without departments', callerOf(10, 'eve', '2'), ['eve']],
    ['1, all', callerOf(7, 'mei', '1'), ['eve', 'ada', 'kim', 'mei']],
  ])('of %s shows the own changes and those of whom it reaches', async (_scope, asking, expected) => {
    caller = asking;
    expect(await actorsIn()).toEqual(expected);
  });

  it('hides the changes of others also where they are asked for by name', async () => {
    caller = callerOf(7, 'mei', '5');
    expect(await list('?actorId=8')).toEqual([]);
    expect(await list('?target=role%204')).toEqual([]);
  });

  it('goes on for the changes of a deleted user', async () => {
    await database.store.updateTable('users').set({ deleted_at: new Date() }).where('id', '=', 8).execute();
    caller = callerOf(7, 'mei', '3');
    expect(await actorsIn()).toEqual(['kim', 'mei']);
  });
});

it('shows who, what, before and after', async () => {
  const [item] = await list('?actorId=8');
  expect(item).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
    at: '2026-03-01T00:01:00.000Z',
    actorId: 8,
    actorName: 'kim',
    actorRole: 'editor',
    action: 'user.rename',
    target: 'user 20',
    before: { name: 'Lin' },
    after: { name: 'Lin Wu' },
    requestId: 'r1',
    ip: '192.0.2.7',
  });
});

it.each([
  ['action=role', ['eve', 'ada']],
  ['action=role.c', ['ada']],
  ['action=use_', []],
  ['target=user%2020', ['kim', 'mei']],
  ['target=user', []],
  ['actorId=9', ['ada']],
  ['actorId=0', []],
  ['from=2026-03-01T00:01:00Z&to=2026-03-01T00:03:00Z', ['ada', 'kim']],
  ['from=2026-03-01T00:01:00.001Z', ['eve', 'ada']],
  ['action=user&actorId=7', ['mei']],
])('finds by %s', async (query, expected) => {
  expect(await actorsIn(`?${query}`)).toEqual(expected);
});

it('is newest first and in pages that neither repeat nor miss a record', async () => {
  const seen: string[] = [];
  for (let after = ''; ; ) {
    const { data } = await served.send('GET', `/audit?limit=1${after}`);
    const { items, next } = data as { items: Item[]; next: string | null };
    seen.push(...items.map(({ actorName }) => actorName));
    if (next === null) break;
    after = `&after=${next}`;
  }
  expect(seen).toEqual(['eve', 'ada', 'kim', 'mei']);
});
