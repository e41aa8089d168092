// Every page at size, in the service's answers as the console asks for them: users by how a word of a name begins, the
// pages of a user, a role and an endpoint, the matrix and the audit log; searches and the log also for a manager of one department.
import assert from 'node:assert/strict';
import { captchaAnswer, solveCaptcha } from '../rig/captcha.ts';
import { createDatabase, type Database } from '../rig/create-database.ts';
import { createHttpClient, type HttpClient } from '../rig/http-client.ts';
import { commandLine } from '../rig/start-process.ts';
import { startServer } from '../rig/start-server.ts';
import { companyPassword } from './fill-company.ts';
import { fillMatrix, matrixSize } from './fill-matrix.ts';

const calls = 300;
const warmUps = 5;
const mostMilliseconds = 100;
/** One record of the audit log for so many users. */
const usersPerRecord = 10;

export async function measureUsers(users: number): Promise<number> {
  const database = await createDatabase({ migrated: true });
  try {
    await fillMatrix(database);
    await addManager(database);
    await addUsers(database, users);
    await addRecords(database, Math.floor(users / usersPerRecord), users);
    await settle(database);
    const server = await startServer({
      databaseUrl: database.url,
      script: commandLine,
      arguments: ['serve'],
      settings: { APPLICATION_MODE: 'prod' },
    });
    try {
      return await measure(database, server.port, users);
    } finally {
      await server.stop();
    }
  } finally {
    await database.drop();
  }
}

/** Carl, who sees half of the administrators' changes: those of Sales North. */
async function addManager(database: Database): Promise<void> {
  await database.query(
    `insert into rules (role_id, method, path)
     select id, 'GET', path from roles,
       unnest(array['/api/v1/audit', '/api/v1/audit/export', '/api/v1/users', '/api/v1/users/:id/activity']) as path
     where role_key = 'sales'`,
  );
}

/** Names in no order. The indexes are made afterwards and the references are not looked up: an hour becomes minutes. */
async function addUsers(database: Database, users: number): Promise<void> {
  const startedAt = performance.now();
  const indexes = await database.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes
     where tablename in ('users', 'user_words') and indexname <> 'users_pkey' and indexname <> 'user_words_pkey'`,
  );
  for (const { name } of indexes) await database.query(`drop index ${name}`);
  const most = 1_000_000;
  for (let from = 1; from <= users; from += most)
    await database.query(
      `set session_replication_role = replica;
       insert into users (username, canonical_username, nick_name, role_id, department_id, password_hash)
       select name, name, initcap(md5(n::text)::char(5)) || ' ' || (array['Wang', 'Li', 'Zhang', 'Berg', 'Ivanova'])[1 + n % 5],
         roles[1 + n % cardinality(roles)], 1 + n % 6, hash
       from (select n, substr(md5(n::text), 1, 6) || n as name
         from generate_series(${from}, ${Math.min(users, from + most - 1)}) as n) as named,
         (select password_hash as hash from users where username = 'ada') as known,
         (select array_agg(id) as roles from roles where role_key <> 'admin') as given;
       reset session_replication_role`,
    );
  await database.query(
    `insert into user_words (user_id, word, department_id)
     select id, word, department_id from users, words_of_user(canonical_username, nick_name) as word on conflict do nothing`,
  );
  for (const { definition } of indexes) await database.query(definition);
  // Or the server does it automatically, while it is measured.
  await database.query('vacuum analyze users, user_words');
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(`       ${users.toLocaleString('en')} users written in ${seconds.toFixed(0)} s`);
}

/** Changes of users and of rules within the last year, by fifty administrators. The chain is none of this. */
async function addRecords(database: Database, records: number, users: number): Promise<void> {
  await database.query(
    `set session_replication_role = replica;
     insert into audit_log (id, at, actor_id, actor_name, actor_role, action, target, before, after, request_id, ip)
     select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8'
         || substr(md5(n::text), 4, 15))::uuid,
       at, 1 + n % 50, 'clerk' || n % 50, 'admin', case n % 4 when 0 then 'rules.update' else 'user.update' end,
       case n % 4 when 0 then 'role ' || 2 + n % 100 else 'user ' || (select max(id) from users) - n * 7919::bigint % ${users} end,
       '{"nickName": "before"}', '{"nickName": "after"}', 'r' || n, '10.0.0.1'
     from (select n, now() - (${records} - n) * interval '1 year' / ${records} as at
       from generate_series(1, ${records}) as n) as numbered;
     reset session_replication_role`,
  );
  await database.query('vacuum analyze audit_log');
}

/** As a database that has stood for a while: gigabytes that were just written are on the disk, and not on their way to it. */
async function settle(database: Database): Promise<void> {
  const startedAt = performance.now();
  await database.query('checkpoint');
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(`       and on the disk after ${seconds.toFixed(0)} s more`);
}

async function measure(database: Database, port: number, users: number): Promise<number> {
  const client = createHttpClient(port, { remembers: false });
  const ada = await logIn(client, database, 'ada');
  const mei = await logIn(client, database, 'mei');
  const carl = await logIn(client, database, 'carl');
  const ask = (token: string, path: string) =>
    client.send({ path: `/api/v1/${path}`, headers: { authorization: `Bearer ${token}` } });
  let n = 0;
  const some = (most: number) => {
    n += 1;
    return 1 + ((n * 7919) % most);
  };
  const someStart = () => some(4096).toString(16).padStart(3, '0').slice(-3);
  const [newest] = await database.query<{ id: number }>('select max(id)::int as id from users');
  const someId = () => (newest?.id ?? 0) - some(users - 1);
  const someUser = () => `users/${someId()}`;
  const roles = await database.query<{ id: number }>(
    "select id::int from roles where role_key like 'branch-%'",
  );
  const someRole = () => roles[some(roles.length) - 1]?.id;
  const someBranch = () => some(roles.length).toString().padStart(3, '0');
  const someRoute = () => {
    const thing = some(matrixSize.endpoints / 5 - 1);
    return `/service-${Math.floor(thing / 40)}/things-${thing}/${some(1_000_000)}`;
  };
  const someTime = () => new Date(Date.now() - some(360) * 86_400_000).toISOString();
  /** A user who changed users and never rules. */
  const someAdministrator = () => 2 * some(25);
  const [clerkOfSalesNorth] = await database.query<{ id: number }>(
    "select id::int from users where username = 'clerk2'",
  );
  const usersBy = (query: string) => `users?limit=100${query}`;
  const cases: readonly (readonly [what: string, token: string, path: () => string, leastItems?: number])[] =
    [
      ['first page of users', ada, () => usersBy(''), 100],
      ['search by prefix', ada, () => usersBy(`&username=${someStart()}`), 1],
      ['search by a word', ada, () => usersBy(`&search=${someStart()}`), 1],
      ['search by one letter', ada, () => usersBy('&search=w'), 100],
      ['search by two words', ada, () => usersBy(`&search=zhang+${someStart().slice(0, 2)}`), 1],
      // All that a page may look at, in vain.
      ['search without a match', ada, () => usersBy('&search=w&roleId=1'), 0],
      ['search by one letter in a small department', mei, () => usersBy('&search=m'), 1],
      ['user', ada, someUser],
      ['activity of a user', ada, () => `${someUser()}/activity`],
      ['activity of an administrator', ada, () => `users/${some(50)}/activity?limit=100`, 1],
      ['access of a user', ada, () => `${someUser()}/access`],
      ['sessions of a user', ada, () => `sessions?limit=100&userId=${someId()}`],
      ['roles', ada, () => 'roles?limit=100', 100],
      ['role', ada, () => `roles/${someRole()}`],
      ['rules of a role', ada, () => `roles/${someRole()}/rules?limit=100`, 100],
      ['people of a role', ada, () => `users?roleId=${someRole()}&limit=20`, 20],
      ['what a role demands', ada, () => `roles/${someRole()}/required-factor`],
      ['whom a demand of a role meets', ada, () => `roles/${someRole()}/required-factor?factor=2`],
      ['history of a role', ada, () => `roles/${someRole()}/rules/history`],
      ['who can call an endpoint', ada, () => `routes/callers?method=GET&path=${someRoute()}`],
      ['endpoints', ada, () => 'routes?limit=100', 100],
      ['report on endpoints', ada, () => 'routes/report?limit=1000'],
      ['why a role may', ada, () => `explain?roleKey=branch-${someBranch()}&method=GET&path=${someRoute()}`],
      ['matrix', ada, () => 'matrix?limit=100', 100],
      ['audit log', ada, () => 'audit?limit=100', 100],
      ['audit log of changes of rules', ada, () => 'audit?limit=100&action=rules', 100],
      ['audit log of an administrator', ada, () => `audit?limit=100&actorId=${some(50)}`, 1],
      ['audit log of a user', ada, () => `audit?limit=100&target=user+${someId()}`],
      ['audit log before a time', ada, () => `audit?limit=100&to=${someTime()}`, 1],
      ['audit log of rules since a time', ada, () => `audit?limit=100&action=rules&from=${someTime()}`],
      ['audit log of an action that never occurred', ada, () => 'audit?limit=100&action=key', 0],
      [
        'audit log of what an administrator did not do',
        ada,
        () => `audit?limit=100&action=rules&actorId=${someAdministrator()}`,
        0,
      ],
      ['audit log for a manager', carl, () => 'audit?limit=100', 1],
      ['audit log of a user for a manager', carl, () => `audit?limit=100&target=user+${someId()}`],
      ['audit log of changes of rules for a manager', carl, () => 'audit?limit=100&action=rules', 1],
      [
        'audit log of an action that never occurred for a manager',
        carl,
        () => 'audit?limit=100&action=key',
        0,
      ],
      ['audit log before a time for a manager', carl, () => `audit?limit=100&to=${someTime()}`, 1],
      ['activity of a user for a manager', carl, () => `users/${clerkOfSalesNorth?.id}/activity`, 1],
      ['departments', ada, () => 'departments?limit=100', 1],
      ['people of a department', ada, () => `users?departmentId=${some(6)}&limit=20`, 20],
      ['people without a second factor', ada, () => usersBy('&secondFactor=false'), 100],
      ['people with a second factor, where no account has one', ada, () => usersBy('&secondFactor=true'), 0],
      ['disabled people, where there are few', ada, () => usersBy('&enabled=false'), 0],
      ['people of two conditions', ada, () => usersBy(`&roleId=${someRole()}&departmentId=${some(6)}`)],
      ['login log', ada, () => 'login-logs?limit=100', 100],
      ['figures of the login log', ada, () => 'login-logs/counts'],
      ['most failures', ada, () => 'login-logs/top'],
      ['sessions', ada, () => 'sessions?limit=100', 1],
    ];
  // Until the first lines are there; of what one user is told, that is all of them.
  const downloads: readonly (readonly [what: string, token: string, path: () => string])[] = [
    ['audit log as CSV', ada, () => 'audit/export'],
    ['audit log of a user as CSV', ada, () => `audit/export?target=user+${someId()}`],
    ['audit log as CSV for a manager', carl, () => 'audit/export'],
  ];
  const begin = async (token: string, path: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const { status, body } = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`, { headers });
    const reader = body?.getReader();
    const { value = new Uint8Array() } = (await reader?.read()) ?? {};
    assert.ok(status === 200 && new TextDecoder().decode(value).startsWith('id,'), path);
    return async () => await reader?.cancel();
  };
  const measured = [
    ...cases.map(([what, token, path, leastItems = 0]) => ({
      what,
      time: () => timeCalls(() => ask(token, path()), leastItems),
    })),
    ...downloads.map(([what, token, path]) => ({
      what,
      time: () => timeBeginnings(() => begin(token, path())),
    })),
  ];
  const late: string[] = [];
  for (const { what, time } of measured) {
    const times = (await time()).toSorted((a, b) => a - b);
    const p99 = times[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN;
    const median = times[Math.floor(times.length / 2)] ?? Number.NaN;
    console.log(`       ${what}: median ${median.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms of ${calls} calls`);
    if (p99 >= mostMilliseconds) late.push(`${what} ${p99.toFixed(1)} ms`);
  }
  client.close();
  assert.deepEqual(late, [], `at the 99th percentile, of ${users} users`);
  return measured.length;
}

async function timeCalls(call: () => ReturnType<HttpClient['send']>, leastItems: number): Promise<number[]> {
  const times: number[] = [];
  for (let made = -warmUps; made < calls; made += 1) {
    const startedAt = performance.now();
    const { body, text } = await call();
    if (made >= 0) times.push(performance.now() - startedAt);
    const { items = [] } = (body.data ?? {}) as { items?: unknown[] };
    assert.ok(body.code === 200 && items.length >= leastItems, text.slice(0, 200));
  }
  return times;
}

/** What is begun is then cut off, and not waited for in the time. */
async function timeBeginnings(begin: () => Promise<() => Promise<void>>): Promise<number[]> {
  const times: number[] = [];
  for (let made = -warmUps; made < calls; made += 1) {
    const startedAt = performance.now();
    const end = await begin();
    if (made >= 0) times.push(performance.now() - startedAt);
    await end();
  }
  return times;
}

async function logIn(client: HttpClient, database: Database, username: string): Promise<string> {
  const uuid = String((await client.send({ path: '/api/v1/getCaptcha' })).body.id);
  await solveCaptcha(database, uuid);
  const { body, text } = await client.send({
    method: 'POST',
    path: '/api/v1/login',
    body: { username, password: companyPassword, uuid, code: captchaAnswer },
  });
  if (typeof body.token !== 'string') throw new Error(text);
  return body.token;
}
