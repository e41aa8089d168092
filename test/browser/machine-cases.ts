// A service account in the console: made, given a key that this browser makes, used by a program, and ended.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { ClientError } from '@portcullis/client';
import { createMachineClient, parseMachineKey } from '@portcullis/client/machine';
import { createMachineKey } from '../rig/service-account.ts';
import { createServiceAccount } from './errands.ts';
import { enterAs } from './sign-in.ts';
import { look, press } from './ways.ts';
import type { World } from './world.ts';

interface MachineCase {
  readonly title: string;
  readonly run: (world: World) => Promise<number>;
}

const dialog = '[role="dialog"]';

export const machineCases: readonly MachineCase[] = [
  {
    title:
      'a service account gets a key from the browser, a program logs in with its file, and the key is removed',
    async run(world) {
      const visitor = await enterAs(world, 'ada');
      const { page } = visitor;
      await createServiceAccount(visitor, { username: 'deploy', name: 'Deployment' });
      await page.getByRole('link', { name: 'deploy', exact: true }).click();
      await page.getByRole('tab', { name: 'Keys' }).click();
      await page.getByText('The program cannot log in.').waitFor();
      assert.equal(await page.getByRole('tab', { name: 'Sign-in methods' }).count(), 0);
      assert.equal(await page.getByRole('button', { name: 'Reset password' }).count(), 0);
      await press(page, 'Add key');
      const adding = page.getByRole('dialog', { name: 'Add key' });
      await adding.getByLabel('Name').fill('CI');
      await look(visitor, 'adding a key', dialog);
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        adding.getByRole('button', { name: 'Add key' }).click(),
      ]);
      const text = await readFile(await file.path(), 'utf8');
      await adding.waitFor({ state: 'detached' });
      const key = parseMachineKey(text);
      assert.equal(key.account, 'deploy');
      const client = createMachineClient({ baseUrl: world.origin, key, patienceSeconds: 10 });
      assert.equal((await client.getInfo()).data.userName, 'deploy');
      await page.reload();
      await page.getByText('last login').waitFor();
      assert.equal(await page.getByText('never').count(), 0);
      await look(visitor, 'the keys of a service account');
      await page.getByRole('button', { name: 'End the key CI?' }).click();
      const ending = page.getByRole('dialog', { name: 'End the key CI?' });
      await ending.getByRole('button', { name: 'End', exact: true }).click();
      await visitor.seeNote('The key CI is ended.');
      await assert.rejects(
        client.getInfo(),
        (error) => error instanceof ClientError && error.kind === 'invalid',
      );
      await visitor.close();
      return 1;
    },
  },
  {
    title: 'does not send a pasted private key, and adds a public one',
    async run(world) {
      const visitor = await enterAs(world, 'ada');
      const { page } = visitor;
      await createServiceAccount(visitor, { username: 'nightly', name: 'Nightly job' });
      await page.getByRole('link', { name: 'nightly', exact: true }).click();
      await page.getByRole('tab', { name: 'Keys' }).click();
      await press(page, 'Add key');
      const adding = page.getByRole('dialog', { name: 'Add key' });
      await adding.getByLabel('Name').fill('cron');
      await adding.getByLabel('Key', { exact: true }).selectOption('paste');
      const { privateKey, publicKey } = createMachineKey();
      const sent: string[] = [];
      page.on('request', (request) => void sent.push(request.postData() ?? ''));
      for (const pasted of [
        String(privateKey.export({ format: 'pem', type: 'pkcs8' })),
        JSON.stringify(privateKey.export({ format: 'jwk' })),
      ]) {
        await adding.getByLabel('Public key').fill(pasted);
        await adding.getByRole('button', { name: 'Add key' }).click();
        await adding.getByRole('alert').filter({ hasText: 'This is a private key.' }).waitFor();
      }
      assert.deepEqual(
        sent.filter((body) => body.includes('cron')),
        [],
      );
      await adding.getByLabel('Public key').fill(JSON.stringify(publicKey));
      await adding.getByRole('button', { name: 'Add key' }).click();
      await visitor.seeNote('The key cron is added.');
      await visitor.close();
      return 1;
    },
  },
];
