import { randomBytes } from 'node:crypto';
import { BlockList } from 'node:net';
import {
  type Caller,
  type LoginLogFilter,
  type LoginLogItem,
  listLoginLogsEndpoint,
  loginLogFields,
  loginReasons,
  type Route,
  tailLoginLogsEndpoint,
} from '@portcullis/contract';
import { createPipeline } from '@portcullis/gate';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createUuidV7 } from '../../../../src/cluster/store/uuid-v7.ts';
import { createHttpApp } from '../../../../src/http/create-http-app.ts';
import { mount } from '../../../../src/http/mount.ts';
import { insertLoginRows } from '../../../../src/logs/login-log/login-log-store.ts';
import type { LoginRow } from '../../../../src/logs/login-log/login-row.ts';
import { loginLogRoutes } from '../../../../src/logs/login-log/reading/routes.ts';
import { outcomeOf, parseSearch } from '../../../../src/logs/login-log/reading/search.ts';
import { countByHour } from '../../../../src/logs/login-log/reading/sums-store.ts';
import { listDepartmentsInScope } from '../../../../src/people/departments/data-scope-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../../fresh-database.ts';
import { handlerOf } from '../../../handler-of.ts';
import { hideName, rowWith, textsOf } from '../rows.ts';

const hour = 3_600_000;
const nowAt = Date.UTC(2026, 10, 15, 9, 30);
/** Department 2 lies below 1, and 3 below 2; 4 stands alone. In 3 there are more users than are looked up one by one. */
const departmentOf = new Map([
  [7, 2],
  [9, 1],
  [10, 4],
  ...Array.from({ length: 40 }, (_, i) => [100 + i, 3] as const),
]);
const users = [...departmentOf.keys()];

let database: FreshDatabase;
let app: FastifyInstance;
let routes: Route[];
let rows: LoginRow[];
const faults: unknown[] = [];
const admin: Caller = {
  userId: 7,
  username: 'mei',
  roleId: 2,
  roleKey: 'editor',
  dataScope: '1',
  jti: 'j',
  expiresAt: 0,
};
let caller: Caller;
/** How far the clock that bounds a walk goes on with every look at it. */
let impatience: number;

beforeAll(async () => {
  database = await createFreshDatabase();
  const { store } = database;
  await seedUsers();
  rows = makeRows();
  for (let from = 0; from < rows.length; from += 1000)
    await insertLoginRows(store, textsOf(rows.slice(from, from + 1000)));
  let monotonic = 0;
  routes = loginLogRoutes({
    store,
    hideNames: [hideName],
    listDepartments: (scoped) => listDepartmentsInScope(store, scoped),
    now: () => nowAt,
    monotonic: () => {
      monotonic += impatience;
      return monotonic;
    },
  });
  app = createHttpApp({
    createRequestId: () => 'request-1',
    reportFault: (cause) => faults.push(cause),
    isDraining: () => false,
  });
  const pass = () => {};
  const identify = (exchange: { caller: Caller | undefined }) => {
    exchange.caller = caller;
  };
  mount(
    app,
    routes,
    createPipeline({
      limit: pass,
      leased: pass,
      limitCaller: pass,
      identify,
      site: pass,
      passwordDue: pass,
      permit: pass,
    }),
    { revision: { n: 1, mark: '' }, generation: 1, isLive: () => true },
  );
});
afterAll(async () => {
  await app?.close();
  await database.drop();
});
beforeEach(() => {
  caller = admin;
  impatience = 0;
  faults.length = 0;
});

async function seedUsers(): Promise<void> {
  const { store } = database;
  const departments = [1, 2, 3, 4].map((id) => ({
    id,
    name: `Department ${id}`,
    parent_id: id === 2 || id === 3 ? id - 1 : null,
  }));
  await store.insertInto('departments').values(departments).execute();
  await store
    .insertInto('roles')
    .values({ id: 2, role_key: 'editor', name: 'Editor', data_scope: '5' })
    .execute();
  await store
    .insertInto('users')
    .values(
      [...departmentOf].map(([id, department_id]) => ({
        id,
        username: `user${id}`,
        canonical_username: `user${id}`,
        department_id,
        role_id: 2,
        password_hash: 'hash',
      })),
    )
    .execute();
}

/** The same numbers in every run. */
function createRandom(): (below: number) => number {
  let state = 1;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

/** Five thousand, in the last fifty hours; a few networks of them are large, one is small and one is rare. */
function makeRows(): LoginRow[] {
  const random = createRandom();
  const pick = <T>(values: readonly T[]) => values[random(values.length)] as T;
  return Array.from({ length: 5000 }, (_, index) => {
    const at = nowAt - 50 * hour + index * 36_000;
    const reason = pick(['ok', 'ok', 'ok', ...loginReasons] as const);
    const kind = random(100);
    const ip =
      kind < 45
        ? `10.${random(2)}.${random(30)}.${random(30)}`
        : kind < 98
          ? `192.0.2.${random(8)}`
          : kind < 99
            ? `198.51.100.${random(250)}`
            : `2001:db8::${random(9) + 1}`;
    const row = rowWith(
      { id: createUuidV7(at, randomBytes(10)), reason, outcome: outcomeOf(reason), ip },
      at,
    );
    return {
      ...row,
      username: pick(['ada', 'mei', `name${random(500)}`]),
      user_id: random(10) === 0 ? null : pick(users),
      browser: pick(['Chrome', 'Firefox']),
      os: index % 1000 === 3 ? 'Plan9' : pick(['Linux', 'Windows']),
      location: index % 1500 === 5 ? 'AQ' : pick(['CN', 'DE']),
      request_id: `r${index}`,
    };
  });
}

async function send(path: string, query: Readonly<Record<string, string>> = {}) {
  const response = await app.inject({
    method: 'GET',
    url: `/api/v1/login-logs${path}?${new URLSearchParams(query)}`,
  });
  return { ...response, data: response.body.startsWith('{') ? response.json().data : undefined };
}

/** In larger pages than a client may ask for. */
async function listAll({ userId, ...query }: Readonly<Record<string, string>>): Promise<string[]> {
  const ids: string[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const wanted = { ...query, ...(userId && { userId: Number(userId) }), after, limit: 1000 };
    const { data } = await handlerOf(routes, listLoginLogsEndpoint)({ caller, query: wanted } as never);
    ids.push(...data.items.map(({ id }) => id));
    after = data.next;
  }
  return ids;
}

const newestFirst = (chosen: readonly LoginRow[]) =>
  chosen
    .map(({ id }) => id)
    .sort()
    .reverse();

function fits(row: LoginRow, query: Readonly<Record<string, string>>): boolean {
  const { from, to, ip, userId, ...equals } = query;
  const at = Date.parse(row.at);
  return (
    (from === undefined || at >= Date.parse(from)) &&
    (to === undefined || at < Date.parse(to)) &&
    (userId === undefined || row.user_id === Number(userId)) &&
    (ip === undefined || isIn(row.ip ?? '', ip)) &&
    Object.entries(equals).every(([name, value]) => row[name as keyof LoginRow] === value)
  );
}

function isIn(ip: string, network: string): boolean {
  const [address = '', bits] = network.split('/');
  if (bits === undefined) return ip === address;
  const family = (text: string) => (text.includes(':') ? 'ipv6' : 'ipv4');
  if (family(ip) !== family(address)) return false;
  const list = networks.get(network) ?? new BlockList();
  if (!networks.has(network)) list.addSubnet(address, Number(bits), family(address));
  networks.set(network, list);
  return list.check(ip, family(ip));
}
/** Every row is held against the same few. */
const networks = new Map<string, BlockList>();

describe('the list', () => {
  it('is read page by page, over HTTP as within', async () => {
    const first = await send('', { username: 'ada', limit: '100' });
    const second = await send('', { username: 'ada', limit: '100', after: first.data.next });
    const ids = [...first.data.items, ...second.data.items].map(({ id }: LoginLogItem) => id);
    expect(ids).toEqual((await listAll({ username: 'ada' })).slice(0, 200));
  });

  // biome-ignore format: One row a query.
  it.each([
    'limit=0', 'limit=101', 'after=', 'after=x', 'after=W10', 'from=yesterday', 'from=2026-01-01', 'to=2016-12-31T23:59:60Z',
    'userId=0', 'userId=mei', 'username=', 'username=%00', `username=${'x'.repeat(65)}`, 'ip=', 'ip=nowhere', 'ip=1.2.3', 'ip=1.2.3.4/33',
    'ip=1.2.3.4/', 'ip=1.2.3.4/8/8', 'ip=::1/129', 'ip=1.2.3.4%2F-1', 'ip=fe80::1%25eth0', 'ip=1:2', 'outcome=perhaps', 'reason=none', 'browser=%00',
    'os=', 'location=China', 'location=cn', 'location=%00A',
  ])('with %s is answered with 400', async (query) => {
    for (const path of ['', '/export', '/tail', '/counts']) {
      if (path !== '' && /^(limit|after)/.test(query)) continue;
      const response = await app.inject({ method: 'GET', url: `/api/v1/login-logs${path}?${query}` });
      expect([response.statusCode, response.json().code], path).toEqual([200, 400]);
    }
    expect(faults).toEqual([]);
  });

  it('shows every field of a record', async () => {
    const row = rows.at(-1) as LoginRow;
    const { data } = await send('', { limit: '1' });
    expect(data.items).toEqual([
      {
        id: row.id,
        at: row.at,
        username: row.username,
        userId: row.user_id,
        roleKey: 'editor',
        outcome: row.outcome,
        reason: row.reason,
        ip: row.ip,
        userAgent: 'curl/8',
        browser: row.browser,
        os: row.os,
        platform: 'desktop',
        location: row.location,
        requestId: 'r4999',
        jti: 'j',
        instance: row.instance,
        method: null,
        credentialId: null,
        provider: null,
      },
    ]);
  });

  const from = new Date(nowAt - 30 * hour).toISOString();
  const to = new Date(nowAt - 20 * hour).toISOString();
  // biome-ignore format: One row a query.
  const queries: Readonly<Record<string, string>>[] = [
    {}, { from }, { to }, { from, to }, { from: to, to: from },
    { username: 'ada' }, { username: 'name7' }, { username: 'nobody' }, { userId: '7' }, { userId: '999' },
    { ip: '192.0.2.3' }, { ip: '203.0.113.9' }, { ip: '2001:db8::1' }, { ip: '192.0.2.0/29' }, { ip: '192.0.2.5/30' }, { ip: '10.0.0.0/8' },
    { ip: '10.1.0.0/16' }, { ip: '198.51.100.0/24' }, { ip: '203.0.113.0/24' }, { ip: '2001:db8::/32' }, { ip: '0.0.0.0/0' }, { ip: '::/0' },
    { outcome: 'success' }, { outcome: 'failure' }, { reason: 'throttled' }, { reason: 'throttled', outcome: 'failure' }, { reason: 'ok', outcome: 'failure' },
    { browser: 'Chrome' }, { os: 'Plan9' }, { os: 'Linux' }, { location: 'AQ' }, { location: 'DE' },
    { username: 'ada', browser: 'Chrome' }, { username: 'ada', location: 'AQ' }, { os: 'Plan9', location: 'AQ' }, { os: 'Linux', browser: 'Chrome', location: 'CN', outcome: 'failure' },
    { ip: '10.0.0.0/8', outcome: 'failure', from }, { ip: '10.0.0.0/8', os: 'Plan9' }, { ip: '192.0.2.0/29', username: 'ada', to }, { userId: '7', username: 'ada', from, to },
  ];
  const unpressed: [string, number][] = [
    ['with time to look', 0],
    ['with time for one step of a walk', 1000],
  ];

  describe.each(unpressed)('%s', (_how, step) => {
    it.each(queries)('finds exactly the records that fit %j, newest first', async (query) => {
      impatience = step;
      expect(await listAll(query)).toEqual(newestFirst(rows.filter((row) => fits(row, query))));
      expect(faults).toEqual([]);
    });
  });

  it('stops a walk that finds too little, with a page that has a next one', async () => {
    impatience = 1000;
    const rare = { browser: 'Chrome', os: 'Linux', location: 'CN', ip: '10.0.0.0/8', reason: 'ok' };
    const { data } = await send('', { ...rare, limit: '100' });
    expect(data.items.length).toBeLessThan(100);
    expect(data.next).toEqual(expect.any(String));
  });

  // biome-ignore format: One row a scope.
  const scopes: [string, string, number, (user: number | null) => boolean][] = [
    ['1, all: also what has no user',          '1',   7, () => true],
    ["2, the role's departments, many users",  '2',   7, (user) => departmentIn(user, [3, 4])],
    ['3, the own department, few users',       '3',   7, (user) => departmentIn(user, [2])],
    ['3, the own department, many users',      '3', 101, (user) => departmentIn(user, [3])],
    ['4, the own department and below',        '4',   7, (user) => departmentIn(user, [2, 3])],
    ['4, from the top',                        '4',   9, (user) => departmentIn(user, [1, 2, 3])],
    ['4, with nothing below',                  '4',  10, (user) => departmentIn(user, [4])],
    ['4, of a user that there is not',         '4', 999, () => false],
    ['5, own rows',                            '5',   7, (user) => user === 7],
    ['that is unknown: own rows',              '9',   7, (user) => user === 7],
    ['that is empty: own rows',                '',    7, (user) => user === 7],
  ];
  const departmentIn = (user: number | null, departments: number[]) =>
    departments.includes(departmentOf.get(user ?? 0) ?? 0);

  describe.each(scopes)('in scope %s', (_name, dataScope, userId, isSeen) => {
    beforeAll(() =>
      sql`insert into role_departments (role_id, department_id) values (2, 3), (2, 4) on conflict do nothing`.execute(
        database.store,
      ),
    );
    beforeEach(() => {
      caller = { ...admin, dataScope: dataScope as Caller['dataScope'], userId };
    });

    it.each([
      {},
      { username: 'ada' },
      { outcome: 'failure', from },
      { userId: '7' },
      { userId: '101' },
      { ip: '10.0.0.0/8' },
    ])('shows what %j finds there, and no more', async (query) => {
      const expected = rows.filter((row) => isSeen(row.user_id) && fits(row, query));
      expect(await listAll(query)).toEqual(newestFirst(expected));
    });

    it('exports, counts and ranks no more', async () => {
      const seen = rows.filter((row) => isSeen(row.user_id));
      const lines = (await send('/export', { username: 'ada' })).body.trimEnd().split('\r\n').slice(1);
      expect(lines.map((line) => line.slice(0, 36))).toEqual(
        newestFirst(seen.filter(({ username }) => username === 'ada')),
      );
      const { hours, complete } = (await send('/counts', everything)).data;
      expect(sum(hours)).toBe(seen.length);
      const top = (await send('/top', everything)).data;
      expect(top.addresses).toEqual(topOf(seen, 'ip'));
      expect(top.users).toEqual(topOf(seen, 'username'));
      expect([complete, top.complete]).toEqual([true, true]);
    });

    it.each<Record<string, string>>([
      { username: 'ada' },
      { outcome: 'failure' },
      { userId: '101' },
      { ip: '10.0.0.0/8', os: 'Linux' },
    ])('counts of %j what the list shows there', async (query) => {
      const expected = rows.filter((row) => isSeen(row.user_id) && fits(row, query));
      const { hours, complete } = (await send('/counts', { ...query, ...everything })).data;
      expect([sum(hours), complete]).toEqual([expected.length, true]);
    });
  });

  it('of scope 2 without departments is empty', async () => {
    await sql`delete from role_departments`.execute(database.store);
    caller = { ...admin, dataScope: '2' };
    expect(await listAll({})).toEqual([]);
    expect((await send('/counts')).data.hours).toEqual([]);
    expect((await send('/top')).data).toMatchObject({ users: [], addresses: [] });
  });
});

/** As far back as there are records. */
const everything = {
  from: new Date(nowAt - 51 * hour).toISOString(),
  to: new Date(nowAt).toISOString(),
};
const sum = (hours: readonly { count: number }[]) => hours.reduce((total, { count }) => total + count, 0);

function topOf(chosen: readonly LoginRow[], field: 'ip' | 'username') {
  const counts = new Map<string, number>();
  for (const row of chosen)
    if (row.outcome === 'failure') counts.set(row[field] ?? '', (counts.get(row[field] ?? '') ?? 0) + 1);
  const inOrder = (one: string, other: string) =>
    field === 'ip' ? numberOf(one) - numberOf(other) : one < other ? -1 : 1;
  return [...counts]
    .sort((one, other) => other[1] - one[1] || inOrder(one[0], other[0]))
    .slice(0, 10)
    .map(([value, count]) => ({ [field]: value, count }));
}
const numberOf = (ip: string) =>
  ip.includes(':')
    ? 2 ** 33 + Number(ip.at(-1))
    : ip.split('.').reduce((total, part) => total * 256 + Number(part), 0);

describe('the counts', () => {
  it.each([
    ['/counts', 'from=2026-01-01T00:00:00Z&to=2026-04-04T00:00:01Z'],
    ['/counts', 'from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z'],
    ['/counts', 'from=now'],
    ['/top', 'from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:01Z'],
  ])('%s of %s is answered with 400', async (path, query) => {
    const response = await app.inject({ method: 'GET', url: `/api/v1/login-logs${path}?${query}` });
    expect(response.json().code).toBe(400);
  });

  it('are by hour, outcome and reason, of the hours that the last 24 touch', async () => {
    const { data } = await send('/counts');
    const since = Math.floor((nowAt - 24 * hour) / hour) * hour;
    expect([data.from, data.to]).toEqual([new Date(since).toISOString(), '2026-11-15T10:00:00.000Z']);
    const counted = rows.filter(({ at }) => Date.parse(at) >= since);
    expect(sum(data.hours)).toBe(counted.length);
    expect(data.hours).toContainEqual({
      hour: '2026-11-15T08:00:00.000Z',
      outcome: 'success',
      reason: 'ok',
      count: counted.filter(({ at, reason }) => at.startsWith('2026-11-15T08') && reason === 'ok').length,
    });
  });
});

describe('the counts of a filter', () => {
  // biome-ignore format: One row a query.
  it.each<Record<string, string>>([
    { username: 'ada' }, { username: 'nobody' }, { userId: '7' }, { ip: '192.0.2.3' }, { ip: '192.0.2.0/29' }, { ip: '10.0.0.0/8' }, { ip: '198.51.100.0/24' },
    { ip: '203.0.113.0/24' }, { outcome: 'success' }, { outcome: 'failure' }, { reason: 'throttled' }, { reason: 'ok', outcome: 'failure' }, { browser: 'Chrome' },
    { os: 'Plan9', location: 'AQ' }, { os: 'Linux', browser: 'Chrome', location: 'CN', outcome: 'failure' }, { ip: '10.0.0.0/8', reason: 'ok' },
  ])('%j are those of the records that fit, hour by hour', async (query) => {
    const { hours, complete } = (await send('/counts', { ...query, ...everything })).data;
    const expected = new Map<string, number>();
    for (const row of rows.filter((one) => fits(one, query))) {
      const key = `${row.at.slice(0, 13)}:00:00.000Z ${row.reason}`;
      expected.set(key, (expected.get(key) ?? 0) + 1);
    }
    const counted = (hours as { hour: string; reason: string; count: number }[]).map(
      ({ hour: at, reason, count }) => [`${at} ${reason}`, count] as const,
    );
    expect(new Map(counted)).toEqual(expected);
    expect(complete).toBe(true);
  });

  it.each<Record<string, string>>([
    { browser: 'Chrome' },
    { reason: 'throttled' },
    { outcome: 'failure', os: 'Linux' },
    {},
  ])('%j say from when on they are whole, where there are too many records', async (query) => {
    const search = parseSearch({ ...query, ...everything } as LoginLogFilter, nowAt, (name) => [name]);
    const most = { ofAll: 120, ofPlace: 20 };
    const counted = await countByHour(database.store, search, most);
    const { countedFrom = '' } = counted;
    const since = rows.filter((row) => fits(row, query) && row.at >= countedFrom);
    expect(counted.complete).toBe(false);
    expect(since.length).toBeGreaterThan(10);
    // The record at which it ended is counted too, where it fits.
    expect(sum(counted.hours) - since.length).toBeOneOf([0, 1]);
  });
});

describe('the export', () => {
  it('that cannot begin is an ordinary error, and no file', async () => {
    const { store } = database;
    await store.schema.alterTable('login_log').renameTo('login_log_elsewhere').execute();
    const response = await send('/export');
    await store.schema.alterTable('login_log_elsewhere').renameTo('login_log').execute();
    expect([response.statusCode, response.json().code]).toEqual([500, 500]);
    expect(response.headers['content-disposition']).toBeUndefined();
  });

  it('is a file with a head and one line a record', async () => {
    const response = await send('/export');
    expect(response.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="login-log.csv"',
    });
    expect(response.body.startsWith(`\ufeff${loginLogFields.join(',')}\r\n`)).toBe(true);
    const lines = response.body.trimEnd().split('\r\n').slice(1);
    expect(lines.map((line) => line.slice(0, 36))).toEqual(newestFirst(rows));
    const row = rows.at(-1) as LoginRow;
    expect(lines[0]).toBe(
      [
        row.id,
        row.at,
        row.username,
        row.user_id ?? '',
        'editor',
        row.outcome,
        row.reason,
        row.ip,
        'curl/8',
        row.browser,
      ]
        .concat([row.os, 'desktop', row.location, 'r4999', 'j', row.instance, '', '', ''])
        .join(','),
    );
  });

  it('goes on past pages of a walk that finds nothing', async () => {
    impatience = 1000;
    const lines = (await send('/export', { os: 'Plan9', ip: '0.0.0.0/0' })).body.trimEnd().split('\r\n');
    expect(lines).toHaveLength(1 + rows.filter(({ os, ip }) => os === 'Plan9' && !ip?.includes(':')).length);
  });
});

describe('the tail', () => {
  const call = () => {
    const stop = new AbortController();
    const opened = handlerOf(
      routes,
      tailLoginLogsEndpoint,
    )({ query: {}, caller, setHeader() {}, signal: stop.signal } as never);
    return { stop, pieces: (opened as AsyncIterable<string>)[Symbol.asyncIterator]() };
  };

  it('is refused to the thirty-third at once, until one of them ends', async () => {
    const tails = Array.from({ length: 32 }, call);
    for (const { pieces } of tails) expect((await pieces.next()).value).toBe(':\n\n');
    await expect(call().pieces.next()).rejects.toMatchObject({ kind: 'rate_limited' });
    const [first, ...others] = tails;
    await first?.pieces.return?.();
    const next = call();
    expect((await next.pieces.next()).value).toBe(':\n\n');
    // One that waits for its next look ends with its reader.
    for (const { pieces, stop } of [...others, next]) {
      const waiting = pieces.next();
      stop.abort();
      await expect(waiting).rejects.toThrow();
    }
    const again = call();
    expect((await again.pieces.next()).value).toBe(':\n\n');
    await again.pieces.return?.();
  });
});
