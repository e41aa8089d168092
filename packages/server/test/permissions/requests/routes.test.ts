import { AppError, type Caller, type OwnAccessRequest } from '@portcullis/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRecordChange } from '../../../src/logs/audit/record-change.ts';
import { sweepAccessRequests } from '../../../src/permissions/requests/access-request-store.ts';
import { accessRequestRoutes } from '../../../src/permissions/requests/routes.ts';
import { type AccessStandIn, createAccessStandIn } from '../../access-stand-in.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';
import { administrator, type ServedRoutes, serveRoutes } from '../../serve-routes.ts';

let database: FreshDatabase;
let access: AccessStandIn;
let served: ServedRoutes;
let caller: Caller;
/** What the role `editor` may do now and for good, and what the giver may give, as `METHOD /path`. */
let now: readonly string[];
let forGood: readonly string[];
let mayGive: readonly string[] | 'all';
/** What the clock of the budget shows. */
let clock = 0;

const mei: Caller = {
  ...administrator,
  userId: 7,
  username: 'mei',
  roleId: 2,
  roleKey: 'editor',
  dataScope: '5',
};
const kim: Caller = { ...mei, userId: 8, username: 'kim' };
const branch: Caller = {
  ...administrator,
  userId: 9,
  username: 'bo',
  roleId: 4,
  roleKey: 'branch',
  dataScope: '3',
};

beforeAll(async () => {
  database = await createFreshDatabase();
  const { store } = database;
  access = createAccessStandIn(store);
  const routes = accessRequestRoutes({
    store,
    access,
    endpoints: [
      { method: 'GET', path: '/api/v1/notices', access: 'identity', title: 'Read notices' },
      { method: 'GET', path: '/api/v1/profile', access: 'permission', title: 'Read the profile' },
      { method: 'GET', path: '/api/v1/keys', access: 'permission', title: 'List keys' },
    ] as never,
    exclusions: ['GET /api/v1/profile'],
    recordChange: createRecordChange(),
    listDepartments: async ({ dataScope }) => (dataScope === '5' ? undefined : [2]),
    checkRules: async (_transaction, _caller, _roleId, rules) => {
      const isWithin =
        mayGive === 'all' || rules.every(({ method, path }) => mayGive.includes(`${method} ${path}`));
      if (!isWithin) throw new AppError('exceeds_own_permissions');
    },
    may: {
      now: async (_roleKey, { method, path }) => now.includes(`${method} ${path}`),
      forGood: async (_roleKey, { method, path }) => forGood.includes(`${method} ${path}`),
    },
    now: () => clock,
  });
  served = serveRoutes(routes, () => caller);
  await seedDirectory(store);
  await store
    .insertInto('catalog')
    .values([
      { service: 'orders', method: 'GET', path: '/api/v1/orders/:id', title: 'Read an order' },
      { service: 'orders', method: 'DELETE', path: '/api/v1/orders/:id', title: 'Cancel an order' },
      { service: 'orders', method: 'GET', path: '/api/v1/orders/open', title: 'Open orders' },
    ])
    .execute();
});
afterAll(async () => {
  await served.close();
  await database.drop();
});
beforeEach(async () => {
  const { store } = database;
  await store.deleteFrom('access_requests').execute();
  await store.deleteFrom('temporary_rules').execute();
  await store
    .updateTable('users')
    .set({ enabled: true, role_id: 2, deleted_at: null, department_id: 1 })
    .where('id', 'in', [7, 8])
    .execute();
  await store.updateTable('roles').set({ enabled: true }).where('id', '=', 2).execute();
  access.takeWritten();
  caller = mei;
  [now, forGood, mayGive] = [[], [], 'all'];
  clock += 24 * 3600 * 1000;
});

const order = { method: 'DELETE', path: '/api/v1/orders/1042' };
const wish = { ...order, reason: 'It was sent twice.', seconds: 28_800 };
const ask = (body: object = {}) => served.send('POST', '/user/access-requests', { ...wish, ...body });
const own = async () =>
  ((await served.send('GET', '/user/access-requests')).data as { items: OwnAccessRequest[] }).items;
const open = async (query = '') =>
  (await served.send('GET', `/access-requests${query}`)).data as {
    items: { id: number }[];
    next: string | null;
  };
const answer = (id: number, body: object = {}) =>
  served.send('POST', `/access-requests/${id}/decision`, { decision: 'approve', seconds: 28_800, ...body });
const idOf = async (body: object = {}) => ((await ask(body)).data as { id: number }).id;
const records = async () =>
  await database.store
    .selectFrom('audit_log')
    .select(['action', 'target', 'after'])
    .orderBy('id', 'desc')
    .execute();
const rules = async () =>
  await database.store
    .selectFrom('temporary_rules')
    .select(['role_id', 'method', 'path', 'given_by'])
    .execute();
const isOf = (after: unknown, id: number) => (after as { request?: number }).request === id;
const age = (id: number, days: number) =>
  database.store
    .updateTable('access_requests')
    .set({ asked_at: sql<Date>`now() - ${days} * interval '1 day'` })
    .where('id', '=', id)
    .execute();

describe('asking', () => {
  it.each([
    ['without a reason', { reason: '' }],
    ['with more words than 500 characters', { reason: 'x'.repeat(501) }],
    ['with invisible characters', { reason: 'fine\u202etxt.exe' }],
    ['for every method', { method: '*' }],
    ['for less than ten seconds', { seconds: 9 }],
    ['for more than 31 days', { seconds: 31 * 24 * 3600 + 1 }],
    ['for another person', { userId: 8 }],
    ['with a space in the path', { path: '/api/v1/orders/1 2' }],
  ])('%s is answered with 400', async (_what, body) => {
    expect(await ask(body)).toMatchObject({ code: 400 });
    expect(await own()).toEqual([]);
  });

  it.each([
    '/api/v1/nothing',
    '/api/v1/orders',
    '/api/v1/orders/',
    '/api/v1/orders/*',
    '/api/v1/orders/:other',
    '/api/v1/orders/x*',
    '/api/v1/orders/a@b',
    `/api/v1/orders/${'x'.repeat(65)}`,
    '/api/v1/orders/7?all=1',
    '/api/v1//orders/7',
    '/api/v1/orders/..',
    '/*',
  ])('for %s, which is no endpoint, is answered with what to do', async (path) => {
    expect(await ask({ path })).toMatchObject({
      code: 400,
      body: { msg: expect.stringContaining('No endpoint') },
    });
    expect(await own()).toEqual([]);
  });

  it('for a call that is allowed already, or open to every user, is refused with that reason', async () => {
    now = ['DELETE /api/v1/orders/1042'];
    for (const call of [
      order,
      { method: 'GET', path: '/api/v1/notices' },
      { method: 'GET', path: '/api/v1/profile' },
    ])
      expect(await ask(call)).toMatchObject({ code: 409, body: { msg: expect.stringContaining('already') } });
    caller = administrator;
    expect(await ask({ path: '/api/v1/orders/7' })).toMatchObject({ code: 409 });
  });

  it('for an endpoint of the service that needs a rule is kept', async () => {
    const id = await idOf({ method: 'GET', path: '/api/v1/keys' });
    expect(await own()).toMatchObject([{ id, pattern: '/api/v1/keys', title: 'List keys', state: 'open' }]);
  });

  it('is refused for a deleted person', async () => {
    const others = await records();
    await database.store.updateTable('users').set({ deleted_at: new Date() }).where('id', '=', 7).execute();
    expect(await ask()).toMatchObject({ code: 404 });
    expect(await served.send('DELETE', '/user/access-requests/999999')).toMatchObject({ code: 404 });
    expect([await own(), await records()]).toEqual([[], others]);
  });

  it('for an eleventh call is refused until one of the ten is withdrawn or expires', async () => {
    const ids: number[] = [];
    for (let at = 0; at < 10; at += 1) ids.push(await idOf({ path: `/api/v1/orders/${at}` }));
    expect(await ask()).toMatchObject({ code: 409, body: { msg: expect.stringContaining('ten') } });
    expect(await served.send('DELETE', `/user/access-requests/${ids[0]}`)).toMatchObject({ code: 200 });
    expect(await ask()).toMatchObject({ code: 200 });
    expect(await ask({ path: '/api/v1/orders/eleven' })).toMatchObject({ code: 409 });
    expect(await ask({ reason: 'Another reason.' })).toMatchObject({ code: 200 });
    await age(ids[1] ?? 0, 31);
    expect(await ask({ path: '/api/v1/orders/eleven' })).toMatchObject({ code: 200 });
    caller = kim;
    expect(await ask()).toMatchObject({ code: 200 });
  });

  it('ten at once leaves no more than ten', async () => {
    await Promise.all(Array.from({ length: 15 }, (_, at) => ask({ path: `/api/v1/orders/${at}` })));
    expect(await own()).toHaveLength(10);
  });

  it('too often is refused with the time of the next try, and does not limit other people', async () => {
    const codes = [];
    for (let at = 0; at < 21; at += 1) codes.push((await ask({ reason: `Reason ${at}` })).code);
    expect(codes).toEqual([...Array(20).fill(200), 429]);
    caller = kim;
    expect(await ask()).toMatchObject({ code: 200 });
  });

  it('the same again changes the open request, which grows older by no second record of the same', async () => {
    const id = await idOf();
    const before = (await records()).length;
    expect(await idOf()).toBe(id);
    expect((await records()).length).toBe(before);
    expect(await idOf({ reason: 'It was sent three times.', seconds: 3600 })).toBe(id);
    expect(await own()).toMatchObject([
      { id, reason: 'It was sent three times.', seconds: 3600, revision: 2, state: 'open', decision: null },
    ]);
    await ask({ reason: 'It was sent four times.', seconds: 3600 });
    await ask({ reason: 'It was sent four times.', seconds: 7200 });
    expect(await own()).toMatchObject([
      { id, reason: 'It was sent four times.', seconds: 7200, revision: 4 },
    ]);
  });

  it('is kept with the endpoint that it belongs to, and recorded', async () => {
    const id = await idOf();
    expect(await own()).toMatchObject([
      { id, ...wish, pattern: '/api/v1/orders/:id', title: 'Cancel an order', state: 'open', revision: 1 },
    ]);
    expect((await records())[0]).toMatchObject({
      action: 'access_request.create',
      target: 'user 7',
      after: { request: id, ...wish },
    });
    expect(access.takeWritten()).toEqual([['give', []]]);
  });

  it('may be for all of an endpoint, and a literal endpoint comes before one with a parameter', async () => {
    await ask({ path: '/api/v1/orders/open' });
    await ask({ method: 'GET', path: '/api/v1/orders/open' });
    await ask({ method: 'GET', path: '/api/v1/orders/:id' });
    expect((await own()).map(({ path, pattern }) => [path, pattern])).toEqual([
      ['/api/v1/orders/:id', '/api/v1/orders/:id'],
      ['/api/v1/orders/open', '/api/v1/orders/open'],
      ['/api/v1/orders/open', '/api/v1/orders/:id'],
    ]);
  });
});

describe('withdrawing', () => {
  it('another person’s request is answered as an unknown one, and an answered one with its state', async () => {
    const id = await idOf();
    caller = kim;
    expect(await served.send('DELETE', `/user/access-requests/${id}`)).toMatchObject({ code: 404 });
    expect(await served.send('DELETE', '/user/access-requests/999999')).toMatchObject({ code: 404 });
    caller = administrator;
    await answer(id, { decision: 'deny', seconds: undefined });
    caller = mei;
    expect(await served.send('DELETE', `/user/access-requests/${id}`)).toMatchObject({ code: 409 });
  });

  it('leaves it among the own ones, and out of the list of open ones', async () => {
    const id = await idOf();
    await served.send('DELETE', `/user/access-requests/${id}`);
    expect(await own()).toMatchObject([{ id, state: 'withdrawn' }]);
    caller = administrator;
    expect((await open()).items).toEqual([]);
    expect(await answer(id)).toMatchObject({ code: 409 });
    expect(await rules()).toEqual([]);
  });
});

it('hides an expired request from the list of its person', async () => {
  const [first, second] = [await idOf(), await idOf({ path: '/api/v1/orders/7' })];
  await served.send('DELETE', `/user/access-requests/${second}`);
  for (const id of [first, second]) await age(id, 31);
  expect(await own()).toMatchObject([{ id: second, state: 'withdrawn' }]);
  expect(await served.send('DELETE', `/user/access-requests/${first}`)).toMatchObject({ code: 404 });
});

describe('the open requests', () => {
  it('are those of the people in the data scope, and never the own ones', async () => {
    const id = await idOf();
    caller = { ...mei, dataScope: '1' };
    expect((await open()).items).toEqual([]);
    caller = mei;
    expect((await open()).items).toEqual([]);
    caller = kim;
    expect((await open()).items).toEqual([]);
    caller = branch;
    expect((await open()).items).toEqual([]);
    await database.store.updateTable('users').set({ department_id: 2 }).where('id', '=', 7).execute();
    expect((await open()).items).toMatchObject([{ id }]);
    expect(await own()).toEqual([]);
  });

  it('name the person, the current role and the number of its users', async () => {
    const id = await idOf();
    caller = administrator;
    expect((await open()).items).toEqual([
      {
        id,
        ...wish,
        pattern: '/api/v1/orders/:id',
        title: 'Cancel an order',
        requestedAt: expect.any(String),
        revision: 1,
        userId: 7,
        username: 'mei',
        name: '',
        userEnabled: true,
        departmentName: 'Department 1',
        roleId: 2,
        roleKey: 'editor',
        roleName: 'Editor',
        roleEnabled: true,
        holders: { count: 2, more: false },
      },
    ]);
  });

  it('come page by page, the oldest first, without expired ones', async () => {
    const ids = [];
    for (let at = 0; at < 5; at += 1) ids.push(await idOf({ path: `/api/v1/orders/${at}` }));
    await age(ids[1] ?? 0, 31);
    caller = administrator;
    const first = await open('?limit=2');
    expect(first.items.map(({ id }) => id)).toEqual([ids[0], ids[2]]);
    const second = await open(`?limit=2&after=${first.next}`);
    expect([second.items.map(({ id }) => id), second.next]).toEqual([[ids[3], ids[4]], null]);
    expect(await answer(ids[1] ?? 0)).toMatchObject({ code: 404 });
  });
});

describe('an answer', () => {
  it.each([
    ['that gives for no time', { seconds: undefined }],
    ['that gives for longer than was asked', { seconds: 28_801 }],
    ['that gives another path', { path: '/api/v1/orders/*' }],
    ['that gives another method', { method: '*' }],
    ['that is neither', { decision: 'perhaps' }],
  ])('%s is answered with 400', async (_what, body) => {
    const id = await idOf();
    caller = administrator;
    expect(await answer(id, body)).toMatchObject({ code: 400 });
    expect([await rules(), (await open()).items.length]).toEqual([[], 1]);
  });

  it('by a caller without the permission gives nothing, and leaves the request open', async () => {
    const id = await idOf();
    mayGive = ['GET /api/v1/orders/1042'];
    caller = administrator;
    expect(await answer(id)).toMatchObject({ code: 401 });
    expect([await rules(), (await open()).items.length]).toEqual([[], 1]);
    expect((await records())[0]?.action).toBe('access_request.create');
  });

  it('to the own request, or one outside the data scope, is answered as for an unknown one', async () => {
    const id = await idOf();
    expect(await answer(id)).toMatchObject({ code: 404 });
    caller = { ...mei, dataScope: '1' };
    expect(await answer(id)).toMatchObject({ code: 404 });
    caller = branch;
    expect(await answer(id)).toMatchObject({ code: 404 });
    expect(await answer(id, { decision: 'deny', seconds: undefined })).toMatchObject({ code: 404 });
    expect(await rules()).toEqual([]);
  });

  it('on a request that changed meanwhile is refused with its current state', async () => {
    const id = await idOf();
    await ask({ reason: 'Another one.', seconds: 3600 });
    caller = administrator;
    expect(await answer(id, { seconds: 3600, ifRevision: 1 })).toMatchObject({
      code: 409,
      body: { details: { revision: 2, current: { reason: 'Another one.', seconds: 3600 } } },
    });
    expect(await answer(id, { seconds: 3600, ifRevision: 2 })).toMatchObject({ code: 200 });
  });

  it('gives exactly the method and the path to the role, through the barrier, until an end', async () => {
    const id = await idOf();
    caller = administrator;
    access.takeWritten();
    expect(await answer(id, { seconds: 3600, note: ' For today. ' })).toMatchObject({ code: 200 });
    expect(access.takeWritten()).toEqual([
      ['takeAway', [{ kind: 'temporary_rule_set', roleKey: 'editor', ...order, endsAt: expect.any(Number) }]],
    ]);
    expect(await rules()).toEqual([{ role_id: 2, ...order, given_by: 'root' }]);
    const [second, first] = await records();
    expect([first, second]).toMatchObject([
      { action: 'rules.temporary', target: 'role 2' },
      {
        action: 'access_request.approve',
        target: 'user 7',
        after: {
          request: id,
          ...order,
          approvedPath: order.path,
          approvedSeconds: 3600,
          roleId: 2,
          note: 'For today.',
        },
      },
    ]);
    caller = mei;
    const [given] = await own();
    expect(given).toMatchObject({
      state: 'approved',
      decision: { by: 'root', note: 'For today.', approvedPath: order.path },
    });
    const left = Date.parse(given?.decision?.endsAt ?? '') - Date.parse(given?.decision?.at ?? '');
    expect(left / 1000).toBeGreaterThan(3590);
    expect(left / 1000).toBeLessThanOrEqual(3600);
  });

  it('gives the pattern of the endpoint where the giver chooses so', async () => {
    const id = await idOf();
    caller = administrator;
    expect(await answer(id, { path: 'pattern' })).toMatchObject({ code: 200 });
    expect(await rules()).toMatchObject([{ method: 'DELETE', path: '/api/v1/orders/:id' }]);
  });

  it('refuses with a note, and changes no access', async () => {
    const id = await idOf();
    caller = administrator;
    access.takeWritten();
    expect(await answer(id, { decision: 'deny', seconds: undefined, note: 'Ask Wei.' })).toMatchObject({
      code: 200,
    });
    expect([access.takeWritten(), await rules()]).toEqual([[['give', []]], []]);
    expect((await records())[0]).toMatchObject({
      action: 'access_request.deny',
      target: 'user 7',
      after: { note: 'Ask Wei.' },
    });
    caller = mei;
    expect(await own()).toMatchObject([
      { state: 'denied', decision: { by: 'root', note: 'Ask Wei.', approvedPath: null, endsAt: null } },
    ]);
    expect(await ask()).toMatchObject({ code: 200 });
  });

  it('wins alone among concurrent ones: the others get a conflict', async () => {
    const id = await idOf();
    caller = administrator;
    const codes = (
      await Promise.all([answer(id), answer(id), answer(id, { decision: 'deny', seconds: undefined })])
    ).map(({ code }) => code);
    expect(codes.toSorted()).toEqual([200, 409, 409]);
    const answers = (await records()).filter(
      ({ action, after }) => action !== 'access_request.create' && isOf(after, id),
    );
    expect(answers).toHaveLength(1);
    expect((await rules()).length).toBe(answers[0]?.action === 'access_request.approve' ? 1 : 0);
  });

  it('applies to one request, and leaves others open', async () => {
    const first = await idOf();
    caller = kim;
    const [second, third] = [await idOf(), await idOf({ path: '/api/v1/orders/7' })];
    caller = administrator;
    await answer(third, { decision: 'deny', seconds: undefined });
    expect((await records())[0]).toMatchObject({ target: 'user 8', after: { request: third } });
    expect((await open()).items).toMatchObject([{ id: first }, { id: second }]);
    await answer(second);
    expect((await records())[0]).toMatchObject({ target: 'user 8', after: { request: second } });
    expect((await open()).items).toMatchObject([{ id: first }]);
  });

  it.each([
    ['another method', { method: 'GET' }],
    ['another path', { path: '/api/v1/orders/7' }],
    ['another role', { role_id: 3 }],
  ] as const)('gives a rule beside a longer one of %s', async (_what, change) => {
    const id = await idOf();
    const longer = { ...order, role_id: 2, ends_at: new Date('2100-01-01'), given_by: 'root', ...change };
    await database.store.insertInto('temporary_rules').values(longer).execute();
    caller = administrator;
    expect(await answer(id)).toMatchObject({ code: 200 });
    expect(await rules()).toHaveLength(2);
  });

  it('gives the rule to the current role, and nothing to a disabled person or role', async () => {
    const id = await idOf();
    caller = administrator;
    await database.store.updateTable('users').set({ enabled: false }).where('id', '=', 7).execute();
    expect(await answer(id)).toMatchObject({ code: 409, body: { msg: expect.stringContaining('disabled') } });
    await database.store
      .updateTable('users')
      .set({ enabled: true, role_id: 3 })
      .where('id', '=', 7)
      .execute();
    expect(await answer(id)).toMatchObject({ code: 409, body: { msg: expect.stringContaining('disabled') } });
    await database.store.updateTable('roles').set({ enabled: true }).where('id', '=', 3).execute();
    expect(await answer(id)).toMatchObject({ code: 200 });
    expect(await rules()).toMatchObject([{ role_id: 3 }]);
    await database.store.updateTable('roles').set({ enabled: false }).where('id', '=', 3).execute();
  });

  it('gives nothing to a person who is now admin, or whose role has the permission permanently', async () => {
    const id = await idOf();
    caller = administrator;
    forGood = ['DELETE /api/v1/orders/1042'];
    expect(await answer(id)).toMatchObject({ code: 409, body: { msg: expect.stringContaining('already') } });
    forGood = [];
    await database.store.updateTable('users').set({ role_id: 1 }).where('id', '=', 7).execute();
    expect(await answer(id)).toMatchObject({ code: 409, body: { msg: expect.stringContaining('already') } });
    expect(await rules()).toEqual([]);
  });

  it('never brings the end of a rule nearer, and moves it further', async () => {
    const first = await idOf({ seconds: 7200 });
    caller = kim;
    const other = await idOf({ seconds: 3600 });
    caller = administrator;
    await answer(first, { seconds: 7200 });
    const ends = async () =>
      (await database.store.selectFrom('temporary_rules').select('ends_at').executeTakeFirstOrThrow())
        .ends_at;
    const before = await ends();
    expect(await answer(other, { seconds: 3600 })).toMatchObject({ code: 409 });
    expect(await ends()).toEqual(before);
    caller = kim;
    await ask({ seconds: 28_800 });
    caller = administrator;
    expect(await answer(other)).toMatchObject({ code: 200 });
    expect((await ends()).getTime()).toBeGreaterThan(before.getTime());
  });
});

describe('a change that cannot be written is answered with 500, and nothing of it is kept', () => {
  const changes = {
    ask: () => ask({ path: '/api/v1/orders/7' }),
    withdraw: (id: number) => served.send('DELETE', `/user/access-requests/${id}`),
    refuse: (id: number) => answer(id, { decision: 'deny', seconds: undefined }),
    give: (id: number) => answer(id),
  };
  const stored = async () => [
    await database.store.selectFrom('access_requests').selectAll().orderBy('id').execute(),
    await records(),
    await rules(),
  ];
  it.each([
    ['ask', 'insert on audit_log'],
    ['ask', 'delete on access_requests'],
    ['withdraw', 'insert on audit_log'],
    ['withdraw', 'update on access_requests'],
    ['refuse', 'insert on audit_log'],
    ['refuse', 'update on access_requests'],
    ['give', `insert on audit_log for each row when (new.action = 'access_request.approve')`],
    ['give', 'update on access_requests'],
  ] as const)('%s, at %s', async (change, write) => {
    const { store } = database;
    const id = await idOf();
    const closed = { user_id: 7, ...wish, pattern: order.path, state: 'withdrawn' } as const;
    await store.insertInto('access_requests').values(Array(41).fill(closed)).execute();
    if (change === 'refuse' || change === 'give') caller = administrator;
    const before = await stored();
    const event = write.includes('for each row') ? write : `${write} for each row`;
    await sql
      .raw(`create function refuse_write() returns trigger language plpgsql as 'begin raise exception ''refused''; end';
        create trigger refuse_write before ${event} execute function refuse_write()`)
      .execute(store);
    try {
      expect(await changes[change](id)).toMatchObject({ status: 500 });
    } finally {
      await sql.raw('drop function refuse_write cascade').execute(store);
    }
    expect(await stored()).toEqual(before);
  });
});

it.each(['ask', 'withdraw', 'answer'])('%s waits for a change of the person', async (change) => {
  const id = await idOf();
  const sent = await database.store.transaction().execute(async (transaction) => {
    await sql`select from users where id = 7 for no key update`.execute(transaction);
    if (change === 'answer') caller = administrator;
    const answered =
      change === 'ask'
        ? ask({ reason: 'Another one.' })
        : change === 'withdraw'
          ? served.send('DELETE', `/user/access-requests/${id}`)
          : answer(id);
    const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await waiting.execute(database.store)).rows).not.toEqual([]);
    return { answered };
  });
  expect(await sent.answered).toMatchObject({ code: 200 });
});

it('deletes the requests of a person with the person, by any deletion, and keeps those of others', async () => {
  caller = kim;
  const other = await idOf();
  caller = mei;
  const id = await idOf();
  await database.store
    .updateTable('users')
    .set({ deleted_at: sql<Date>`now()` })
    .where('id', '=', 7)
    .execute();
  await database.store.updateTable('users').set({ deleted_at: null }).where('id', '=', 8).execute();
  caller = administrator;
  expect((await open()).items).toMatchObject([{ id: other }]);
  expect((await answer(id)).code).toBe(404);
  expect(await database.store.selectFrom('access_requests').select('id').execute()).toEqual([{ id: other }]);
});

it('are few for each person: the oldest closed ones go', async () => {
  for (let at = 0; at < 45; at += 1) {
    clock += 3600 * 1000;
    const id = await idOf({ reason: `Reason ${at}` });
    await served.send('DELETE', `/user/access-requests/${id}`);
  }
  clock += 3600 * 1000;
  await ask();
  expect(await own()).toHaveLength(41);
});

it('are swept when they are old', async () => {
  const [young, old] = [await idOf(), await idOf({ path: '/api/v1/orders/7' })];
  await age(old, 91);
  await sweepAccessRequests(database.store);
  const left = await database.store.selectFrom('access_requests').select('id').execute();
  expect(left).toEqual([{ id: young }]);
});
