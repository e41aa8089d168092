// Nothing but keys: signing in, opening the matrix, drafting a change in it and letting it go.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { captchaAnswer, solveCaptcha } from '../rig/captcha.ts';
import { waitUntilIn } from './errands.ts';
import { companyPassword } from './fill-company.ts';
import { openSignedOut } from './sign-in.ts';
import type { World } from './world.ts';

const mostSteps = 80;
/** As a screen reader would name it, near enough: a label, or the text inside. */
const nameOfFocus = `(({ activeElement: one }) =>
  (one?.ariaLabel ?? one?.labels?.[0]?.textContent ?? one?.textContent ?? '').trim())(document)`;
const isFocusShown = `(({ activeElement: one }) => one.matches(':focus-visible') &&
  getComputedStyle(one).outlineStyle !== 'none')(document)`;

/** Every stop on the way must show that it has the focus. */
async function tabTo(page: Page, name: RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const passed: string[] = [];
  for (let step = 0; step < mostSteps; step += 1) {
    const current = await page.evaluate<string>(nameOfFocus);
    if (name.test(current)) return;
    passed.push(current);
    await page.keyboard.press(key);
    assert.ok(await page.evaluate<boolean>(isFocusShown), `the focus shows after ${passed.join(' > ')}`);
  }
  assert.fail(`Tab does not reach ${name}: ${passed.join(' > ')}`);
}

/** Inside the grid, back from its end. */
async function moveTo(page: Page, name: RegExp): Promise<string> {
  for (let step = 1; step < mostSteps; step += 1) {
    const current = await page.evaluate<string>(nameOfFocus);
    if (name.test(current)) return current;
    await page.keyboard.press(step % 5 === 0 ? 'ArrowUp' : 'ArrowLeft');
  }
  return assert.fail(`No arrow leads to ${name}.`);
}

export async function useKeysAlone(world: World): Promise<number> {
  const visitor = await openSignedOut(world);
  const { page } = visitor;
  const { keyboard } = page;
  await page.goto(`${world.origin}/console`);
  await page.getByRole('img').waitFor();
  await visitor.settle();
  await solveCaptcha(world.database, await visitor.captchaId());
  assert.equal(await page.evaluate(nameOfFocus), 'Username', 'what has the focus at first');
  await keyboard.type('ada');
  await keyboard.press('Tab');
  await keyboard.type(companyPassword);
  await keyboard.press('Tab');
  await keyboard.type(captchaAnswer);
  await keyboard.press('Enter');
  await waitUntilIn(visitor);
  await visitor.settle();

  await page.goto(`${world.origin}/console`);
  await page.getByRole('link', { name: 'Roles' }).waitFor();
  await visitor.settle();
  await keyboard.press('Tab');
  assert.equal(await page.evaluate(nameOfFocus), 'Skip to the content', 'the first stop');
  await tabTo(page, /^Roles$/);
  await keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Roles' }).waitFor();
  await visitor.settle();
  assert.equal(await page.evaluate('document.activeElement.id'), 'content', 'the focus on a new page');
  await tabTo(page, /^Access matrix$/, 'Shift+Tab');
  await keyboard.press('Enter');
  await page.getByRole('grid').waitFor();
  await visitor.settle();
  await tabTo(page, /^admin, /);
  await keyboard.press('Control+End');
  const name = await moveTo(page, / not allowed$/);
  await keyboard.press('Space');
  assert.equal(await page.evaluate<string>(nameOfFocus), name.replace('not allowed', 'draft: rule added'));
  await tabTo(page, /^Review$/);
  await keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Review the changes' }).waitFor();
  await visitor.settle();
  await keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Review' }).and(page.locator(':focus')).waitFor();
  await visitor.close();
  return 6;
}
