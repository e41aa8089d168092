// Every page of the console, as the side bar lists them, in both themes and languages and on a phone.
import assert from 'node:assert/strict';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { looksAtAll } from './looks-at-all.ts';
import { openSignedOut, returnAs } from './sign-in.ts';
import type { Visitor, VisitorOptions } from './visitor.ts';
import type { World } from './world.ts';

/** In the side bar of an administrator; the suite must not pass because it is empty. */
const leastPages = 12;
const phone = { width: 360, height: 800 };
/** Rows of a list are alike. Before a change lands, axe looks at so many of them; at night it looks at all. */
const firstRows = 8;
const furtherRows = ['tr', 'li', '[role=row]'].map((row) => `main ${row}:nth-child(n + ${firstRows + 1})`);

/** The paths of all pages, those that no link leads to too. */
async function listPages({ page, world }: Visitor): Promise<string[]> {
  const links = await page.getByRole('navigation').getByRole('link').all();
  const paths = await Promise.all(links.map((link) => link.getAttribute('href')));
  assert.ok(paths.length >= leastPages, `${paths.length} pages in the side bar`);
  return [
    ...paths.map((path) => String(path).replace(/\/$/, '')),
    ...(await listObjectPages(world)),
    '/console/roles/1',
    '/console/roles/4',
    '/console/endpoint?service=stock&method=DELETE&path=/stock/levels/:id',
    '/console/endpoint?service=portcullis&method=GET&path=/api/v1/getinfo',
    '/console/password',
    '/console/sign-in-methods',
    '/console/no-such-page',
  ];
}

/** Of a person, of a department and of a session, and of one that there is not. */
async function listObjectPages({ database }: World): Promise<string[]> {
  const [person] = await database.query<{ id: string }>("select id from users where username = 'emil'");
  const [session] = await database.query<{ jti: string }>(
    'select jti from sessions order by issued_at desc limit 1',
  );
  assert.ok(person && session, 'a person and a session');
  const user = `/console/users/${person.id}`;
  return [
    user,
    `${user}?tab=access`,
    `${user}?tab=sessions`,
    `${user}?tab=ways`,
    `${user}?tab=links`,
    '/console/departments/2',
    `/console/sessions/${session.jti}`,
    '/console/users/999999',
  ];
}

/** Opens one page after the other; `look` sees each when it is drawn, by its path. All are seen, whatever one shows. */
export async function eachPage(
  world: World,
  options: VisitorOptions,
  look: (visitor: Visitor, path: string) => Promise<void>,
): Promise<number> {
  const visitor = await returnAs(world, 'ada', { ...options, ...world.desk });
  const paths = await listPages(visitor);
  if (options.width === phone.width) await visitor.page.setViewportSize(phone);
  const failures: string[] = [];
  for (const path of paths) {
    await visitor.page.goto(`${world.origin}${path}`);
    await visitor.settle();
    await look(visitor, path).catch((error: Error) => failures.push(error.message));
  }
  await visitor.close();
  if (failures.length > 0) throw new Error(failures.join('\n'));
  return paths.length;
}

/**
 * At night every page is opened on a phone too, in a separate tour. Before a change lands, it is narrowed to one while it
 * is open anyway.
 */
export function createPageTour(world: World, look: VisitorOptions) {
  const failures: string[] = [];
  let narrowed = 0;
  async function narrow(visitor: Visitor, path: string): Promise<void> {
    const { page } = visitor;
    await page.setViewportSize(phone);
    await visitor.settle();
    await expectNoSidewaysScroll(page, path).catch((error: Error) => failures.push(error.message));
    await page.setViewportSize(world.desk);
    narrowed += 1;
  }
  return {
    inspect: () =>
      eachPage(world, look, async (visitor, path) => {
        if (!looksAtAll) await narrow(visitor, path);
        await visitor.settle();
        await expectNoSidewaysScroll(visitor.page, path);
        await expectNoLeftovers(visitor.page, path);
        await expectAccessible(visitor.page, path);
      }),
    async fitPhones(): Promise<number> {
      if (looksAtAll)
        return await eachPage(world, { ...look, width: phone.width }, ({ page }, path) =>
          expectNoSidewaysScroll(page, path),
        );
      assert.ok(narrowed >= leastPages, `${narrowed} pages were narrowed`);
      assert.deepEqual(failures, []);
      return narrowed;
    },
  };
}

export async function inspectSignIn(world: World, options: VisitorOptions): Promise<number> {
  const visitor = await openSignedOut(world, options);
  const { page } = visitor;
  await page.goto(`${world.origin}/console/sign-in?ended=1`);
  await page.getByRole('img').waitFor();
  await visitor.settle();
  await expectNoLeftovers(page, 'sign-in');
  await expectAccessible(page, 'sign-in');
  await page.setViewportSize(phone);
  await visitor.settle();
  await expectNoSidewaysScroll(page, 'sign-in');
  await visitor.close();
  return 3;
}

/** The whole page, or what a selector names. */
export async function expectAccessible(page: Page, place: string, only = 'html'): Promise<void> {
  const axe = new AxeBuilder({ page })
    .setLegacyMode(true)
    .options({ resultTypes: ['violations'] })
    .include(only);
  if (!looksAtAll) for (const rows of furtherRows) axe.exclude(rows);
  const { violations } = await axe.analyze();
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
  assert.equal(shown, page.viewportSize()?.width, `the width that ${place} is drawn for`);
  assert.ok(width <= shown, `${place} is ${width} px wide, at ${shown} px`);
}
