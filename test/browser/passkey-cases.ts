// Passkeys in the console, with the authenticator of a real Chromium: setting one up, signing in with it, losing it.
import assert from 'node:assert/strict';
import { errorTable } from '@portcullis/contract';
import type { CDPSession } from 'playwright-core';
import { chooseOwn, readLog, waitUntilIn } from './errands.ts';
import { companyPassword } from './fill-company.ts';
import { plugIn } from './passkey-case.ts';
import { fillSignIn, openSignedOut, signInWords } from './sign-in.ts';
import { openVisitor, type Visitor, type VisitorOptions } from './visitor.ts';
import { demand, finishEnrolment, focused, look, nextCode, phone, press, readSecret } from './ways.ts';
import type { World } from './world.ts';

interface PasskeyCase {
  readonly title: string;
  readonly run: (world: World) => Promise<number>;
}
interface Owner {
  readonly visitor: Visitor;
  readonly cdp: CDPSession;
  readonly authenticatorId: string;
}

/** What the authenticators of people hold, by username: each page has one. */
const held = new Map<string, Credentials>();
type Credentials = Awaited<ReturnType<typeof listHeld>>;

async function listHeld({ cdp, authenticatorId }: Pick<Owner, 'cdp' | 'authenticatorId'>) {
  return (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
}

async function comeWithKey(world: World, username: string, options: VisitorOptions = {}): Promise<Owner> {
  const visitor = await openVisitor(world, options);
  const cdp = await visitor.context.newCDPSession(visitor.page);
  const authenticatorId = await plugIn(cdp);
  for (const credential of held.get(username) ?? [])
    await cdp.send('WebAuthn.addCredential', { authenticatorId, credential });
  await visitor.page.goto(`${world.origin}/console/sign-in`);
  return { visitor, cdp, authenticatorId };
}

async function closeOwner(owner: Owner, username: string): Promise<void> {
  held.set(username, await listHeld(owner));
  await owner.visitor.settle();
  await owner.visitor.close();
}

const byPasskey = 'Sign in with a passkey';

export const passkeyCases: readonly PasskeyCase[] = [
  {
    title: 'sets up a passkey with the password, names and renames it, and shows ten recovery codes once',
    async run(world) {
      const owner = await comeWithKey(world, 'carl');
      const { visitor, cdp, authenticatorId } = owner;
      const { page } = visitor;
      await fillSignIn(visitor, { username: 'carl' });
      await waitUntilIn(visitor);
      await chooseOwn(visitor, 'Sign-in methods');
      await press(page, 'Add a passkey');
      const dialog = page.getByRole('dialog', { name: 'Add a passkey' });
      await dialog.getByLabel('Your password').fill(companyPassword);
      await dialog.getByLabel('Name of the passkey').fill('My laptop');
      await look(visitor, 'adding a passkey', '[role="dialog"]');
      // An unverified user has made none, and can try again.
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
      await press(page, 'Continue');
      await dialog.getByRole('alert').filter({ hasText: 'No passkey was made' }).waitFor();
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
      await press(page, 'Continue');
      const shown = page.getByRole('dialog', { name: 'Your recovery codes' });
      await shown.getByRole('listitem').first().waitFor();
      assert.equal(await shown.getByRole('listitem').count(), 10);
      await shown.getByRole('button', { name: 'Done' }).click();
      await visitor.seeNote('The passkey is set up.');
      await page.getByText('My laptop').waitFor();
      await look(visitor, 'the own sign-in methods with a passkey');
      // The same authenticator makes no second one.
      await press(page, 'Add a passkey');
      await dialog.getByLabel('Your password').fill(companyPassword);
      await dialog.getByLabel('Name of the passkey').fill('Once more');
      await press(page, 'Continue');
      await dialog
        .getByRole('alert')
        .filter({ hasText: 'This device has a passkey of yours already' })
        .waitFor();
      await page.keyboard.press('Escape');
      await press(page, 'Rename');
      await page.getByLabel('Name of the passkey').fill('Laptop of the office');
      await press(page, 'Save');
      await visitor.seeNote('It has its new name.');
      await page.getByText('Laptop of the office').waitFor();
      await press(page, 'Set up an authenticator app');
      await page.getByLabel('Your password').fill(companyPassword);
      await press(page, 'Continue');
      await readSecret(page, 'carl');
      await page.getByLabel('The code that the app shows now').fill(await nextCode(world, 'carl'));
      await press(page, 'Confirm');
      await visitor.seeNote('The authenticator app is set up.');
      await closeOwner(owner, 'carl');
      return 8;
    },
  },
  {
    title: 'signs in with it by keys alone, without a username; a user who declines stays signed out',
    async run(world) {
      const owner = await comeWithKey(world, 'carl', phone);
      const { visitor, cdp, authenticatorId } = owner;
      const { page } = visitor;
      const { keyboard } = page;
      const button = page.getByRole('button', { name: byPasskey });
      async function ask(): Promise<void> {
        await visitor.settle();
        for (let tabs = 0; tabs < 10 && (await button.and(focused(page)).count()) === 0; tabs += 1)
          await keyboard.press('Tab');
        await keyboard.press('Enter');
      }
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
      await ask();
      await page.getByRole('alert').filter({ hasText: 'No passkey was used' }).waitFor();
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
      await look(visitor, 'a sign-in with a passkey that was refused');
      await ask();
      await waitUntilIn(visitor);
      await closeOwner(owner, 'carl');
      return 3;
    },
  },
  {
    title: 'accepts it as the second step after a password, and the app too',
    async run(world) {
      const owner = await comeWithKey(world, 'carl');
      const { visitor } = owner;
      const { page } = visitor;
      await fillSignIn(visitor, { username: 'carl' });
      await page.getByRole('button', { name: 'Continue with a passkey' }).and(focused(page)).waitFor();
      await look(visitor, 'the second step by a passkey');
      await press(page, 'Use the authenticator app');
      await page.getByLabel('Code of your authenticator app').and(focused(page)).waitFor();
      await press(page, 'Use a passkey');
      await press(page, 'Continue with a passkey');
      await waitUntilIn(visitor);
      await closeOwner(owner, 'carl');
      return 4;
    },
  },
  {
    title:
      'a role that requires a second factor accepts a passkey set up during the login (zh, dark, a phone)',
    async run(world) {
      await demand(world, 'warehouse', 2);
      const owner = await comeWithKey(world, 'emil', { language: 'zh', theme: 'dark', ...phone });
      const { visitor } = owner;
      const { page } = visitor;
      await fillSignIn(visitor, { username: 'emil' }, signInWords.zh);
      await readSecret(page, 'emil');
      await press(page, '改为设置通行密钥');
      const name = page.getByLabel('通行密钥名称');
      await name.and(focused(page)).waitFor();
      await name.fill('手机');
      await look(visitor, 'setting up a passkey on the way in');
      await press(page, '创建通行密钥');
      const codes = page.getByRole('list', { name: '您的恢复码' }).getByRole('listitem');
      await codes.first().waitFor();
      assert.equal(await codes.count(), 10);
      await press(page, '我已保存，继续');
      await waitUntilIn(visitor);
      await closeOwner(owner, 'emil');
      return 5;
    },
  },
  {
    title: 'a role that requires a passkey: a user with an app proves it, and then adds a passkey',
    async run(world) {
      await demand(world, 'auditor', 2);
      const owner = await comeWithKey(world, 'farid');
      const { visitor } = owner;
      const { page } = visitor;
      await fillSignIn(visitor, { username: 'farid' });
      await finishEnrolment(visitor, 'farid', 'en');
      await demand(world, 'auditor', 3);
      await visitor.context.clearCookies();
      await page.goto(`${world.origin}/console/sign-in`);
      await fillSignIn(visitor, { username: 'farid' });
      const field = page.getByLabel('Code of your authenticator app');
      await field.fill(await nextCode(world, 'farid'));
      await field.press('Enter');
      await page.getByLabel('Name of the passkey').and(focused(page)).waitFor();
      await press(page, 'Create a passkey');
      await waitUntilIn(visitor);
      await closeOwner(owner, 'farid');
      await demand(world, 'auditor', 1);
      return 4;
    },
  },
  {
    title: 'the login log names it, and a removed passkey is refused',
    async run(world) {
      const owner = await comeWithKey(world, 'carl');
      const { visitor } = owner;
      const { page } = visitor;
      await press(page, byPasskey);
      await waitUntilIn(visitor);
      await chooseOwn(visitor, 'Sign-in methods');
      const row = page.getByRole('listitem').filter({ hasText: 'Laptop of the office' });
      await row.getByRole('button', { name: 'Remove' }).click();
      await page.getByLabel('Your password').fill(companyPassword);
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await visitor.seeNote('It is removed.');
      // The session that it proved ends with it.
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await press(page, byPasskey);
      await page.getByRole('alert').filter({ hasText: errorTable.passkey_wrong.text.en }).waitFor();
      await closeOwner(owner, 'carl');

      const ada = await openSignedOut(world);
      await ada.page.goto(`${world.origin}/console/sign-in`);
      await fillSignIn(ada, { username: 'ada' });
      await waitUntilIn(ada);
      await readLog(ada, 'carl', 3);
      await ada.page.getByRole('table', { name: 'Login log' }).getByText('Passkey').first().waitFor();
      await ada.settle();
      await ada.close();
      return 4;
    },
  },
];
