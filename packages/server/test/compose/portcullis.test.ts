import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { dataReply, defineEndpoint, type Route, route } from '@portcullis/contract';
import { sql } from 'kysely';
import { pino } from 'pino';
import { type TObject, Type } from 'typebox';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startPgBouncer } from '../../../../test/rig/pgbouncer.ts';
import { commandLine, fileOf } from '../../../../test/rig/start-process.ts';
import { type Wait, waitByTimer } from '../../src/base/jobs/jobs.ts';
import { loadConfig } from '../../src/base/settings/config.ts';
import { StartRefusal } from '../../src/base/values/start-refusal.ts';
import { readCurrentRevision } from '../../src/cluster/revision-store.ts';
import { listKnownMigrations, migrate } from '../../src/cluster/store/migrate.ts';
import { type ComposeOptions, composePortcullis, type Portcullis } from '../../src/compose/portcullis.ts';
import { publishedPasswordHashes } from '../../src/people/passwords/published-passwords.ts';
import { createFreshDatabase, type FreshDatabase } from '../fresh-database.ts';

const masterKey = randomBytes(32).toString('hex');
const spoolFolder = join(tmpdir(), `portcullis-${randomBytes(6).toString('hex')}`);
afterAll(() => rm(spoolFolder, { recursive: true, force: true }));
const nowhere = 'postgres://postgres@127.0.0.1:1/nowhere';
const configOf = (url: string, environment: Record<string, string> = {}) =>
  loadConfig({
    environment: {
      DATABASE_URL: url,
      AUTH_MASTER_KEY: masterKey,
      APPLICATION_HOST: '127.0.0.1',
      APPLICATION_PORT: '0',
      OPS_PORT: '0',
      LOGGER_SPOOL_FOLDER: spoolFolder,
      ...environment,
    },
  });
const ordersEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/orders',
  access: 'permission',
  title: 'List orders',
  reply: dataReply(Type.Array(Type.String())),
});
const orders = route(ordersEndpoint, ({ caller }) => ({ data: [caller.username] }));
const { access: _access, ...undeclared } = ordersEndpoint;
const open: Route = { ...orders, endpoint: undeclared as unknown as typeof ordersEndpoint };

let running: Portcullis | undefined;
async function create(options: Omit<ComposeOptions, 'logger'>): Promise<Portcullis> {
  running = await composePortcullis({ ...options, logger: pino({ level: 'silent' }) });
  return running;
}
async function reasonsOf(options: Omit<ComposeOptions, 'logger'>): Promise<readonly string[]> {
  const refusal = await create(options).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (refusal instanceof StartRefusal) return refusal.reasons;
  throw new Error('It was not refused.', { cause: refusal });
}
afterEach(async () => {
  await running?.close(0);
  running = undefined;
});

describe('a start is refused before the database is touched', () => {
  it.each([
    ['GET /api/v1/orders', 'a business endpoint: every role could call it. Remove the entry and grant'],
    ['GET /api/v1/getinfo', 'a business endpoint: every role could call it. Remove the entry and grant'],
    ['GET /api/v1/nothing', 'which is not an endpoint of this service. Remove the entry.'],
    ['GET /api/v1/*', 'which is not an endpoint of this service. Remove the entry.'],
  ])('with the exclusion %s', async (entry, reason) => {
    const config = configOf(nowhere, { PERMISSION_EXCLUSIONS: JSON.stringify([entry]) });
    expect(await reasonsOf({ config, routes: [orders] })).toEqual([expect.stringContaining(reason)]);
  });

  it('with a route that declares no access', async () => {
    expect(await reasonsOf({ config: configOf(nowhere), routes: [open] })).toEqual([
      'The route GET /api/v1/orders declares no access. Declare it with defineEndpoint and an access of public, identity, permission.',
    ]);
  });

  it('with a route whose schema is not sound', async () => {
    const query = { type: 'object', properties: { year: { type: 'whole' } } } as unknown as TObject;
    const unsound: Route = { ...orders, endpoint: { ...ordersEndpoint, query } };
    expect(await reasonsOf({ config: configOf(nowhere), routes: [unsound] })).toEqual([
      expect.stringMatching(/^The route GET \/api\/v1\/orders has an invalid schema: .*whole/),
    ]);
  });
});

describe('on an empty database', () => {
  let database: FreshDatabase;
  beforeAll(async () => {
    database = await createFreshDatabase({ migrated: false });
  });
  afterAll(() => database.drop());

  it.each(['prod', 'test', 'Dev'])('the mode %s refuses to start and names the migrations', async (mode) => {
    const config = configOf(database.url, { APPLICATION_MODE: mode });
    const names = await listKnownMigrations();
    expect(names).toContain('0001-initial');
    expect(await reasonsOf({ config })).toEqual(
      names.map((name) => `The database lacks the migration ${name}. Run \`portcullis migrate\`.`),
    );
  });

  it('runs the migrations in dev', async () => {
    const { firstAdministrator } = await create({
      config: configOf(database.url, { APPLICATION_MODE: 'dev' }),
    });
    expect(firstAdministrator).toMatchObject({ username: 'admin' });
  });
});

describe('on a migrated database', () => {
  let database: FreshDatabase;
  beforeAll(async () => {
    database = await createFreshDatabase();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    const { store } = database;
    await migrate(store);
    await store.deleteFrom('users').execute();
    await store.deleteFrom('keys').execute();
    await store.deleteFrom('login_log').execute();
  });

  it('creates no administrator in a refused start, which cannot show the password', async () => {
    await reasonsOf({ config: configOf(database.url), routes: [open] });
    expect(await database.store.selectFrom('users').select('id').execute()).toEqual([]);
  });

  it('a pooler that shares sessions stops the start, and one that does not serves it', async () => {
    const sharing = await startPgBouncer(database.url, 'transaction');
    expect(await reasonsOf({ config: configOf(sharing.url) })).toEqual([
      expect.stringContaining('pool_mode = session'),
    ]);
    await sharing.stop();
    const bouncer = await startPgBouncer(database.url, 'session');
    const { opsPort } = await (await create({ config: configOf(bouncer.url) })).listen();
    expect((await fetch(`http://127.0.0.1:${opsPort}/readyz`)).status).toBe(200);
    await running?.close(0);
    running = undefined;
    await bouncer.stop();
  });

  it('another master key stops the start with what to do', async () => {
    await (await create({ config: configOf(database.url) })).close(0);
    running = undefined;
    const config = configOf(database.url, { AUTH_MASTER_KEY: randomBytes(32).toString('hex') });
    expect(await reasonsOf({ config })).toEqual([expect.stringContaining('auth.masterKey')]);
  });

  it('a published default password stops the start outside dev', async () => {
    await (await create({ config: configOf(database.url) })).close(0);
    running = undefined;
    await database.store
      .updateTable('users')
      .set({ password_hash: publishedPasswordHashes[0] ?? '' })
      .execute();
    expect(await reasonsOf({ config: configOf(database.url) })).toEqual([
      'The administrator `admin` has a published default password. Set another password, or disable the user.',
    ]);
    await create({ config: configOf(database.url, { APPLICATION_MODE: 'dev' }) });
  });

  /** Starts in dev and gives the origin, with the password of the first administrator. */
  async function startInDev(environment: Record<string, string> = {}) {
    const config = configOf(database.url, { APPLICATION_MODE: 'dev', ...environment });
    const portcullis = await create({ config, routes: [orders] });
    const { port, opsPort } = await portcullis.listen();
    const call = async (method: string, path: string, init: { token?: string; body?: object } = {}) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: {
          ...(init.token === undefined ? {} : { authorization: `Bearer ${init.token}` }),
          ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
      });
      return (await response.json()) as { code: number; token: string; data: unknown };
    };
    const logIn = async () =>
      (await call('POST', '/api/v1/login', { body: portcullis.firstAdministrator ?? {} })).token;
    return { portcullis, call, logIn, opsPort };
  }
  const loggedReasons = async () => {
    const rows = await database.store.selectFrom('login_log').select('reason').orderBy('id').execute();
    return rows.map(({ reason }) => reason);
  };

  it('connects its parts: login, a business route, logout, and a token that is revoked then', async () => {
    const { call, logIn, portcullis } = await startInDev();
    const token = await logIn();
    expect(await call('GET', '/api/v1/orders', { token })).toMatchObject({ code: 200, data: ['admin'] });
    expect(await call('GET', '/api/v1/orders')).toMatchObject({ code: 401 });
    expect(await call('GET', '/api/v1/user/profile', { token })).toMatchObject({
      data: { user: { username: 'admin' } },
    });
    expect(await call('GET', '/api/v1/getinfo', { token })).toMatchObject({
      data: { permissions: ['*:*:*'] },
    });
    expect(await call('POST', '/api/v1/logout', { token })).toMatchObject({ code: 200 });
    expect(await call('GET', '/api/v1/orders', { token })).toMatchObject({ code: 401 });
    await portcullis.close(0);
    running = undefined;
    expect((await loggedReasons()).toSorted()).toEqual(['logout', 'ok']);
  });

  it('listens for questions of gateways only where a secret is set', async () => {
    const closed = await create({ config: configOf(database.url, { APPLICATION_MODE: 'dev' }) });
    expect(await closed.listen()).toMatchObject({ decisionPort: 0 });
    await closed.close(0);
    const environment = { DECISION_SECRET: randomBytes(32).toString('hex'), DECISION_PORT: '0' };
    const open = await create({ config: configOf(database.url, environment) });
    const { decisionPort } = await open.listen();
    const ask = () => fetch(`http://127.0.0.1:${decisionPort}/forward-auth`).then(({ status }) => status);
    expect(await ask()).toBe(503);
    await open.close(0);
    running = undefined;
    await expect(ask()).rejects.toThrow();
  });

  it('with logger.enableddb off nothing is recorded', async () => {
    const unmade = join(spoolFolder, 'unmade');
    const { logIn, portcullis } = await startInDev({
      LOGGER_ENABLEDDB: 'false',
      LOGGER_SPOOL_FOLDER: unmade,
    });
    expect(await logIn()).toMatch(/^ey/);
    await portcullis.close(0);
    running = undefined;
    expect(await loggedReasons()).toEqual([]);
    expect(existsSync(unmade)).toBe(false);
  });

  it('with logger.enableddb on it has a spool while it runs, and none when it has ended', async () => {
    const own = join(spoolFolder, 'own');
    const { logIn, portcullis } = await startInDev({ LOGGER_SPOOL_FOLDER: own });
    await logIn();
    const [root = ''] = await readdir(own);
    expect(await readdir(join(own, root))).toHaveLength(1);
    await portcullis.close(0);
    running = undefined;
    expect(await readdir(join(own, root))).toEqual([]);
  });

  it.each([
    ['is a file', async (path: string) => writeFile(path, '')],
    ['has too long a path', async (path: string) => void (await mkdir(path))],
  ])('a spool folder that %s stops the start with what to do', async (what, make) => {
    await mkdir(spoolFolder, { recursive: true });
    const path = join(spoolFolder, what === 'is a file' ? 'file' : 'x'.repeat(90));
    await make(path);
    const config = configOf(database.url, { LOGGER_SPOOL_FOLDER: path });
    expect(await reasonsOf({ config })).toEqual([expect.stringContaining('set `logger.spoolFolder`')]);
    expect(await database.store.selectFrom('instances').select('id').execute()).toEqual([]);
    await rm(path, { recursive: true });
  });

  /** The command line as a process, on the same database. */
  async function runCommand(command: string[], environment: Record<string, string> = {}): Promise<string> {
    const env = { ...process.env, DATABASE_URL: database.url, AUTH_MASTER_KEY: masterKey, ...environment };
    return (await promisify(execFile)(process.execPath, [fileOf(commandLine), ...command], { env })).stdout;
  }

  it('after lost changes it answers 503 and is not ready, until `recover` has ended every session', async () => {
    const { call, logIn, opsPort } = await startInDev();
    const token = await logIn();
    const isReady = async () => (await fetch(`http://127.0.0.1:${opsPort}/readyz`)).status === 200;
    const { n } = await readCurrentRevision(database.store);
    await database.store
      .updateTable('current_revision')
      .set({ n: n - 1 })
      .execute();
    await expect.poll(isReady).toBe(false);
    expect(await call('GET', '/api/v1/orders', { token })).toMatchObject({ code: 503 });
    expect(await runCommand(['recover', '--yes'], { APPLICATION_MODE: 'dev' })).toMatch(
      /Every instance enforces revision \d+\./,
    );
    expect(await isReady()).toBe(true);
    expect(await call('GET', '/api/v1/orders', { token })).toMatchObject({ code: 401 });
    expect(await call('GET', '/api/v1/orders', { token: await logIn() })).toMatchObject({ code: 200 });
  });

  it('starts with a new master key after `signing-keys reseal`, and tokens outlive the change', async () => {
    const before = await startInDev();
    const token = await before.logIn();
    await before.portcullis.close(0);
    const next = randomBytes(32).toString('hex');
    const told = await runCommand(['signing-keys', 'reseal'], {
      APPLICATION_MODE: 'dev',
      AUTH_MASTER_KEY: next,
      AUTH_PREVIOUS_MASTER_KEY: masterKey,
    });
    expect(told).toBe(
      'Encrypted 1 signing keys and 0 secrets of authenticator apps, 0 of providers and 0 of webhooks with the master key.\n',
    );
    const { call } = await startInDev({ AUTH_MASTER_KEY: next });
    expect(await call('GET', '/api/v1/orders', { token })).toMatchObject({ code: 200 });
  });

  it('a start that is refused leaves no row that a change would wait for', async () => {
    await (await create({ config: configOf(database.url) })).close(0);
    running = undefined;
    await reasonsOf({ config: configOf(database.url, { AUTH_MASTER_KEY: randomBytes(32).toString('hex') }) });
    expect(await database.store.selectFrom('instances').select('id').execute()).toEqual([]);
  });

  it('sweeps expired rows every minute: attempts, and unconfirmed factors', async () => {
    const minute = Promise.withResolvers<void>();
    const waited = new Set<string>();
    const wait: Wait = (milliseconds, signal, job) => {
      if (milliseconds !== 60_000 || job === undefined || waited.has(job.name))
        return waitByTimer(milliseconds, signal);
      waited.add(job.name);
      return minute.promise;
    };
    try {
      const portcullis = await create({ config: configOf(database.url, { APPLICATION_MODE: 'dev' }), wait });
      const { store } = database;
      await sql`insert into credentials (user_id, kind, factor, created_at)
        select id, 'totp', 2, now() - interval '25 hours' from users`.execute(store);
      await sql`insert into login_attempts (handle_hash, captcha_mac, expires_at)
        values ('handle', 'mac', now())`.execute(store);
      const count = async () => [
        (await store.selectFrom('credentials').select('id').execute()).length,
        (await store.selectFrom('login_attempts').select('tries').execute()).length,
      ];
      expect(await count()).toEqual([1, 1]);
      minute.resolve();
      await expect.poll(count).toEqual([0, 0]);
      await portcullis.close(0);
      running = undefined;
    } finally {
      minute.resolve();
      await database.store.deleteFrom('credentials').execute();
    }
  });

  it('is ready once it listens, and answers on the ops listener', async () => {
    const { opsPort } = await startInDev();
    expect((await fetch(`http://127.0.0.1:${opsPort}/readyz`)).status).toBe(200);
  });
});
