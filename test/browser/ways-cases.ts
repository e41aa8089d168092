// A second factor as people meet it: setting it up, signing in with it, losing it, and what a role demands.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { errorTable } from '@portcullis/contract';
import { captchaAnswer, solveCaptcha } from '../rig/captcha.ts';
import { chooseOwn, readLog, waitUntilIn } from './errands.ts';
import { companyPassword } from './fill-company.ts';
import { enterAs, fillSignIn, openSignedOut, signInWords } from './sign-in.ts';
import type { Visitor, VisitorOptions } from './visitor.ts';
import { demand, finishEnrolment, focused, look, nextCode, phone, press, readSecret, words } from './ways.ts';
import type { World } from './world.ts';

interface WaysCase {
  readonly title: string;
  readonly run: (world: World) => Promise<number>;
}

const warehouse = '/roles/4';

async function atSecondStep(world: World, username: string, options: VisitorOptions = {}): Promise<Visitor> {
  const visitor = await openSignedOut(world, options);
  await visitor.page.goto(`${world.origin}/console/sign-in`);
  await fillSignIn(visitor, { username }, signInWords[options.language ?? 'en']);
  return visitor;
}

const dialog = '[role="dialog"]';
let kept: string[] = [];

export const waysCases: readonly WaysCase[] = [
  {
    title: 'sets up an authenticator app with the password and a code, and shows ten recovery codes once',
    async run(world) {
      const visitor = await enterAs(world, 'carl');
      const { page } = visitor;
      await chooseOwn(visitor, 'Sign-in methods');
      await page.getByText('You have none.').waitFor();
      await press(page, 'Set up an authenticator app');
      await page.getByLabel('Your password').fill('not-his');
      await press(page, 'Continue');
      await page.getByRole('alert').filter({ hasText: errorTable.credentials_wrong.text.en }).waitFor();
      await page.getByLabel('Your password').fill(companyPassword);
      await press(page, 'Continue');
      await readSecret(page, 'carl');
      await look(visitor, 'setting up an app', dialog);
      const field = page.getByLabel(words.en.firstOtp);
      await field.and(focused(page)).waitFor();
      await field.fill('12 34');
      await field.press('Enter');
      await page.getByText('Type the six digits that the app shows.').waitFor();
      const code = await nextCode(world, 'carl');
      await field.fill(`${code.slice(0, 3)} ${code.slice(3)}`);
      await field.press('Enter');
      const shown = page.getByRole('dialog', { name: words.en.codes });
      await shown.getByRole('listitem').first().waitFor();
      kept = await shown.getByRole('listitem').allInnerTexts();
      assert.equal(new Set(kept).size, 10);
      await look(visitor, 'recovery codes', dialog);
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        shown.getByRole('button', { name: 'Download' }).click(),
      ]);
      assert.equal(await readFile(await file.path(), 'utf8'), kept.map((one) => `${one}\n`).join(''));
      await page.keyboard.press('Escape');
      await shown.getByRole('alert').waitFor();
      await shown.getByRole('button', { name: 'Done' }).click();
      await visitor.seeNote('The authenticator app is set up.');
      await page.getByText('10 codes left').waitFor();
      await look(visitor, 'the own sign-in methods');
      await visitor.close();
      return 8;
    },
  },
  {
    title:
      'a code of the app is the second step; another app replaces it, and ends the session that it proved',
    async run(world) {
      const visitor = await atSecondStep(world, 'carl');
      const { page } = visitor;
      const field = page.getByLabel(words.en.otp);
      await field.and(focused(page)).waitFor();
      assert.deepEqual(
        [await field.getAttribute('autocomplete'), await field.getAttribute('inputmode')],
        ['one-time-code', 'numeric'],
      );
      await look(visitor, 'the second step');
      const code = await nextCode(world, 'carl');
      await field.fill(String((Number(code) + 1) % 1_000_000).padStart(6, '0'));
      await field.press('Enter');
      await page.getByRole('alert').filter({ hasText: errorTable.code_wrong.text.en }).waitFor();
      await field.and(focused(page)).waitFor();
      assert.equal(await field.inputValue(), '');
      await field.fill(code);
      await field.press('Enter');
      await waitUntilIn(visitor);
      await chooseOwn(visitor, 'Sign-in methods');
      await press(page, 'Replace');
      await page.getByLabel('Your password').fill(companyPassword);
      await press(page, 'Continue');
      await readSecret(page, 'carl');
      await page.getByLabel(words.en.firstOtp).fill(await nextCode(world, 'carl'));
      await press(page, 'Confirm');
      await visitor.seeNote('The authenticator app is replaced.');
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await visitor.settle();
      await visitor.close();
      return 6;
    },
  },
  {
    title: 'accepts a recovery code, makes new codes, and removes the app',
    async run(world) {
      const visitor = await atSecondStep(world, 'carl');
      const { page } = visitor;
      await press(page, 'Use a recovery code');
      const field = page.getByLabel('Recovery code', { exact: true });
      await field.and(focused(page)).waitFor();
      await look(visitor, 'the second step by a recovery code');
      await field.fill((kept[0] ?? '').toLowerCase());
      await press(page, words.en.submit);
      await waitUntilIn(visitor);
      await chooseOwn(visitor, 'Sign-in methods');
      await page.getByText('9 codes left').waitFor();
      await press(page, 'Make new codes');
      await page.getByLabel('Your password').fill(companyPassword);
      await page.getByLabel('Your password').press('Enter');
      await page.getByRole('dialog', { name: words.en.codes }).getByRole('button', { name: 'Done' }).click();
      await page.getByText('10 codes left').waitFor();
      await press(page, 'Remove');
      await page.getByLabel('Your password').fill(companyPassword);
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await visitor.seeNote('It is removed.');
      await page.getByText('You have none.').waitFor();
      await visitor.close();
      return 4;
    },
  },
  {
    title: 'shows the affected users before a role requires more, and ends their sessions',
    async run(world) {
      const emil = await enterAs(world, 'emil', { theme: 'dark' });
      const ada = await enterAs(world, 'ada', { at: warehouse });
      const { page } = ada;
      assert.ok(await page.getByRole('radio', { name: /A passkey/ }).isDisabled());
      await page.getByText('Passkeys are not set up here.').waitFor();
      await page.getByRole('radio', { name: /A second factor/ }).check();
      await page.getByText('1 session ends before this returns.').waitFor();
      await page.getByText('1 person has to set something up at the next sign-in.').waitFor();
      await look(ada, 'raising a role');
      await press(page, 'Apply');
      await ada.seeNote('In force on every instance.');
      await emil.page.reload();
      await emil.page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await emil.close();
      await ada.close();
      return 4;
    },
  },
  {
    title: 'a user without a factor sets one up during the login (zh, dark, a phone)',
    async run(world) {
      const visitor = await atSecondStep(world, 'emil', { language: 'zh', theme: 'dark', ...phone });
      await visitor.page.getByRole('heading', { name: '设置两步验证' }).waitFor();
      await finishEnrolment(visitor, 'emil', 'zh');
      await visitor.close();
      return 3;
    },
  },
  {
    title: 'an administrator removes a lost factor, and a code lets the user set one up again',
    async run(world) {
      const [row] = await world.database.query<{ id: string }>(
        "select id from users where username = 'emil'",
      );
      const ada = await enterAs(world, 'ada', { at: `/users/${row?.id}?tab=ways` });
      const { page } = ada;
      await page.getByText('10 recovery codes left').waitFor();
      await look(ada, 'the sign-in methods of a user');
      await press(page, 'Take away');
      const asked = page.getByRole('dialog', { name: 'Take away the second factors of emil?' });
      await asked.getByText('You then see a code, once.').waitFor();
      await look(ada, 'taking away', dialog);
      await asked.getByRole('button', { name: 'Take away' }).click();
      const shown = page.getByRole('dialog', { name: 'Enrolment code of emil' });
      const enrolmentCode = ((await shown.getByRole('code').textContent()) ?? '').trim();
      await look(ada, 'an enrolment code', dialog);
      await shown.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('button', { name: 'New enrolment code' }).waitFor();
      await ada.close();

      const emil = await atSecondStep(world, 'emil');
      const field = emil.page.getByLabel('Code from an administrator');
      await field.and(focused(emil.page)).waitFor();
      await look(emil, 'asking for the enrolment code');
      await field.fill('AAAA-BBBB-CCCC-DDDD');
      await field.press('Enter');
      await emil.page.getByRole('alert').waitFor();
      await field.fill(enrolmentCode);
      await field.press('Enter');
      await finishEnrolment(emil, 'emil', 'en');
      await emil.close();
      return 6;
    },
  },
  {
    title: 'keys alone sign in with a second step, also after an attempt that ended',
    async run(world) {
      const visitor = await openSignedOut(world, phone);
      const { page } = visitor;
      const { keyboard } = page;
      async function typePassword(): Promise<void> {
        await keyboard.type(companyPassword);
        await keyboard.press('Tab');
        await keyboard.type(captchaAnswer);
        await keyboard.press('Enter');
        await page.getByLabel(words.en.otp).and(focused(page)).waitFor();
      }
      async function solve(): Promise<void> {
        await page.getByRole('img').waitFor();
        await visitor.settle();
        await solveCaptcha(world.database, await visitor.captchaId());
      }
      await page.goto(`${world.origin}/console/sign-in`);
      await solve();
      await keyboard.type('emil');
      await keyboard.press('Tab');
      await typePassword();
      // As an attempt of which the time is over.
      await world.database.query('delete from login_attempts');
      await keyboard.type('000000');
      await keyboard.press('Enter');
      await page.getByRole('alert').filter({ hasText: 'This sign-in is over' }).waitFor();
      await page.getByLabel('Password').and(focused(page)).waitFor();
      await solve();
      await typePassword();
      await keyboard.type(await nextCode(world, 'emil'));
      await keyboard.press('Enter');
      await waitUntilIn(visitor);
      await visitor.settle();
      await visitor.close();
      return 3;
    },
  },
  {
    title:
      'a user who can neither prove nor set up the required factor is sent to an administrator, and can go back',
    async run(world) {
      await demand(world, 'auditor', 3);
      const visitor = await atSecondStep(world, 'farid');
      const { page } = visitor;
      await page.getByText('Ask an administrator.').waitFor();
      await look(visitor, 'nothing to go on with');
      await press(page, 'Back to username and password');
      await page.getByLabel('Password').and(focused(page)).waitFor();
      assert.equal(await page.getByLabel('Username').inputValue(), 'farid');
      await demand(world, 'auditor', 1);
      await visitor.settle();
      await visitor.close();
      return 2;
    },
  },
  {
    title:
      'the role admin can require it too, which ends the administrator’s session after a warning; the log records it',
    async run(world) {
      const visitor = await enterAs(world, 'ada', { at: '/roles/1' });
      const { page } = visitor;
      await page.getByRole('radio', { name: /A second factor/ }).check();
      await page.getByText('This is your own role: your session ends too').waitFor();
      await page.getByText(/sessions? ends? before this returns/).waitFor();
      await look(visitor, 'raising admin');
      await press(page, 'Apply');
      await visitor.seeNote('Your own session has ended with it');
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await fillSignIn(visitor, { username: 'ada' });
      await finishEnrolment(visitor, 'ada', 'en');
      await page.goto(`${world.origin}/console/roles/1`);
      await page.getByRole('radio', { name: /One factor/ }).check();
      await page.getByText('From then on less is enough').waitFor();
      await press(page, 'Apply');
      await visitor.seeNote('In force on every instance.');
      const [newest = '', second = ''] = await readLog(visitor, 'emil', 6);
      assert.match(`${newest} ${second}`, /Signed in/);
      const table = page.getByRole('table', { name: 'Login log' });
      await table.getByText('Authenticator app').first().waitFor();
      await table.getByText('Second step needed').first().waitFor();
      await table.getByRole('button', { name: 'Details' }).first().click();
      await page.getByRole('dialog').getByText('Way in', { exact: true }).waitFor();
      await page.keyboard.press('Escape');
      await chooseOwn(visitor, '中文');
      await page.getByText('需要第二步验证').first().waitFor();
      await chooseOwn(visitor, 'English');
      await visitor.settle();
      await visitor.close();
      return 7;
    },
  },
];
