import {
  type AuditFilter,
  auditFields,
  type Caller,
  type DataScope,
  exportAuditEndpoint,
  type Route,
} from '@portcullis/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRecordChange } from '../../../src/logs/audit/record-change.ts';
import { auditRoutes } from '../../../src/logs/audit/routes.ts';
import { listDepartmentsInScope } from '../../../src/people/departments/data-scope-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { handlerOf } from '../../handler-of.ts';
import { idAt } from '../../id-at.ts';
import { seedDirectory } from '../../seed-directory.ts';
import { administrator, type ServedRoutes, serveRoutes } from '../../serve-routes.ts';
import { insertAudit, untriggered } from './audit-world.ts';

const start = Date.parse('2026-03-01T00:00:00Z');
const minute = 60_000;
let database: FreshDatabase;
let routes: Route[];
let served: ServedRoutes;
let caller: Caller;
let now: number;

beforeAll(async () => {
  database = await createFreshDatabase();
  const { store } = database;
  routes = auditRoutes({
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
    const paths = /^(after|limit)/.test(query) ? ['/audit'] : ['/audit', '/audit/export'];
    for (const path of paths)
      expect(await served.send('GET', `${path}?${query}`), path).toMatchObject({ status: 200, code: 400 });
  },
);

describe('a data scope', () => {
  it.each([
    ['5, the own rows', callerOf(7, 'mei', '5'), ['mei']],
    ['3, the own department', callerOf(7, 'mei', '3'), ['kim', 'mei']],
    ['2 without departments', callerOf(10, 'eve', '2'), ['eve']],
    ['1, all', callerOf(7, 'mei', '1'), ['eve', 'ada', 'kim', 'mei']],
  ])(
    'of %s shows the caller’s changes and those of people in the scope',
    async (_scope, asking, expected) => {
      caller = asking;
      expect(await actorsIn()).toEqual(expected);
    },
  );

  it('hides the changes of others also where they are asked for by name', async () => {
    caller = callerOf(7, 'mei', '5');
    expect(await list('?actorId=8')).toEqual([]);
    expect(await list('?target=role%204')).toEqual([]);
    expect(await list('?action=role')).toEqual([]);
  });

  it('filters by action within the scope, in one order', async () => {
    caller = callerOf(7, 'mei', '3');
    expect(await actorsIn('?action=user')).toEqual(['kim', 'mei']);
    expect(await actorsIn('?action=user&limit=1')).toEqual(['kim']);
    expect(await actorsIn('?action=user.create')).toEqual(['mei']);
  });

  it('goes on for the changes of a deleted user', async () => {
    await database.store.updateTable('users').set({ deleted_at: new Date() }).where('id', '=', 8).execute();
    caller = callerOf(7, 'mei', '3');
    expect(await actorsIn()).toEqual(['kim', 'mei']);
  });
});

it('returns actor, action, before and after', async () => {
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
    names: { 'user 20': 'Lin Wu' },
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

describe('the names of objects that a record names by number', () => {
  type Named = Item & { readonly target: string; readonly names: Readonly<Record<string, string>> };
  const add = async (action: string, target: string, before: unknown, after: unknown) => {
    const recordChange = createRecordChange(() => now);
    now += minute;
    await database.store
      .transaction()
      .execute((transaction) =>
        recordChange(
          transaction,
          { caller: callerOf(7, 'mei'), requestId: 'r1', ip: '192.0.2.7' },
          { action, target, before, after },
        ),
      );
  };
  const namesOf = async (target: string) =>
    ((await list(`?target=${encodeURIComponent(target)}`)) as Named[]).map(({ names }) => names);

  beforeAll(async () => {
    await database.store.updateTable('users').set({ nick_name: 'Eve Hart' }).where('id', '=', 10).execute();
    await add('user.disable', 'user 10', { enabled: true }, { enabled: false });
    await add('user.role', 'user 8', { roleId: 2 }, { roleId: 4 });
    await add('department.update', 'department 3', { parentId: 2 }, { parentId: 1 });
    await add('role.create', 'role 5', null, { name: 'Clerk' });
    await add('rules.update', 'role 5', {}, {});
    await add('role.delete', 'role 5', { name: 'Teller' }, null);
    await add('session.end', `session ${'S'.repeat(22)}`, { userId: 10 }, null);
  });

  it('are missing where the data scope hides the actor or the object, also of a session', async () => {
    caller = callerOf(7, 'mei', '3');
    expect(await namesOf('user 10')).toEqual([{}]);
    expect(await namesOf('department 3')).toEqual([{ 'department 1': 'Department 1' }]);
    expect(await namesOf(`session ${'S'.repeat(22)}`)).toEqual([{}]);
    caller = callerOf(7, 'mei', '5');
    expect(await namesOf('user 8')).toEqual([{ 'role 2': 'Editor' }]);
  });

  it('are the current ones, for users the name or the username', async () => {
    expect(await namesOf('user 10')).toEqual([{ 'user 10': 'Eve Hart' }]);
    expect(await namesOf('user 8')).toEqual([{ 'user 8': 'kim', 'role 2': 'Editor' }]);
    expect(await namesOf('department 3')).toEqual([
      { 'department 3': 'Department 3', 'department 2': 'Department 2', 'department 1': 'Department 1' },
    ]);
    expect(await namesOf(`session ${'S'.repeat(22)}`)).toEqual([{ 'user 10': 'Eve Hart' }]);
  });

  it('are the last known ones of deleted objects, also in records without a name', async () => {
    expect(await namesOf('role 5')).toEqual(Array(3).fill({ 'role 5': 'Teller' }));
  });
});

describe('the export', () => {
  const call = (query: AuditFilter = {}) => {
    const stop = new AbortController();
    const pieces = handlerOf(
      routes,
      exportAuditEndpoint,
    )({ query, caller, setHeader() {}, signal: stop.signal } as never) as AsyncIterable<string>;
    return { stop, pieces: pieces[Symbol.asyncIterator]() };
  };
  async function exported(query?: AuditFilter): Promise<string[]> {
    const { pieces } = call(query);
    let text = '';
    for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) text += piece.value;
    return text.trimEnd().split('\r\n');
  }
  const idsIn = (lines: readonly string[]) => lines.slice(1).map((line) => line.slice(0, 36));

  it.each([
    ['5, the own rows', callerOf(7, 'mei', '5')],
    ['3, the own department', callerOf(7, 'mei', '3')],
    ['2 without departments', callerOf(10, 'eve', '2')],
    ['1, all', callerOf(7, 'mei', '1')],
  ])('in scope %s has the rows of the list, and no others', async (_scope, asking) => {
    caller = asking;
    const filters = [
      {},
      { action: 'role' },
      { target: 'user 20' },
      { actorId: 8 },
      { to: '2026-03-01T00:03:00Z' },
    ];
    for (const filter of filters) {
      const query = new URLSearchParams(
        Object.entries(filter).map(([name, value]): [string, string] => [name, String(value)]),
      );
      const listed = (await list(`?limit=100&${query}`)) as (Item & { id: string })[];
      expect(idsIn(await exported(filter)), JSON.stringify(filter)).toEqual(listed.map(({ id }) => id));
    }
  });

  it('has no name of what the data scope hides', async () => {
    caller = callerOf(7, 'mei', '3');
    expect((await exported({ target: 'user 10' }))[1]).toContain(',user 10,,');
    caller = administrator;
    expect((await exported({ target: 'user 10' }))[1]).toContain(',user 10,Eve Hart,');
  });

  it('asks for the data scope with every page', async () => {
    const ids: string[] = [];
    for (let n = 1; n <= 501; n += 1)
      ids.push(
        await insertAudit(database.store, { id: idAt(start + n), at: new Date(start + n), actor_id: 9 }),
      );
    const asking = { ...callerOf(7, 'mei', '1') };
    caller = asking;
    const { pieces } = call({ actorId: 9, to: new Date(start + minute).toISOString() });
    expect(idsIn((await pieces.next()).value.trimEnd().split('\r\n'))).toEqual(ids.slice(1).reverse());
    Object.assign(asking, { dataScope: '5' });
    expect((await pieces.next()).value).toBe('');
    await pieces.return?.();
    await forget(ids);
  });

  it('is refused to the ninth at once, until one of them ends', async () => {
    const open = Array.from({ length: 8 }, () => call());
    for (const { pieces } of open) await pieces.next();
    await expect(call().pieces.next()).rejects.toMatchObject({ kind: 'rate_limited' });
    await open[0]?.pieces.return?.();
    const next = call();
    expect((await next.pieces.next()).done).toBe(false);
    for (const { pieces } of [...open, next]) await pieces.return?.();
  });

  it('has no cell that a spreadsheet would compute, and one line for a record', async () => {
    const id = await insertAudit(database.store, {
      actor_name: '=cmd',
      target: '+1',
      before: JSON.stringify({ name: '@SUM(A1)\n' }),
      after: JSON.stringify('-1'),
      request_id: '\t=1',
    });
    const [fields, line] = await exported({ target: '+1' });
    await forget([id]);
    expect(fields).toBe(`\ufeff${auditFields.join(',')}`);
    expect(line).toContain(`,7,'=cmd,admin,user.update,'+1,"'@SUM(A1)`);
  });

  const forget = (ids: readonly string[]) =>
    untriggered(database.store, (store) => store.deleteFrom('audit_log').where('id', 'in', ids).execute());
});
