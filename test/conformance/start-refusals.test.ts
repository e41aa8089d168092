// Spec, Authentication 4 and 6: settings that would leave production unprotected stop the start. Every refusal exits 78, says what
// to do, and comes before a port is bound: the suite holds the port, so a server that tried it would exit 1.
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type Database } from '../rig/create-database.ts';
import { masterKey } from '../rig/master-key.ts';
import { addUser, seed } from '../rig/seed.ts';
import { businessService, commandLine, startProcess } from '../rig/start-process.ts';
import { baseSettings } from '../rig/start-server.ts';

let migrated: Database;
let holder: Server;
let folder: string;

beforeAll(async () => {
  migrated = await createDatabase({ migrated: true });
  holder = createServer().listen(0, '0.0.0.0');
  await once(holder, 'listening');
  folder = await mkdtemp(join(tmpdir(), 'portcullis-settings-'));
});
afterAll(async () => {
  holder.close();
  await migrated.drop();
  await rm(folder, { recursive: true });
});

interface Start {
  readonly settings?: Readonly<Record<string, string>>;
  /** The settings file, as YAML. */
  readonly file?: string;
  readonly database?: Database;
}

async function start({ settings, file, database = migrated }: Start) {
  const { port } = holder.address() as { port: number };
  const own = { APPLICATION_PORT: String(port), RIG_PATIENCE: 'true' };
  const environment = { ...baseSettings(database.url), ...own, ...settings };
  const process = startProcess(
    file === undefined
      ? { script: businessService, environment }
      : { script: commandLine, arguments: ['--config', await storeFile(file), 'serve'], environment },
  );
  return { code: await process.exited, output: process.output };
}

async function storeFile(content: string): Promise<string> {
  const path = join(await mkdtemp(join(folder, 'file-')), 'portcullis.yaml');
  await writeFile(path, content);
  return path;
}

async function expectStartRefused(options: Start, reason: RegExp): Promise<void> {
  const { code, output } = await start(options);
  expect(output).toMatch(reason);
  expect(code).toBe(78);
  expect(output).not.toContain('"ready"');
  expect(output).not.toMatch(/\n\s+at /);
}

async function withDatabase(isMigrated: boolean, work: (database: Database) => Promise<void>): Promise<void> {
  const database = await createDatabase({ migrated: isMigrated });
  await work(database).finally(database.drop);
}

const published = Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString('hex');
const phrase = Buffer.from('a sentence that anyone could say').toString('hex');
const repeated = `${masterKey.slice(0, 30)}${masterKey.slice(0, 30)}${masterKey.slice(0, 4)}`;
const weakKeys = [
  { name: 'no master key', key: '', reason: /masterKey.* missing.*openssl rand -hex 32/ },
  { name: 'a short master key', key: masterKey.slice(2), reason: /masterKey.*32 bytes.*openssl/ },
  { name: 'a long master key', key: `${masterKey}00`, reason: /masterKey.*32 bytes.*openssl/ },
  { name: 'a master key of one byte repeated', key: 'ab'.repeat(32), reason: /masterKey.*openssl/ },
  {
    name: 'a master key of 15 different bytes',
    key: repeated,
    reason: /masterKey.*too few different bytes.*openssl/,
  },
  { name: 'a published master key', key: published, reason: /masterKey.*published.*openssl/ },
  { name: 'a phrase as master key', key: phrase, reason: /masterKey.*phrase.*openssl/ },
];

describe.concurrent('outside dev', () => {
  it.each(weakKeys)('$name stops the start [authentication-4.3]', async ({ key, reason }) => {
    await expectStartRefused({ settings: { APPLICATION_MODE: 'prod', AUTH_MASTER_KEY: key } }, reason);
  });

  it.each(['test', 'Dev', 'DEV'])(
    'no master key stops the start in mode %s as well [authentication-4.2]',
    async (mode) => {
      await expectStartRefused(
        { settings: { APPLICATION_MODE: mode, AUTH_MASTER_KEY: '' } },
        /masterKey.*missing/,
      );
    },
  );

  it('pending migrations stop the start, which says how to run them [authentication-4.3]', async () => {
    await withDatabase(false, (database) =>
      expectStartRefused({ database }, /migration.*0001.*portcullis migrate/),
    );
  });

  it('an administrator with a published default password stops the start [authentication-4.3]', async () => {
    await withDatabase(true, async (database) => {
      await seed(database);
      const passwordHash = '$2a$10$/Glr4g9Svr6O0kvjsRJCXu3f0W8/dsP3XZyVNi1019ratWpSPMyw.';
      await addUser(database, { username: 'root', role: 'admin', passwordHash });
      await expectStartRefused({ database }, /root.*default password.*[Ss]et another/);
    });
  });
});

describe.concurrent('in any mode', () => {
  it.each(['prod', 'dev'])(
    'an exclusion entry for a business endpoint stops the start (%s) [authentication-6.2]',
    async (mode) => {
      const exclusions = JSON.stringify(['POST /api/v1/login', 'GET /api/v1/orders']);
      await expectStartRefused(
        { settings: { APPLICATION_MODE: mode, PERMISSION_EXCLUSIONS: exclusions } },
        /exclusions.*GET \/api\/v1\/orders.*business endpoint.*[Rr]emove.*rule/,
      );
    },
  );

  it.each([
    'GET /api/v1/nothing',
    'GET /api/v1/refresh_token',
    'POST /api/v1/user/profile',
    'GET /api/v1/user/*',
    'GET /api/v1/user/profile/',
  ])(
    'the exclusion entry "%s", which matches no endpoint, stops the start [authentication-6.2] [permission-exclusion-list-s1] [removed-endpoint-s1]',
    async (entry) => {
      const settings = { PERMISSION_EXCLUSIONS: JSON.stringify([entry]) };
      await expectStartRefused({ settings }, /exclusions.*not an endpoint.*[Rr]emove/);
    },
  );

  it('a route that declares no access stops the start and leaves the database as it was [authentication-5c] [what-the-service-does-s2]', async () => {
    await withDatabase(true, async (database) => {
      const settings = { RIG_ROUTES: 'undeclared' };
      await expectStartRefused({ settings, database }, /GET \/api\/v1\/undeclared.*access.*defineEndpoint/);
      expect(await database.query('select username from users')).toEqual([]);
      expect(await database.query('select kid from keys')).toEqual([]);
    });
  });

  it.each([
    {
      key: 'logger.enabledb',
      file: 'logger: { enabledb: true }',
      reason: /Did you mean `logger\.enableddb`/,
    },
    {
      key: 'application.mod',
      file: 'application: { mod: prod }',
      reason: /Did you mean `application\.mode`/,
    },
    { key: 'applicaton.mode', file: 'applicaton: { mode: dev }', reason: /Did you mean `application\.mode`/ },
    { key: 'auth.maxRefresh', file: 'auth: { maxRefresh: 3600 }', reason: /no setting `auth\.maxRefresh`/ },
  ])(
    'the unknown key $key in the settings file stops the start [authentication-4.1] [events-s2] [limits-token-refresh]',
    async ({ file, reason }) => {
      await expectStartRefused({ file }, reason);
    },
  );

  it('a misspelt environment variable stops the start [authentication-4.1] [events-s2]', async () => {
    const settings = { LOGGER_ENABLEDB: 'false' };
    await expectStartRefused({ settings }, /LOGGER_ENABLEDB .*Did you mean LOGGER_ENABLEDDB/);
  });

  it.each(['299', '86401'])(
    'a token lifetime of %s seconds stops the start [authentication-4.2]',
    async (seconds) => {
      await expectStartRefused(
        { settings: { AUTH_TOKEN_LIFETIME_SECONDS: seconds } },
        /tokenLifetimeSeconds/,
      );
    },
  );

  it('every reason is printed at once, and the value of no secret [authentication-4.3]', async () => {
    const { code, output } = await start({
      settings: {
        LOGGER_ENABLEDDB: 'perhaps',
        AUTH_TOKEN_LIFETIME_SECONDS: '1',
        DATABASE_URL: `x${masterKey}`,
      },
    });
    expect(code).toBe(78);
    expect(output).toMatch(/enableddb/);
    expect(output).toMatch(/tokenLifetimeSeconds/);
    expect(output).not.toContain(masterKey);
  });
});

describe('a port that is taken', () => {
  it('fails the start with exit code 1, which is not the code of refused settings [authentication-4.3]', async () => {
    const { code, output } = await start({});
    expect(output).toMatch(/port|EADDRINUSE/);
    expect(code).toBe(1);
  });
});
