// Spec, What the service does: from the spawn of the process to a service that answers, and the very first login.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { captchaAnswer, solveCaptcha } from '../rig/captcha.ts';
import { present } from '../rig/carriers.ts';
import { createDatabase, type Database } from '../rig/create-database.ts';
import { createHttpClient } from '../rig/http-client.ts';
import { commandLine, startProcess } from '../rig/start-process.ts';
import { baseSettings, type Server, startServer } from '../rig/start-server.ts';
import { eventually } from './eventually.ts';
import { expectSuccess } from './expect-refusal.ts';

const databases: Database[] = [];
const servers: Server[] = [];

async function freshDatabase(migrated = true): Promise<Database> {
  const database = await createDatabase({ migrated });
  databases.push(database);
  return database;
}

async function startProduct(database: Database, settings: Record<string, string> = {}): Promise<Server> {
  const server = await startServer({
    databaseUrl: database.url,
    settings,
    script: commandLine,
    arguments: ['serve'],
  });
  servers.push(server);
  return server;
}

afterEach(async () => {
  await Promise.all(servers.splice(0).map(({ stop }) => stop()));
  for (const database of databases.splice(0)) await database.drop();
});

const shownPassword = (output: string) => /\badmin\s+([\w-]{20,})\s/.exec(output)?.[1];

async function logIn({ port }: Server, database: Database, password: string) {
  const client = createHttpClient(port);
  const uuid = String((await client.send({ path: '/api/v1/getCaptcha' })).body.id);
  await solveCaptcha(database, uuid);
  const body = { username: 'admin', password, uuid, code: captchaAnswer };
  const { token } = (await client.send({ method: 'POST', path: '/api/v1/login', body })).body;
  const answer = await client.send(present(String(token), 'header', { path: '/api/v1/getinfo' }));
  client.close();
  return answer;
}

describe('the first start', () => {
  it('creates one administrator, shows its password once, and the password works [what-the-service-does-s3]', async () => {
    const database = await freshDatabase();
    const server = await startProduct(database);
    const password = shownPassword(server.process.output) ?? '';
    expect(server.process.output.split(password)).toHaveLength(2);
    const answer = await logIn(server, database, password);
    expectSuccess(answer);
    expect(answer.body.data).toMatchObject({ userName: 'admin', roles: ['admin'] });
  });

  it('creates one administrator and one signing key between two servers that start at once [what-the-service-does-s3]', async () => {
    const database = await freshDatabase();
    const unlock = await database.lock('users', { readersPass: true });
    // Waits long for the lock, because one server can get there long before the other.
    const settings = { DATABASE_URL: `${database.url}?statement_timeout=110000&query_timeout=110000` };
    const starting = Promise.all([startProduct(database, settings), startProduct(database, settings)]);
    // Both have seen that there is no user, and wait for each other.
    await eventually(() => database.countWaiting('users'), { timeout: 100_000 })
      .toBe(2)
      .finally(unlock);
    const [first, second] = await starting;
    const shown = [first, second]
      .map(({ process }) => shownPassword(process.output))
      .filter((password) => password !== undefined);
    expect(shown).toHaveLength(1);
    expect(await database.query('select username from users')).toEqual([{ username: 'admin' }]);
    expect(await database.query('select role_key from roles')).toEqual([{ role_key: 'admin' }]);
    expect(await database.query('select dev, signing from keys')).toEqual([{ dev: false, signing: true }]);
    for (const server of [first, second]) expectSuccess(await logIn(server, database, shown[0] ?? ''));
  });

  it('is not repeated: a second start shows no password and changes no user [what-the-service-does-s3]', async () => {
    const database = await freshDatabase();
    await (await startProduct(database)).stop();
    const before = await database.query('select * from users');
    const again = await startProduct(database);
    expect(shownPassword(again.process.output)).toBeUndefined();
    expect(again.process.output).not.toMatch(/password/i);
    expect(await database.query('select * from users')).toEqual(before);
  });

  it('loses no password: a first start that cannot bind has shown it or created no user [what-the-service-does-s3]', async () => {
    const database = await freshDatabase();
    const holder = createServer().listen(0, '0.0.0.0');
    await once(holder, 'listening');
    const { port } = holder.address() as { port: number };
    const environment = { ...baseSettings(database.url), APPLICATION_PORT: String(port) };
    const failed = startProcess({ script: commandLine, arguments: ['serve'], environment });
    expect(await failed.exited).toBe(1);
    holder.close();
    const server = await startProduct(database);
    const password = shownPassword(failed.output) ?? shownPassword(server.process.output);
    expect(password).toBeDefined();
    expectSuccess(await logIn(server, database, password ?? ''));
  });

  it('migrates an empty database at the start in dev [authentication-4.1]', async () => {
    const server = await startProduct(await freshDatabase(false), { APPLICATION_MODE: 'dev' });
    expect(shownPassword(server.process.output)).toBeDefined();
  });
});

describe('every start', () => {
  it('answers from the line `ready` on [what-the-service-does-s1]', async () => {
    const { port } = await startProduct(await freshDatabase());
    const client = createHttpClient(port);
    expectSuccess(await client.send({ path: '/api/v1/getCaptcha' }));
    client.close();
  });
});
