import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataReply, defineEndpoint } from '@portcullis/contract';
import { Type } from 'typebox';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  createPortcullis,
  type Portcullis,
  type PortcullisOptions,
  route,
  StartRefusal,
} from '../src/index.ts';
import { createFreshDatabase, type FreshDatabase } from './fresh-database.ts';

const scopeEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/scope',
  access: 'identity',
  title: 'Show the own data scope',
  reply: dataReply(Type.Object({ scope: Type.String(), userId: Type.Integer() })),
});
const masterKey = randomBytes(32).toString('hex');

let database: FreshDatabase;
let folder: string;
let running: Portcullis | undefined;
beforeAll(async () => {
  database = await createFreshDatabase();
  folder = await mkdtemp(join(tmpdir(), 'portcullis-create-'));
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await running?.close(0);
  running = undefined;
});

/** As an object of settings; ports that are free, and no log. */
const settingsOf = (url: string) => ({
  application: { mode: 'dev', host: '127.0.0.1', port: 0, drainSeconds: 0 },
  ops: { port: 0 },
  database: { url },
  auth: { masterKey },
  logger: { level: 'silent', enableddb: false },
});

async function reasonsOf(options: unknown): Promise<readonly string[]> {
  const refusal = await createPortcullis(options as PortcullisOptions).then(
    (portcullis) => {
      running = portcullis;
    },
    (error: unknown) => error,
  );
  if (refusal instanceof StartRefusal) return refusal.reasons;
  throw new Error('It was not refused.', { cause: refusal });
}

describe('settings are refused', () => {
  it.each<[string, object, string]>([
    [
      'with an unknown section',
      { aplication: { port: 1 } },
      'There is no setting `aplication.port`. Did you mean `application.port`?',
    ],
    [
      'with an unknown key',
      { application: { prot: 1 } },
      'There is no setting `application.prot`. Did you mean `application.port`?',
    ],
    [
      'with a value of another type',
      { application: { mode: 'dev', port: '8000' } },
      '`application.port` (APPLICATION_PORT)',
    ],
    ['with a section that is none', { application: true }, 'There is no setting `application`.'],
    [
      'with a file that does not exist',
      { file: '/nowhere.yaml' },
      'The settings file /nowhere.yaml does not exist.',
    ],
  ])('%s', async (_, settings, reason) => {
    expect(await reasonsOf({ settings })).toContainEqual(expect.stringContaining(reason));
  });

  it('without a master key outside dev', async () => {
    expect(await reasonsOf({ settings: { application: { mode: 'prod' } } })).toContainEqual(
      expect.stringContaining('auth.masterKey'),
    );
  });

  it('in the environment, which wins over what the program gives', async () => {
    vi.stubEnv('APPLICATION_PORT', 'many');
    expect(await reasonsOf({ settings: settingsOf(database.url) })).toContainEqual(
      expect.stringContaining('APPLICATION_PORT'),
    );
  });
});

it('an endpoint that declares no access stops the start', async () => {
  const { access: _access, ...undeclared } = scopeEndpoint;
  const open = {
    ...route(scopeEndpoint, () => ({ data: { scope: 'all', userId: 1 } })),
    endpoint: undeclared,
  };
  const settings = settingsOf(database.url);
  for (const endpoints of [[open], () => [open]])
    expect(await reasonsOf({ settings, endpoints })).toEqual([
      expect.stringContaining('GET /api/v1/scope declares no access'),
    ]);
});

it('a handler that asks for a data scope before the service has started gets none', async () => {
  let asked: Promise<unknown> | undefined;
  running = await createPortcullis({
    settings: settingsOf(database.url) as PortcullisOptions['settings'] & object,
    endpoints: ({ resolveScope }) => {
      asked = resolveScope({ userId: 1 });
      asked.catch(() => {});
      return [];
    },
  });
  await expect(asked).rejects.toThrow('not started');
});

it('serves the endpoints behind the checks, and a handler learns its caller’s data scope', async () => {
  await database.store.deleteFrom('users').execute();
  const file = join(folder, 'portcullis.yaml');
  await writeFile(file, JSON.stringify(settingsOf(database.url)));
  running = await createPortcullis({
    settings: { file },
    endpoints: ({ resolveScope }) => [
      route(scopeEndpoint, async ({ caller }) => {
        const { scope } = await resolveScope(caller);
        return { data: { scope, userId: caller.userId } };
      }),
    ],
  });
  const { port } = await running.listen();
  const call = async (path: string, init?: RequestInit) =>
    (await (await fetch(`http://127.0.0.1:${port}${path}`, init)).json()) as Record<string, unknown>;
  expect(await call('/api/v1/scope')).toMatchObject({ code: 401 });
  const { token } = await call('/api/v1/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(running.firstAdministrator),
  });
  expect(await call('/api/v1/scope', { headers: { authorization: `Bearer ${token}` } })).toMatchObject({
    code: 200,
    data: { scope: 'all', userId: expect.any(Number) },
  });
  await running.close();
  running = undefined;
  await expect(call('/api/v1/scope')).rejects.toThrow();
});
