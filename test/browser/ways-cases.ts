// A second factor as people meet it: setting it up, signing in with it, losing it, and what a role demands.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { errorTable } from '@portcullis/contract';
import type { Page } from 'playwright-core';
import { codeOf } from '../rig/authenticator.ts';
import { captchaAnswer, solveCaptcha } from '../rig/captcha.ts';
import { chooseOwn, readLog, waitUntilIn } from './errands.ts';
import { companyPassword } from './fill-company.ts';
import { expectAccessible, expectNoLeftovers, expectNoSidewaysScroll } from './page-cases.ts';
import { arrive, enterAs, fillSignIn, signInWords } from './sign-in.ts';
import type { Visitor, VisitorOptions } from './visitor.ts';
import type { World } from './world.ts';

interface WaysCase {
  readonly title: string;
  readonly run: (world: World) => Promise<number>;
}

const phone = { width: 360, height: 800 };
const warehouse = '/roles/4';
const words = {
  en: {
    step: 'Second step',
    otp: 'Code of your authenticator app',
    firstOtp: 'The code that the app shows now',
    submit: 'Sign in',
    keep: 'I have kept them, continue',
    codes: 'Your recovery codes',
  },
  zh: {
    step: '第二步验证',
    otp: '验证器应用中的动态码',
    firstOtp: '应用当前显示的动态码',
    submit: '登录',
    keep: '我已保存，继续',
    codes: '您的恢复码',
  },
} as const;
type Language = keyof typeof words;

/** By username: what an authenticator app would keep. */
const secrets = new Map<string, string>();

/** As if the next half minute had come: a code that was used is good once more. */
async function nextCode({ database }: World, username: string): Promise<string> {
  await database.query('update credentials set counter = 0 where kind = $1', ['totp']);
  return await codeOf(secrets.get(username) ?? '');
}

const looked = new Set<string>();

/** At the width of a desk and of a phone, by axe and by what it says. */
async function look(visitor: Visitor, place: string, only = 'html'): Promise<void> {
  const { page } = visitor;
  const before = page.viewportSize() ?? phone;
  // Some are passed more than once.
  if (looked.has(place)) return;
  looked.add(place);
  await visitor.settle();
  await expectNoLeftovers(page, place);
  await expectAccessible(page, place, only);
  await page.setViewportSize(phone);
  await visitor.settle();
  await expectNoSidewaysScroll(page, place);
  await page.setViewportSize(before);
  await visitor.settle();
}

async function atSecondStep(world: World, username: string, options: VisitorOptions = {}): Promise<Visitor> {
  const visitor = await arrive(world, options);
  await visitor.page.goto(`${world.origin}/console/sign-in`);
  await fillSignIn(visitor, { username }, signInWords[options.language ?? 'en']);
  return visitor;
}

const focused = (page: Page) => page.locator(':focus');
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

async function readSecret(page: Page, username: string): Promise<void> {
  // The captcha is a picture too.
  await page.getByRole('img', { name: /QR|二维码/ }).waitFor();
  const groups = await page.getByRole('code').locator('span').allTextContents();
  assert.deepEqual(
    groups.map(({ length }) => length),
    Array.from({ length: 8 }, () => 4),
    'the key in groups of four',
  );
  secrets.set(username, groups.join(''));
}

/** The first code of a new app, and the codes that follow it; to the page behind. */
async function finishEnrolment(visitor: Visitor, username: string, language: Language): Promise<void> {
  const { page, world } = visitor;
  const { firstOtp, submit, codes, keep } = words[language];
  await readSecret(page, username);
  await look(visitor, 'setting up on the way in');
  await page.getByLabel(firstOtp).fill(await nextCode(world, username));
  await press(page, submit);
  const items = page.getByRole('list', { name: codes }).getByRole('listitem');
  await items.first().waitFor();
  assert.equal(await items.count(), 10);
  await focused(page).filter({ hasText: codes }).waitFor();
  await look(visitor, 'recovery codes on the way in');
  await press(page, keep);
  await waitUntilIn(visitor);
  await visitor.settle();
}

const dialog = '[role="dialog"]';
let kept: string[] = [];

async function demand({ database }: World, roleKey: string, factor: number): Promise<void> {
  await database.query('update roles set factor = $2 where role_key = $1', [roleKey, factor]);
}

export const waysCases: readonly WaysCase[] = [
  {
    title:
      'an authenticator app is set up with the password and a code, and ten recovery codes are shown once',
    async run(world) {
      const visitor = await enterAs(world, 'carl');
      const { page } = visitor;
      await chooseOwn(visitor, 'Ways in');
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
      await look(visitor, 'the own ways in');
      await visitor.leave();
      return 8;
    },
  },
  {
    title:
      'a code of the app is the second step; another app takes its place, and ends the session that it proved',
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
      await chooseOwn(visitor, 'Ways in');
      await press(page, 'Replace');
      await page.getByLabel('Your password').fill(companyPassword);
      await press(page, 'Continue');
      await readSecret(page, 'carl');
      await page.getByLabel(words.en.firstOtp).fill(await nextCode(world, 'carl'));
      await press(page, 'Confirm');
      await visitor.seeNote('The authenticator app is replaced.');
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await visitor.settle();
      await visitor.leave();
      return 6;
    },
  },
  {
    title: 'a recovery code lets in too; then new codes are made, and the app is removed',
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
      await chooseOwn(visitor, 'Ways in');
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
      await visitor.leave();
      return 4;
    },
  },
  {
    title: 'a role that demands more shows first whom that meets, and ends their sessions',
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
      await emil.leave();
      await ada.leave();
      return 4;
    },
  },
  {
    title: 'who has nothing sets it up on the way in (zh, dark, a phone)',
    async run(world) {
      const visitor = await atSecondStep(world, 'emil', { language: 'zh', theme: 'dark', ...phone });
      await visitor.page.getByRole('heading', { name: '设置两步验证' }).waitFor();
      await finishEnrolment(visitor, 'emil', 'zh');
      await visitor.leave();
      return 3;
    },
  },
  {
    title: 'what is lost is taken away, and a code of the administrator lets one set it up again',
    async run(world) {
      const [row] = await world.database.query<{ id: string }>(
        "select id from users where username = 'emil'",
      );
      const ada = await enterAs(world, 'ada', { at: `/users/${row?.id}?tab=ways` });
      const { page } = ada;
      await page.getByText('10 recovery codes left').waitFor();
      await look(ada, 'the ways in of a user');
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
      await ada.leave();

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
      await emil.leave();
      return 6;
    },
  },
  {
    title: 'keys alone sign in with a second step, also after an attempt that ended',
    async run(world) {
      const visitor = await arrive(world, phone);
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
      await visitor.leave();
      return 3;
    },
  },
  {
    title: 'who can neither prove nor set up what is demanded is sent to an administrator, and can go back',
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
      await visitor.leave();
      return 2;
    },
  },
  {
    title: 'the role admin can demand it too, which ends the own session after a warning; the log has it all',
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
      await visitor.leave();
      return 7;
    },
  },
];
