// Finding: search and commands over every page, shortcuts, the menu at the name, and what is done with many at once.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { chooseOwn, openPage, waitUntilIn } from './errands.ts';
import { expectAccessible, expectNoLeftovers, expectNoSidewaysScroll } from './page-cases.ts';
import { enterAs, returnAs } from './sign-in.ts';
import type { World } from './world.ts';

interface Case {
  readonly title: string;
  run(world: World): Promise<number>;
}

const field = (page: Page) => page.getByRole('combobox', { name: 'Search and commands' });
const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name }).first();
const marked = (page: Page) => page.locator('[role=option][aria-selected=true]');
const isUserSearch = (word: string) => (url: URL) =>
  url.pathname === '/api/v1/users' && url.searchParams.get('search') === word;

async function openSearch(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await field(page).and(page.locator(':focus')).waitFor();
}

async function countDisabled({ database }: World): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `select count(*)::int from audit_log where action = 'user.disable'`,
  );
  return row?.count ?? 0;
}

export const findCases: readonly Case[] = [
  {
    title: 'search finds users by any word, roles, departments, pages and actions, by keys alone',
    async run(world) {
      const visitor = await returnAs(world, 'ada');
      const { page } = visitor;
      const found = [
        ['okaf', /Ada Okafor \(ada\)/, /\/console\/users\/\d+$/],
        ['林', /林美 \(mei\)/, /\/console\/users\/\d+$/],
        ['ware', /^Warehouse warehouse$/, /\/console\/roles\/\d+$/],
        ['sales no', /Sales North/, /\/console\/departments\/\d+$/],
        ['audit l', /Audit log/, /\/console\/audit$/],
      ] as const;
      for (const [typed, name, address] of found) {
        await openSearch(page);
        await page.keyboard.type(typed);
        await option(page, name).waitFor();
        await visitor.settle();
        for (
          let step = 0;
          step < 20 && !name.test((await marked(page).textContent())?.trim() ?? '');
          step += 1
        )
          await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Enter');
        await page.waitForURL(address);
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await visitor.settle();
      }
      await openSearch(page);
      await page.keyboard.type('create us');
      await option(page, 'Create user').waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Create user' }).getByLabel('Username').waitFor();
      await visitor.settle();
      assert.equal(new URL(page.url()).search, '');
      await visitor.close();
      return found.length + 1;
    },
  },
  {
    title: 'search finds the endpoint of a call, and explains the call',
    async run(world) {
      const visitor = await returnAs(world, 'ada');
      const { page } = visitor;
      await openSearch(page);
      await page.keyboard.type('DELETE /orders/1042');
      await option(page, /^DELETE \/shop\/orders\/:id/).waitFor();
      await visitor.settle();
      assert.match((await marked(page).textContent()) ?? '', /^DELETE \/shop\/orders\/:id/);
      await option(page, 'Explain DELETE /orders/1042').waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(({ pathname, searchParams }) =>
        [pathname === '/console/endpoint', searchParams.get('path') === '/shop/orders/:id'].every(Boolean),
      );
      await visitor.close();
      return 3;
    },
  },
  {
    title: 'search offers only what the user can call, and finds no user outside the data scope',
    async run(world) {
      const visitor = await returnAs(world, 'mei');
      const { page } = visitor;
      await openSearch(page);
      const offered = await page.getByRole('option').allInnerTexts();
      assert.ok(offered.some((text) => text.includes('Explain a request')));
      assert.deepEqual(
        offered.filter((text) => /Create|Roles|Departments|Audit|matrix/.test(text)),
        [],
      );
      await page.keyboard.type('carl');
      await page.getByRole('status').getByText('Nothing found').waitFor();
      await field(page).fill('mei');
      await option(page, /林美 \(mei\)/).waitFor();
      await visitor.close();
      return 4;
    },
  },
  {
    title: 'search: ignores late answers, and reports slow and failed ones',
    async run(world) {
      const visitor = await returnAs(world, 'ada');
      const { page } = visitor;
      const held = Promise.withResolvers<void>();
      await page.route(isUserSearch('c'), async (route) => {
        await held.promise;
        await route.continue().catch(() => {});
      });
      await openSearch(page);
      const asked = page.waitForRequest((request) => isUserSearch('c')(new URL(request.url())));
      await page.keyboard.type('c');
      await asked;
      await page.getByRole('status').getByText('Still searching').waitFor();
      await field(page).fill('dora');
      await option(page, /Dora Fontaine/).waitFor();
      held.resolve();
      await visitor.settle();
      assert.equal(await page.getByRole('option', { name: /Carl/ }).count(), 0);
      assert.equal(await page.getByRole('option', { name: /Dora/ }).count(), 1);

      await page.route(isUserSearch('emil'), (route) => route.abort());
      await field(page).fill('emil');
      await page.getByRole('alert').getByText('People could not be searched').waitFor();
      await page.unroute(isUserSearch('emil'));
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await page.getByRole('button', { name: 'Try again' }).click();
      await option(page, /Emil Brandt/).waitFor();
      await visitor.close(/ERR_FAILED|Failed to load/);
      return 4;
    },
  },
  {
    title: 'the dialog of the search is accessible, returns the focus and fits a phone, in both languages',
    async run(world) {
      for (const look of [
        { theme: 'light', language: 'en' },
        { theme: 'dark', language: 'zh' },
      ] as const) {
        const visitor = await returnAs(world, 'ada', look);
        const { page } = visitor;
        await page.locator('header button[aria-keyshortcuts]').click();
        await page.getByRole('combobox').fill('a');
        await page.getByRole('option').first().waitFor();
        await visitor.settle();
        await expectNoLeftovers(page, 'the search');
        await expectAccessible(page, 'the search', '[role=dialog]');
        await page.setViewportSize({ width: 360, height: 800 });
        await visitor.settle();
        await expectNoSidewaysScroll(page, 'the search');
        await page.keyboard.press('Escape');
        await page.locator('header button[aria-keyshortcuts]:focus').waitFor();
        await page.getByRole('button', { name: /your menu|个人菜单/ }).click();
        await page.getByRole('menu').waitFor();
        await visitor.settle();
        await expectAccessible(page, 'the menu at the name', '[role=menu]');
        await expectNoSidewaysScroll(page, 'the menu at the name');
        await visitor.close();
      }
      return 12;
    },
  },
  {
    title: 'shortcuts open pages and move in lists, never while the user types, and can be switched off',
    async run(world) {
      const visitor = await returnAs(world, 'ada');
      const { page } = visitor;
      const { keyboard } = page;
      await keyboard.press('g');
      await keyboard.press('u');
      await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
      await visitor.settle();
      await keyboard.press('j');
      await keyboard.press('j');
      await keyboard.press('k');
      await page.locator('tbody tr:first-child :focus').waitFor();
      await page.getByLabel('Find by any name').focus();
      await keyboard.type('g?/r');
      assert.equal(await page.getByLabel('Find by any name').inputValue(), 'g?/r');
      assert.equal(await page.getByRole('dialog').count(), 0);
      await page.getByRole('heading', { level: 1 }).click();
      await keyboard.press('/');
      await field(page).waitFor();
      await keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await keyboard.press('?');
      const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
      await help.waitFor();
      await visitor.settle();
      await expectAccessible(page, 'the shortcuts', '[role=dialog]');
      await help.getByLabel('Use shortcuts of single keys').uncheck();
      await keyboard.press('Escape');
      await help.waitFor({ state: 'detached' });
      await keyboard.press('?');
      await keyboard.press('/');
      await keyboard.press('g');
      await keyboard.press('r');
      await openSearch(page);
      assert.equal(await page.getByRole('dialog').count(), 1);
      assert.match(page.url(), /\/console\/users/);
      await visitor.close();
      return 7;
    },
  },
  {
    title: 'the user menu opens the user’s own sessions, and shows the data scope',
    async run(world) {
      const visitor = await returnAs(world, 'ada');
      await waitUntilIn(visitor);
      await chooseOwn(visitor, 'My sessions');
      await visitor.page.waitForURL(/\/console\/sessions\?userId=\d+$/);
      await visitor.close();
      const scoped = await returnAs(world, 'mei');
      await openPage(scoped, 'Users');
      await scoped.page.getByText('You see 研发中心 and below.').waitFor();
      assert.equal(await scoped.page.getByText('Everybody who can sign in').count(), 0);
      await scoped.close();
      return 3;
    },
  },
  {
    title: 'asks before it ends all sessions of the user, and signs out',
    async run(world) {
      await world.database.query(
        `insert into users (username, canonical_username, nick_name, role_id, department_id, password_hash)
         select 'zoe', 'zoe', 'Zoe Adler', role_id, department_id, password_hash from users where username = 'ada'`,
      );
      const visitor = await enterAs(world, 'zoe');
      const { page } = visitor;
      await chooseOwn(visitor, 'End my sessions');
      const dialog = page.getByRole('dialog', { name: 'End all your sessions?' });
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'zoe: your menu' }).and(page.locator(':focus')).waitFor();
      await chooseOwn(visitor, 'End my sessions');
      await dialog.getByRole('button', { name: 'End my sessions' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await visitor.close();
      return 2;
    },
  },
  {
    title: 'disables users selected with Shift one after the other, lists failures, and does nothing twice',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/users?search=clerk' });
      const { page } = visitor;
      const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
      await box('clerk1').check();
      await box('clerk5').click({ modifiers: ['Shift'] });
      await page.getByText('5 selected').waitFor();
      await expectAccessible(page, 'a selection', 'main');
      const before = await countDisabled(world);
      const made: string[] = [];
      await page.route(/\/users\/\d+\/enabled$/, async (route) => {
        made.push(route.request().url());
        await (made.length === 2 ? route.abort() : route.continue());
      });
      await page
        .getByRole('region', { name: 'What is selected' })
        .getByRole('button', { name: 'Disable' })
        .click();
      const dialog = page.getByRole('dialog', { name: 'Disable 5 users?' });
      await visitor.settle();
      await expectAccessible(page, 'many at once', '[role=dialog]');
      await dialog.getByRole('button', { name: 'Disable 5 users' }).click();
      await dialog.getByText('5 of 5').waitFor();
      const failure = await dialog.getByRole('alert').getByRole('listitem').allInnerTexts();
      assert.deepEqual([failure.length, made.length], [1, 5]);
      assert.match(failure[0] ?? '', /^clerk2: No answer from the service/);
      await dialog.getByRole('button', { name: 'Try the other one' }).click();
      await dialog.waitFor({ state: 'detached' });
      assert.deepEqual([made.length, new Set(made).size], [6, 5]);
      assert.equal(await countDisabled(world), before + 5);
      await visitor.settle();
      assert.equal(await page.getByText(/\d selected/).count(), 0);
      await visitor.close(/ERR_FAILED|Failed to load/);
      return 6;
    },
  },
  {
    title:
      'home shows first what needs attention, then the last changes; a user with few permissions sees what they allow, and can continue',
    async run(world) {
      const visitor = await returnAs(world, 'ada');
      const { page } = visitor;
      const headings = await page.getByRole('heading', { level: 2 }).allInnerTexts();
      assert.equal(headings[0], 'Needs attention');
      assert.ok(headings.includes('Last changes'));
      await page.getByRole('link', { name: /rules? match(es)? no endpoint/ }).click();
      await page.waitForURL(/\/console\/endpoints\?tab=uncovered$/);
      await visitor.close();
      for (const look of [
        { theme: 'light', language: 'en' },
        { theme: 'dark', language: 'zh' },
      ] as const) {
        const clerk = await returnAs(world, 'carl', look);
        await clerk.page.getByRole('heading', { name: /What you may do|您可以做什么/ }).waitFor();
        await clerk.page.getByText('GET /shop/orders/:id').waitFor();
        await expectNoLeftovers(clerk.page, "a clerk's home");
        await expectAccessible(clerk.page, "a clerk's home");
        await clerk.page.setViewportSize({ width: 360, height: 800 });
        await clerk.settle();
        await expectNoSidewaysScroll(clerk.page, "a clerk's home");
        await clerk.close();
      }
      return 9;
    },
  },
];
