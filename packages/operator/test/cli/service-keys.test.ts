// `portcullis key` on a real database, and `portcullis login` against a real service.
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type Database } from '../../../../test/rig/create-database.ts';
import { seed } from '../../../../test/rig/seed.ts';
import { audience, createMachineKey, machineSettings } from '../../../../test/rig/service-account.ts';
import { type Server, startServer } from '../../../../test/rig/start-server.ts';
import { performCommand } from './perform-command.ts';

let database: Database;
let server: Server;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portcullis-keys-'));
  database = await createDatabase({ migrated: true });
  await seed(database);
  const settings = { APPLICATION_MODE: 'prod', ...machineSettings };
  server = await startServer({ databaseUrl: database.url, settings });
});
afterAll(async () => {
  await server.stop();
  await database.drop();
  await rm(folder, { recursive: true });
});

const run = (...command: string[]) =>
  performCommand(command, { url: database.url, environment: { ...machineSettings } });
const runJson = async (...command: string[]) => JSON.parse((await run(...command, '--json')).stdout);
const url = () => `http://127.0.0.1:${server.port}`;
const fileNamed = (name: string) => join(folder, name);

it.each<[what: string, command: () => string[], code: number, reason: string]>([
  [
    'of a person',
    () => ['service-keys', 'new', 'carl', '--out', fileNamed('no.json')],
    1,
    'carl is a person',
  ],
  ['of an unknown user', () => ['service-keys', 'list', 'none'], 1, 'There is no user none'],
  ['that is none', () => ['service-keys', 'end', 'carl', 'x'], 64, 'whole number'],
])('a key %s is refused with what to do', async (_what, command, code, reason) => {
  const ended = await run(...command());
  expect(ended).toMatchObject({ code, stdout: '' });
  expect(ended.stderr).toContain(reason);
});

it('a service account is made, gets a key in a file that is its alone, and logs in by it until it ends', async () => {
  const made = await run('user', 'create', 'deploy', '--service', '--role', 'clerk', '--department', '1');
  expect(made.stdout).not.toContain('password');
  expect((await run('service-keys', 'list', 'deploy')).stdout).toBe(
    'deploy has no keys: it cannot log in.\n',
  );
  const file = fileNamed('deploy.json');
  expect((await run('service-keys', 'new', 'deploy', '--out', file)).stdout).toMatch(
    /^deploy has the key \d+\./,
  );
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const { account, audience: of, privateKey } = JSON.parse(await readFile(file, 'utf8'));
  expect([account, of, privateKey.crv]).toEqual(['deploy', audience, 'Ed25519']);
  const again = await run('service-keys', 'new', 'deploy', '--out', file);
  expect(again).toMatchObject({ code: 64 });
  expect(again.stderr).toContain('exists already');

  const { token, expire } = await runJson('login', '--key', file, '--url', url());
  expect(token).toMatch(/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/);
  expect(Date.parse(expire)).toBeLessThan(Date.now() + 600_000);
  expect((await run('login', '--key', file, '--url', url())).stdout).toMatch(/^eyJ\S+\n$/);
  const { items } = await runJson('service-keys', 'list', 'deploy');
  expect(items).toMatchObject([{ name: 'deploy.json', algorithm: 'EdDSA', usedAt: expect.any(String) }]);

  const ended = await run('service-keys', 'end', 'deploy', String(items[0].id));
  expect(ended.stdout).toMatch(/is ended\. Every instance enforces it/);
  const refused = await run('login', '--key', file, '--url', url());
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('not accepted');
  expect((await run('service-keys', 'end', 'deploy', '99999')).stderr).toContain('has no key 99999');
});

it('a key that was made elsewhere is added by its public part, as a JWK or PEM, and never by its private one', async () => {
  const file = fileNamed('elsewhere.json');
  const made = await run(
    'service-keys',
    'new',
    'deploy',
    '--out',
    file,
    '--curve',
    'p256',
    '--audience',
    audience,
  );
  const publicPart = made.stdout.trim().split('\n').at(-1) ?? '';
  await writeFile(fileNamed('public.json'), publicPart);
  expect((await run('service-keys', 'add', 'deploy', fileNamed('public.json'))).stdout).toMatch(
    /has the key \d+\.$/m,
  );
  expect((await run('login', '--key', file, '--url', url())).stdout).toMatch(/^eyJ/);
  const { privateKey } = createMachineKey();
  const pem = String(privateKey.export({ format: 'pem', type: 'pkcs8' }));
  await writeFile(fileNamed('private.pem'), pem);
  for (const name of ['elsewhere.json', 'private.pem'])
    expect((await run('service-keys', 'add', 'deploy', fileNamed(name))).stderr).toContain(
      'contains a private key',
    );
});

it('a login says where nothing answers, and what is no key', async () => {
  const away = await run(
    'login',
    '--key',
    fileNamed('elsewhere.json'),
    '--url',
    'http://127.0.0.1:1',
    '--patience',
    '1',
  );
  expect(away).toMatchObject({ code: 69, stdout: '' });
  await writeFile(fileNamed('none.json'), '{}');
  expect((await run('login', '--key', fileNamed('none.json'), '--url', url())).stderr).toContain(
    'portcullis service-keys new',
  );
});
