// The service under a separate database role, which `portcullis migrate --service-role` gives the needed rights: the whole
// service works, and an attacker who has taken it over cannot change the login log.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../conformance/eventually.ts';
import { expectSuccess } from '../conformance/expect-refusal.ts';
import { captchaAnswer, solveCaptcha } from '../rig/captcha.ts';
import { present } from '../rig/carriers.ts';
import { createDatabase, type Database } from '../rig/create-database.ts';
import { createHttpClient, type HttpClient } from '../rig/http-client.ts';
import { password, seed, type Username, users } from '../rig/seed.ts';
import { commandLine, startProcess } from '../rig/start-process.ts';
import { baseSettings, type Server, startServer } from '../rig/start-server.ts';
import { decodeToken } from '../rig/tokens.ts';
import { failIfAttackSucceeded } from '../weaknesses/attack.ts';
import { patience } from './size.ts';

const role = `portcullis_rig_${randomBytes(6).toString('hex')}`;
let database: Database;
beforeAll(async () => {
  database = await createDatabase({ migrated: true });
  await database.query(`create role ${role} login`);
  expect(await runCommand('migrate', '--service-role', role)).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await database.query(`drop owned by ${role}`);
  await database.query(`drop role ${role}`);
  await database.drop();
});

async function runCommand(...command: string[]) {
  const process = startProcess({
    script: commandLine,
    arguments: command,
    environment: baseSettings(database.url),
  });
  return { code: await process.exited, output: process.output };
}

function roleUrl(): string {
  const url = new URL(database.url);
  url.username = role;
  return url.href;
}

describe('the login log, by the role of the service', () => {
  let client: pg.Client;
  beforeAll(async () => {
    client = new pg.Client({ connectionString: roleUrl() });
    await client.connect();
  });
  afterAll(() => client.end());

  const tables = ['login_log', 'login_log_late', 'login_log_heads', 'login_log_dead_letters'];
  it.each(tables)('T93 cannot be changed: %s', async (table) => {
    for (const statement of [
      `update ${table} set chain = null`,
      `delete from ${table}`,
      `truncate ${table}`,
      `drop table ${table}`,
      `alter table ${table} disable trigger all`,
      `create rule swallow as on insert to ${table} do instead nothing`,
    ])
      await expect(client.query(statement), statement).rejects.toMatchObject({ code: '42501' });
  });

  it.each([
    `update audit_log set target = 'user 8'`,
    'delete from audit_log',
    'truncate audit_log',
    'alter table audit_log disable trigger audit_log_chained',
    'set session_replication_role = replica',
    `insert into audit_log_chain values (1, gen_random_uuid(), '')`,
    'delete from audit_log_chain',
    `update audit_log_end set hash = ''`,
    'delete from audit_log_heads',
    `insert into audit_log_checkpoint values (1, now(), '', '')`,
    'delete from audit_log_checkpoint',
    'drop function chain_audit_record() cascade',
    `update rule_history set username = 'kim'`,
    'delete from rule_history',
    'truncate rule_history',
    'delete from login_log_counts',
    'truncate login_log_counts',
    'update deployment set id = gen_random_uuid()',
    `delete from kysely_migration`,
    'drop function uuid_v7_bound',
    'select make_login_log_partitions(24)',
    'create table mine ()',
  ])('T93 cannot be got round: %s', async (statement) => {
    await expect(client.query(statement)).rejects.toMatchObject({ code: '42501' });
  });
});

describe('`migrate --service-role`', () => {
  it('T93 refuses a role that does not exist', async () => {
    expect(await runCommand('migrate', '--service-role', 'nobody_there')).toMatchObject({
      code: 78,
      output: expect.stringContaining('has no role nobody_there'),
    });
  });

  it('T93 refuses a role that owns the tables', async () => {
    const owner = new URL(database.url).username;
    expect(await runCommand('migrate', '--service-role', owner)).toMatchObject({
      code: 78,
      output: expect.stringContaining('can still change the login log'),
    });
  });

  it('T93 takes what the role had beyond its needs', async () => {
    await database.query(`grant all on login_log, login_log_late to ${role}`);
    expect(await runCommand('migrate', '--service-role', role)).toMatchObject({ code: 0 });
    const rows = await database.query<{ table_name: string; privilege_type: string }>(
      `select table_name, privilege_type from information_schema.role_table_grants
       where grantee = $1 and table_name like 'login_log%' order by 1, 2`,
      [role],
    );
    const granted = rows.map((row) => `${row.table_name} ${row.privilege_type}`);
    failIfAttackSucceeded(
      granted.some((right) => /^login_log (DELETE|UPDATE|TRUNCATE)$/.test(right)),
      'the role of the service changes the login log',
    );
    expect(granted).toEqual([
      'login_log INSERT',
      'login_log SELECT',
      'login_log_chains SELECT',
      'login_log_counts INSERT',
      'login_log_counts SELECT',
      'login_log_counts UPDATE',
      'login_log_dead_letters INSERT',
      'login_log_dead_letters SELECT',
      'login_log_heads INSERT',
      'login_log_heads SELECT',
    ]);
  });
});

describe('the service, under its role', () => {
  let server: Server;
  let client: HttpClient;
  let anchors: string;
  beforeAll(async () => {
    await seed(database);
    anchors = await mkdtemp(join(tmpdir(), 'portcullis-anchors-'));
    server = await startServer({
      databaseUrl: database.url,
      settings: {
        ...patience,
        APPLICATION_MODE: 'prod',
        DATABASE_URL: roleUrl(),
        LOGGER_ANCHOR_FOLDER: anchors,
      },
    });
    client = createHttpClient(server.port);
  });
  afterAll(async () => {
    client.close();
    await server.stop();
    await rm(anchors, { recursive: true });
  });

  async function logIn(username: Username): Promise<string> {
    const uuid = String((await client.send({ path: '/api/v1/getCaptcha' })).body.id);
    await solveCaptcha(database, uuid);
    const body = { username, password, uuid, code: captchaAnswer };
    const answer = await client.send({ method: 'POST', path: '/api/v1/login', body });
    expect(answer.body.code, answer.text).toBe(200);
    return String(answer.body.token);
  }
  const idOf = (username: Username) => users.findIndex((user) => user.username === username) + 1;

  it('T93 logs in and out, and changes everything that an administrator can change', async () => {
    const token = await logIn('ada');
    const jti = async (username: Username) => decodeToken(await logIn(username)).claims.jti;
    const send = async (method: string, path: string, body?: unknown) => {
      const request = { method, path: `/api/v1/${path}`, ...(body === undefined ? {} : { body }) };
      const answer = await client.send(present(token, 'header', request));
      expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
      return answer;
    };
    const rule = { method: 'GET', path: '/api/v1/orders' };
    const calls: [string, string, unknown?][] = [
      ['GET', 'getinfo'],
      ['GET', 'user/profile'],
      ['GET', 'instances'],
      ['GET', 'keys'],
      ['POST', 'keys'],
      ['POST', 'roles/5/rules', { add: [rule] }],
      ['GET', 'roles/5/rules'],
      ['POST', 'roles/5/rules', { remove: [rule] }],
      ['POST', 'roles/5/rules/compare', { add: [rule] }],
      ['GET', 'roles/5/rules/history'],
      ['POST', 'roles/5/rules/rollback', { revision: 1 }],
      ['POST', 'roles', { roleKey: 'packer', name: 'Packer', dataScope: '5' }],
      ['PUT', 'roles/100', { name: 'Porter', dataScope: '3' }],
      ['GET', 'roles'],
      ['DELETE', 'roles/100'],
      ['POST', 'departments', { name: 'Store', parentId: 1 }],
      ['PUT', 'departments/2', { name: 'Shop', parentId: null }],
      ['GET', 'departments'],
      ['DELETE', 'departments/2'],
      ['PUT', 'roles/5/enabled', { enabled: false }],
      ['PUT', 'roles/5/enabled', { enabled: true }],
      ['PUT', 'roles/5/data-scope', { dataScope: '2', departmentIds: [1] }],
      ['PUT', `users/${idOf('gina')}/role`, { roleId: 2 }],
      ['PUT', `users/${idOf('gina')}/password`, { password: 'another-Password-1' }],
      ['PUT', `users/${idOf('gina')}/enabled`, { enabled: false }],
      ['DELETE', `users/${idOf('gina')}`],
      ['GET', 'sessions'],
      ['DELETE', `sessions/${await jti('carl')}`],
      ['DELETE', `users/${idOf('carl')}/sessions`],
      ['GET', 'login-logs'],
    ];
    for (const call of calls) expectSuccess(await send(...call));
    const { body } = await send('GET', 'keys');
    const kids = (body.data as { items?: { kid: string }[] }).items ?? (body.data as { kid: string }[]);
    for (const { kid } of kids) await send('POST', `keys/${kid}/activate`);
    await send('GET', 'login-logs/counts');
    await send('GET', 'login-logs/top');
    await send('GET', 'login-logs/export');
    const carl = await logIn('carl');
    expectSuccess(await client.send(present(carl, 'header', { method: 'POST', path: '/api/v1/logout' })));
    expectSuccess(await send('DELETE', 'sessions'));
  });

  it('T93 writes every attempt to the log', async () => {
    const count = async (reason: string) =>
      (await database.query('select from login_log where reason = $1', [reason])).length;
    await eventually(() => count('ok')).toBe(3);
    await eventually(() => count('logout')).toBe(1);
  });

  it('T93 signs how far the log reaches when it stops, and was refused nothing', async () => {
    expect(await server.stop()).toBe(0);
    expect(server.process.output).not.toMatch(/42501|permission denied/);
    // Nothing is wrong with it; that nothing is missing at the end cannot be told without an anchor.
    expect(await runCommand('log', 'verify')).toMatchObject({ code: 3 });
    for (const table of ['login_log_heads', 'audit_log_heads'])
      expect(await database.query(`select from ${table}`)).not.toHaveLength(0);
  });

  it('T93 sends the heads from the host, so that a truncated log is detected', async () => {
    const verify = async () => (await runCommand('log', 'verify', '--anchor', anchors)).code;
    expect(await verify()).toBe(0);
    await database.query(
      'delete from login_log where id in (select id from login_log order by id desc limit 3)',
    );
    await database.query('delete from login_log_heads');
    expect(await runCommand('log', 'verify')).toMatchObject({ code: 3 });
    expect(await verify()).toBe(1);
  });

  it('T93 names a record of the audit log that was changed', async () => {
    await database.query(`update audit_log set target = 'user 4711' where action = 'role.create'`);
    const { code, output } = await runCommand('log', 'verify');
    expect(code).toBe(1);
    expect(output).toMatch(/Audit log: record \d+ \([0-9a-f-]{36}\) was changed/);
  });
});
