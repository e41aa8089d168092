// Runs the service of each template as in a new project, with a real Portcullis.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { build } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpClient, type HttpClient } from '../../../test/rig/http-client.ts';
import { type RigProcess, repository, startProgram } from '../../../test/rig/start-process.ts';
import { findFreePort } from '../../../test/rig/tcp-proxy.ts';
import { bearer, startWorld, type World } from '../../guard/test/world.ts';
import { type FrameworkName, frameworkNames } from '../src/frameworks.ts';

const templates = join(repository, 'packages/create-portcullis/templates');
let world: World;
let folder: string;
beforeAll(async () => {
  world = await startWorld();
  // Below node_modules, so that the compiled files find the packages.
  folder = await mkdtemp(join(repository, 'node_modules/.create-portcullis-'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
});
afterAll(async () => {
  await world?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Returns the file for Node to run. */
async function compile(framework: FrameworkName): Promise<string> {
  if (framework !== 'nest') return join(templates, framework, 'src/main.ts');
  // Compiles decorators with the settings of the template's tsconfig.json; `npm run package-test`
  // uses the TypeScript compiler.
  await build({
    input: join(templates, framework, 'src/main.ts'),
    platform: 'node',
    external: /^(?!@oxc-project)[@a-z]/,
    tsconfig: join(templates, framework, 'tsconfig.json'),
    output: { file: join(folder, 'main.js') },
  });
  return join(folder, 'main.js');
}

describe.each(frameworkNames)('the service in %s', (framework) => {
  let port: number;
  let service: RigProcess;
  let client: HttpClient;
  beforeAll(async () => {
    port = await findFreePort();
    const environment = { DECISION_URL: world.url, DECISION_SECRET: world.secret, PORT: String(port) };
    service = startProgram(process.execPath, [await compile(framework)], environment);
    await service.waitForLine(/^Listening/);
    client = createHttpClient(port);
  });
  afterAll(async () => {
    client?.close();
    service?.signal('SIGTERM');
    await service?.exited;
  });

  it('rejects a caller without a token before it reads the body', async () => {
    const headers = { 'content-type': 'application/json' };
    // The first middleware that reads the invalid body answers 400.
    const { status, headers: answered } = await client.send({
      method: 'POST',
      path: '/stock/items',
      headers,
      text: '{ no JSON',
    });
    expect([status, answered['x-auth-reason']]).toEqual([200, 'token_missing']);
  });

  it('rejects a caller whose role has no rule', async () => {
    const headers = bearer(await world.logIn('carl'));
    const { headers: answered } = await client.send({ method: 'DELETE', path: '/stock/items/1', headers });
    expect(answered['x-auth-reason']).toBe('permission_denied');
  });

  it('answers a caller with the permission', async () => {
    const headers = bearer(await world.logIn('ada'));
    const { body } = await client.send({ path: '/stock/items', headers });
    expect(body).toMatchObject({ code: 200, data: [{ id: 1 }, { id: 2 }, { id: 3 }] });
  });

  it('listens on its own address alone', async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    // Every address in 127.0.0.0/8 is this machine, and a service that listens on every address answers on all of them.
    const socket = connect(port, '127.0.0.2', () => resolve(true)).once('error', () => resolve(false));
    expect(await promise).toBe(false);
    socket.destroy();
  });
});
