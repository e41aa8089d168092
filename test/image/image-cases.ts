// What the image must do, on the Postgres of this machine.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Case } from '../operate/case.ts';
import { captchaAnswer, solveCaptcha } from '../rig/captcha.ts';
import { createDatabase, type Database } from '../rig/create-database.ts';
import { createHttpClient } from '../rig/http-client.ts';
import type { Image } from './build-image.ts';
import type { Container } from './container.ts';
import { namesOf, readContents, readPage } from './contents.ts';
import { runCommand, type ServedImage, serveImage, settingsOf } from './served-image.ts';

export interface Scene {
  readonly image: Image;
  readonly container: Container;
}

/** By how much of its size the image may have grown before the page has to say so. */
const sizeLeeway = 1.1;

export function imageCases(scene: Scene): readonly Case[] {
  const { image, container } = scene;
  return [
    {
      title: 'has no shell and no package manager',
      async run() {
        for (const folder of ['bin', 'usr/bin', 'usr/local/bin', 'sbin', 'usr/sbin'])
          for (const file of await readdir(join(container.root, folder)).catch(() => []))
            assert.doesNotMatch(file, /^(.*sh|busybox|apt.*|dpkg|npm|npx)$/, `${folder}/${file}`);
      },
    },
    {
      title: 'runs as user 65532, who can write only to the volume',
      async run() {
        assert.equal(image.user, '65532:65532');
        const { code, output } = await runProgram(scene, tryToWrite);
        assert.equal(code, 0, output);
        const [who, ...tries] = output.trim().split('\n');
        assert.equal(who, '65532 65532');
        const refused = ['/', '/app', '/app/packages/portcullis', '/etc', '/nodejs/bin', '/tmp', '/var/lib'];
        assert.deepEqual(tries, [
          ...refused.map((folder) => `${folder} EROFS`),
          '/var/lib/portcullis written',
        ]);
      },
    },
    { title: 'it migrates, serves a login in prod, and ends in order', run: () => logInOnce(scene) },
    {
      title: 'has the size and the packages that the page on Docker gives',
      async run() {
        const { sizes, npm } = await readContents(container.root);
        const told = readPage();
        assert.deepEqual(told.names, namesOf(npm), `The page has to list:\n${namesOf(npm).join(' ')}`);
        const size = sizes['the image'] ?? Number.NaN;
        const isTold = size <= told.megabytes * sizeLeeway && size >= told.megabytes / sizeLeeway;
        assert.ok(isTold, `The page says ${told.megabytes} MB, and it has ${size} MB.`);
      },
    },
  ];
}

const tryToWrite = `
  console.log(process.getuid(), process.getgid());
  const { rmSync, writeFileSync } = require('node:fs');
  for (const folder of ['/', '/app', '/app/packages/portcullis', '/etc', '/nodejs/bin', '/tmp', '/var/lib', '/var/lib/portcullis'])
    try {
      writeFileSync(folder + '/probe', '');
      rmSync(folder + '/probe');
      console.log(folder, 'written');
    } catch (error) {
      console.log(folder, error.code);
    }`;

async function runProgram({ image, container }: Scene, text: string) {
  const process = container.start([image.entrypoint[0] ?? '', '-e', text], {});
  const code = await process.exited;
  return { code, output: process.output };
}

/** Where Postgres trusts everybody on this machine, the way to it may be plain. */
const prod = { APPLICATION_MODE: 'prod', DATABASE_ALLOW_PLAINTEXT: 'true' };

async function logInOnce(scene: Scene): Promise<void> {
  const database = await createDatabase({ migrated: false });
  try {
    const settings = settingsOf(database.url, prod);
    const unmigrated = await runCommand(scene, ['serve'], settings);
    assert.notEqual(unmigrated.code, 0, 'It starts without its tables.');
    const migrated = await runCommand(scene, ['migrate'], settings);
    assert.equal(migrated.code, 0, migrated.output);
    const served = await serveImage(scene, settings);
    try {
      await logInAsAdministrator(database, served);
      assert.equal(await checkHealth(scene, served), 0, 'The health check fails.');
    } finally {
      served.signal('SIGTERM');
    }
    assert.equal(await served.exited, 0);
    assert.notEqual(await checkHealth(scene, served), 0, 'The health check passes where nothing runs.');
    const logged = await database.query('select reason from login_log order by at');
    assert.deepEqual(logged, [{ reason: 'credentials_wrong' }, { reason: 'ok' }]);
  } finally {
    await database.drop();
  }
}

async function logInAsAdministrator(database: Database, { port, output }: ServedImage): Promise<void> {
  const password = /^ *admin {2}(\S+)$/m.exec(output)?.[1];
  assert.ok(password, 'The first password was not shown.');
  const client = createHttpClient(port);
  const logIn = async (given: string) => {
    const uuid = String((await client.send({ path: '/api/v1/getCaptcha' })).body.id);
    await solveCaptcha(database, uuid);
    const body = { username: 'admin', password: given, uuid, code: captchaAnswer };
    return (await client.send({ method: 'POST', path: '/api/v1/login', body })).body;
  };
  try {
    assert.equal((await logIn('wrong')).token, undefined);
    const { token } = await logIn(password);
    assert.equal(typeof token, 'string');
    const page = await client.send({ path: '/console/' });
    assert.equal(page.status, 200);
  } finally {
    client.close();
  }
}

/** The image's own, at the port that this start was given. */
async function checkHealth({ image, container }: Scene, { opsPort }: ServedImage): Promise<number | null> {
  const words = image.healthCheck.map((word) => word.replace(':8001/', `:${opsPort}/`));
  return await container.start(words, {}).exited;
}
