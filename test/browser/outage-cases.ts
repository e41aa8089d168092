// What the console shows when something is missing: the network, an answer, a file, room, a captcha, a page.
import assert from 'node:assert/strict';
import type { Locator, Page, Route } from 'playwright-core';
import { openPage } from './errands.ts';
import { companyPassword } from './fill-company.ts';
import { enterAgainAs, openSignedOut, returnAs } from './sign-in.ts';
import type { Visitor } from './visitor.ts';
import type { World } from './world.ts';

interface OutageCase {
  readonly title: string;
  run(world: World): Promise<number>;
}

/** What Chromium itself says of a line that a case cut. */
const cutLines = /Failed to load resource: net::ERR_(INTERNET_DISCONNECTED|FAILED|ABORTED)/;

async function fillNewUser(visitor: Visitor, username: string): Promise<Locator> {
  const { page } = visitor;
  await page.getByRole('button', { name: 'Create user' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create user' });
  await visitor.settle();
  await dialog.getByLabel('Username').fill(username);
  await dialog.getByLabel('Name', { exact: true }).fill(username);
  await dialog.getByLabel('Department').selectOption({ value: '2' });
  await dialog.getByLabel('Role').selectOption({ value: '3' });
  return dialog;
}

async function isThere({ database }: World, username: string): Promise<boolean> {
  return (await database.query('select from users where username = $1', [username])).length > 0;
}

/** Whether it is drawn inside the window, and nothing lies over it. */
async function isOnTop(page: Page, button: Locator): Promise<boolean> {
  const box = await button.boundingBox();
  if (box === null || box.x < 0 || box.x + box.width > (page.viewportSize()?.width ?? 0)) return false;
  const middle = `${box.x + box.width / 2}, ${box.y + box.height / 2}`;
  const found = `document.elementFromPoint(${middle})?.closest('button')?.ariaLabel`;
  return (await page.evaluate(found)) === (await button.getAttribute('aria-label'));
}

export const outageCases: readonly OutageCase[] = [
  {
    title: 'offline, a form says so at once, can be closed, and makes no later call',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/users?search=ada' });
      const { page, context } = visitor;
      const dialog = await fillNewUser(visitor, 'offline-one');
      await context.setOffline(true);
      await page.getByText('You are offline.').waitFor();
      await dialog.getByRole('button', { name: 'Create user' }).click();
      await dialog.getByRole('alert').filter({ hasText: 'No answer from the service.' }).waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
      const later: string[] = [];
      page.on('request', (request) => {
        if (request.method() !== 'GET') later.push(request.url());
      });
      await context.setOffline(false);
      await page.getByText('You are offline.').waitFor({ state: 'detached' });
      await visitor.settle();
      assert.deepEqual(later, [], 'unexpected calls');
      assert.equal(await isThere(world, 'offline-one'), false);
      await visitor.close(cutLines);
      return 4;
    },
  },
  {
    title: 'a form without an answer can be closed, and a note shows its result',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/users?search=ada' });
      const { page } = visitor;
      const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      await page.route('**/api/v1/users', async (route) => {
        held.resolve();
        await released.promise;
        await route.continue();
      });
      const dialog = await fillNewUser(visitor, 'late-one');
      await dialog.getByRole('button', { name: 'Create user' }).click();
      await held.promise;
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
      await visitor.seeNote('You stopped waiting.');
      released.resolve();
      await visitor.seeNote('What you stopped waiting for was done after all.');
      assert.equal(await isThere(world, 'late-one'), true);
      await visitor.settle();
      await visitor.close();
      return 3;
    },
  },
  {
    title: 'stops waiting for a service that hangs, and says what to do',
    async run(world) {
      // Its clock stays as it is made here.
      const visitor = await enterAgainAs(world, 'ada', { at: '/users?search=ada' });
      const { page } = visitor;
      await page.clock.install();
      const held = Promise.withResolvers<Route>();
      await page.route('**/api/v1/roles?**', (route) => held.resolve(route));
      await page.getByRole('navigation').getByRole('link', { name: 'Roles', exact: true }).click();
      await held.promise;
      assert.equal(await page.getByRole('alert').count(), 0);
      await page.clock.fastForward(31_000);
      await page.getByRole('alert').filter({ hasText: 'No answer within 30 s.' }).waitFor();
      await page.unroute('**/api/v1/roles?**');
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('row').filter({ hasText: 'warehouse' }).waitFor();
      await visitor.close();
      return 2;
    },
  },
  {
    title: 'reports a page whose file cannot be loaded, and loads it again',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/users?search=ada' });
      const { page } = visitor;
      await page.route(/assets\/audit-page.*\.js$/, (route) => route.abort());
      await page.getByRole('navigation').getByRole('link', { name: 'Audit log', exact: true }).click();
      await page.getByRole('alert').filter({ hasText: 'This page could not be loaded' }).waitFor();
      assert.equal(new URL(page.url()).pathname, '/console/users');
      await page.unroute(/assets\/audit-page.*\.js$/);
      await page.getByRole('button', { name: 'Load anew' }).click();
      await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
      assert.equal(await page.getByRole('alert').count(), 0);
      // No user is signed out because an answer is missing.
      await page.route('**/api/v1/getinfo', (route) => route.abort());
      await page.reload();
      await page.getByRole('alert').filter({ hasText: 'This page could not be loaded' }).waitFor();
      await page.unroute('**/api/v1/getinfo');
      await page.getByRole('button', { name: 'Load anew' }).click();
      await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
      await visitor.settle();
      await visitor.close(cutLines);
      return 3;
    },
  },
  {
    title: 'at 1024 px the actions of a row are visible, and the legend covers nothing',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/keys', width: 1024, height: 768 });
      const { page } = visitor;
      // Names that need room, as people have them.
      await world.database.query(
        `update users set nick_name = 'Maximiliane Schwarzenberger-Hohenlohe' where username = 'carl'`,
      );
      for (const [name, button] of [
        ['Users', 'Actions for ada'],
        ['Roles', 'Actions for Auditor'],
        ['Sessions', 'End the session of ada'],
        ['Audit log', 'Details'],
      ] as const) {
        await openPage(visitor, name);
        assert.ok(
          await isOnTop(page, page.getByRole('button', { name: button }).first()),
          `${button} at 1024 px`,
        );
      }
      await openPage(visitor, 'Access matrix');
      const grid = page.getByRole('grid');
      const legend = page.getByRole('list', { name: 'What the marks mean' });
      for (const scroll of ['0', 'document.documentElement.scrollHeight']) {
        await page.evaluate(`scrollTo(0, ${scroll})`);
        const [below, above] = [await legend.boundingBox(), await grid.boundingBox()];
        assert.ok((below?.y ?? 0) >= (above?.y ?? 0) + (above?.height ?? 0), 'the legend is below the grid');
      }
      await visitor.close();
      return 5;
    },
  },
  {
    title: 'shows no captcha field where the service skips the captcha',
    async run(world) {
      const visitor = await openSignedOut(world);
      const { page } = visitor;
      const field = page.getByLabel('Characters in the picture');
      await page.goto(`${world.origin}/console/sign-in`);
      await field.waitFor();
      await visitor.settle();
      // As in `application.mode` dev; the rest is the service's own answer.
      await page.route('**/api/v1/getCaptcha', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), skipped: true } });
      });
      await page.reload();
      await field.waitFor({ state: 'detached' });
      const sent = page.waitForRequest(/\/login\/begin$/);
      await page.getByLabel('Username').fill('ada');
      await page.getByLabel('Password').fill(companyPassword);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      assert.equal((await sent).postDataJSON().code, undefined);
      await visitor.settle();
      await visitor.close();
      return 2;
    },
  },
  {
    title: 'an address below a page is answered by the console',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/users/2/nowhere' });
      const { page } = visitor;
      await page.getByText('There is no such page').waitFor();
      await page.getByRole('navigation').getByRole('link', { name: 'Users', exact: true }).waitFor();
      const answer = await page.request.get(`${world.origin}/console/assets/no-such-file.js`);
      assert.equal(answer.status(), 404);
      await visitor.close();
      return 2;
    },
  },
];
