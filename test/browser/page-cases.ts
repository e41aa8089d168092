// Every page of the console, as the side bar lists them, in both themes and languages and on a phone.
import assert from 'node:assert/strict';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { enterAs } from './sign-in.ts';
import { openVisitor, type Visitor, type VisitorOptions } from './visitor.ts';
import type { World } from './world.ts';

/** In the side bar of an administrator; the suite must not pass because it is empty. */
const leastPages = 12;
const phoneWidth = 360;

/** The paths of all pages, those that no link leads to too. */
async function listPages({ page }: Visitor): Promise<string[]> {
  const links = await page.getByRole('navigation').getByRole('link').all();
  const paths = await Promise.all(links.map((link) => link.getAttribute('href')));
  assert.ok(paths.length >= leastPages, `${paths.length} pages in the side bar`);
  return [
    ...paths.map((path) => String(path).replace(/\/$/, '')),
    '/console/password',
    '/console/no-such-page',
  ];
}

/** Opens one page after the other; `look` sees each when it is drawn, by its path. All are seen, whatever one shows. */
async function tour(
  world: World,
  options: VisitorOptions,
  look: (visitor: Visitor, path: string) => Promise<void>,
): Promise<number> {
  const visitor = await enterAs(world, 'ada', { ...options, width: 1440 });
  const paths = await listPages(visitor);
  if (options.width !== undefined) await visitor.page.setViewportSize({ width: options.width, height: 800 });
  const failures: string[] = [];
  for (const path of paths) {
    await visitor.page.goto(`${world.origin}${path}`);
    await visitor.settle();
    await look(visitor, path).catch((error: Error) => failures.push(error.message));
  }
  await visitor.leave();
  if (failures.length > 0) throw new Error(failures.join('\n'));
  return paths.length;
}

export function inspectPages(world: World, options: VisitorOptions): Promise<number> {
  return tour(world, options, async ({ page }, path) => {
    await expectNoLeftovers(page, path);
    await expectAccessible(page, path);
  });
}

export function fitPhones(world: World, options: VisitorOptions): Promise<number> {
  return tour(world, { ...options, width: phoneWidth }, async ({ page }, path) => {
    await expectNoSidewaysScroll(page, path);
  });
}

export async function inspectSignIn(world: World, options: VisitorOptions): Promise<number> {
  const visitor = await openVisitor(world, options);
  const { page } = visitor;
  await page.goto(`${world.origin}/console/sign-in?ended=1`);
  await page.getByRole('img').waitFor();
  await visitor.settle();
  await expectNoLeftovers(page, 'sign-in');
  await expectAccessible(page, 'sign-in');
  await page.setViewportSize({ width: phoneWidth, height: 800 });
  await visitor.settle();
  await expectNoSidewaysScroll(page, 'sign-in');
  await visitor.leave();
  return 3;
}

/** The whole page, or what a selector names. */
export async function expectAccessible(page: Page, place: string, only = 'html'): Promise<void> {
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode(true)
    .options({ resultTypes: ['violations'] })
    .include(only)
    .analyze();
  const found = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary = '' }) => `${id}: ${html} ${failureSummary}`),
    );
  assert.deepEqual(found, [], `axe on ${place}`);
}

/** What a text becomes when a value is missing. */
const leftovers = /\bundefined\b|\[object |\bNaN\b|Invalid Date/;
const readTexts = `[document.title, document.body.innerText,
  ...[...document.querySelectorAll('[aria-label], [title], [alt], [placeholder]')].flatMap((one) =>
    ['aria-label', 'title', 'alt', 'placeholder'].map((name) => one.getAttribute(name) ?? '')),
].join('\\n')`;

export async function expectNoLeftovers(page: Page, place: string): Promise<void> {
  const texts = await page.evaluate<string>(readTexts);
  assert.equal(leftovers.exec(texts)?.[0], undefined, `a text on ${place}`);
  assert.ok(((await page.locator('main').textContent()) ?? '').trim().length > 0, `${place} is empty`);
}

export async function expectNoSidewaysScroll(page: Page, place: string): Promise<void> {
  const [width, shown] = await page.evaluate<[number, number]>(
    '[document.documentElement.scrollWidth, innerWidth]',
  );
  assert.equal(shown, phoneWidth, `the width that ${place} is drawn for`);
  assert.ok(width <= phoneWidth, `${place} is ${width} px wide`);
}
