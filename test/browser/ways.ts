// What cases about second factors have in common: an authenticator app, and what is looked at on every page.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { codeOf } from '../rig/authenticator.ts';
import { waitUntilIn } from './errands.ts';
import { expectAccessible, expectNoLeftovers, expectNoSidewaysScroll } from './page-cases.ts';
import type { Visitor } from './visitor.ts';
import type { World } from './world.ts';

export const phone = { width: 360, height: 800 };
export const words = {
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
export async function nextCode({ database }: World, username: string): Promise<string> {
  await database.query('update credentials set counter = 0 where kind = $1', ['totp']);
  return await codeOf(secrets.get(username) ?? '');
}

const looked = new Set<string>();

/** At the width of a desk and of a phone, by axe and by what it says. */
export async function look(visitor: Visitor, place: string, only = 'html'): Promise<void> {
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

export const focused = (page: Page) => page.locator(':focus');
export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

export async function readSecret(page: Page, username: string): Promise<void> {
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
export async function finishEnrolment(visitor: Visitor, username: string, language: Language): Promise<void> {
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

export async function demand({ database }: World, roleKey: string, factor: number): Promise<void> {
  await database.query('update roles set factor = $2 where role_key = $1', [roleKey, factor]);
}
