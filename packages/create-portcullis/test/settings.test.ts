// Checks the settings of Portcullis and Postgres in a new project with the product's own settings reader.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readSettings } from '../../server/src/base/settings/read-settings.ts';
import { allSettings } from '../../server/src/base/settings/schema.ts';
import { writeProject } from '../src/write-project.ts';

interface Compose {
  readonly services: Readonly<
    Record<string, { readonly ports: readonly string[]; readonly secrets: readonly string[] }>
  >;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

let folder: string;
let environment: Readonly<Record<string, string>>;
beforeAll(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'create-portcullis-')), 'stock');
  const choices = {
    folder,
    framework: 'express',
    hasWeb: false,
    starts: false,
    packages: undefined,
  } as const;
  await writeProject(choices);
  environment = parseEnv(await readFile(join(folder, 'portcullis.env'), 'utf8')) as Record<string, string>;
});
afterAll(() => rm(join(folder, '..'), { recursive: true }));

const isLoopback = (address: string) => isIPv4(address) && address.startsWith('127.');
/** Reads them as `npm run portcullis` does, from the folder of the project. */
const readProjectSettings = () =>
  readSettings({
    file: join(folder, 'portcullis.yaml'),
    environment: Object.fromEntries(
      Object.entries(environment).map(([name, file]) => [name, join(folder, file)]),
    ),
  });

describe('portcullis.env', () => {
  it('names files of secrets, each of a setting that is a secret', () => {
    const secrets = allSettings
      .filter(({ schema }) => schema.secret)
      .map(({ variable }) => `${variable}_FILE`);
    expect(secrets).toEqual(expect.arrayContaining(Object.keys(environment)));
    expect(Object.keys(environment)).toHaveLength(3);
  });

  it('names only files that are written', async () => {
    const written = (await readdir(join(folder, 'secrets'))).map((name) => `secrets/${name}`);
    expect(written).toEqual(expect.arrayContaining(Object.values(environment)));
  });
});

describe('the settings', () => {
  it('are accepted by Portcullis, with the secrets in their files', async () => {
    const settings = readProjectSettings();
    const read = async (name: string) => (await readFile(join(folder, 'secrets', name), 'utf8')).trim();
    expect(settings.auth.masterKey).toBe(await read('master-key'));
    expect(settings.decision.secret).toBe(await read('decision-secret'));
    expect(settings.database.url).toBe(await read('database-url'));
  });

  it('listen on this machine alone', () => {
    const { application, decision, ops } = readProjectSettings();
    for (const { host } of [application, decision, ops]) expect(host).toSatisfy(isLoopback);
  });
});

describe('the Postgres', () => {
  const readCompose = async () => parse(await readFile(join(folder, 'compose.yaml'), 'utf8')) as Compose;

  it('listens on the loopback address only, at the port that the settings name', async () => {
    const ports = Object.values((await readCompose()).services).flatMap((service) => service.ports);
    const { hostname, port } = new URL(readProjectSettings().database.url);
    expect(ports).toEqual([`${hostname}:${port}:5432`]);
    expect(hostname).toSatisfy(isLoopback);
  });

  it('has the password of the settings, from a file that is written', async () => {
    const { services, secrets } = await readCompose();
    expect(services.postgres?.secrets).toEqual(Object.keys(secrets));
    const [{ file = '' } = {}] = Object.values(secrets);
    const password = (await readFile(join(folder, file), 'utf8')).trim();
    expect(new URL(readProjectSettings().database.url).password).toBe(password);
  });
});
