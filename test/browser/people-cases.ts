// The pages of people, departments and sessions: what an administrator asks every day, and how many clicks the answer is
// away, from any page.
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { enterAs, returnAs } from './sign-in.ts';
import type { Case } from './tally.ts';
import type { Visitor } from './visitor.ts';
import type { World } from './world.ts';

interface PeopleCase {
  readonly title: string;
  readonly run: (world: World) => ReturnType<Case>;
}

const mostClicks = 3;
/** Far from all of it. */
const anyPage = '/keys';

/** Counts what it clicks. */
function createClicker(visitor: Visitor) {
  let clicks = 0;
  return {
    async click(target: Locator): Promise<void> {
      clicks += 1;
      await target.click();
      await visitor.settle();
    },
    expectFew: () => assert.ok(clicks <= mostClicks, `${clicks} clicks`),
  };
}

const inMenu = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('link', { name, exact: true });
const inMain = (page: Page, name: string) =>
  page.getByRole('main').getByRole('link', { name, exact: true }).first();

async function idOf({ database }: World, username: string): Promise<number> {
  const [row] = await database.query<{ id: string }>('select id from users where username = $1', [username]);
  return Number(row?.id);
}

/** By an administrator, as one would by hand. */
async function put({ page }: Visitor, path: string, body: object): Promise<void> {
  const code = await page.evaluate<number>(
    `fetch('/api/v1${path}', { method: 'PUT', headers: { 'content-type': 'application/json' }, body: ${JSON.stringify(JSON.stringify(body))} })
      .then((answer) => answer.json()).then(({ code }) => code)`,
  );
  assert.equal(code, 200, path);
}

export const peopleCases: readonly PeopleCase[] = [
  {
    title: 'the activity of a user is two clicks away: logins, refusals and changes in sentences',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: anyPage });
      const { page } = visitor;
      const dora = await idOf(world, 'dora');
      await put(visitor, `/users/${dora}/enabled`, { enabled: false });
      await put(visitor, `/users/${dora}/role`, { roleId: 4 });
      const { click, expectFew } = createClicker(visitor);
      await click(inMenu(page, 'Users'));
      await click(inMain(page, 'dora'));
      expectFew();
      await page.getByRole('heading', { level: 1, name: 'Dora Fontaine' }).waitFor();
      assert.equal(await page.title(), 'Dora Fontaine · Portcullis');
      const [newest, second, third] = await page
        .getByRole('list', { name: 'What happened, newest first' })
        .getByRole('listitem')
        .allInnerTexts();
      assert.match(String(newest), /ada gave Dora Fontaine the role Warehouse/);
      assert.match(String(second), /ada disabled Dora Fontaine/);
      assert.match(String(third), /Signed in|Wrong/);
      await page.getByText(/ago · |now · |yesterday · /).waitFor();
      await page.getByText('Disabled', { exact: true }).waitFor();
      await click(inMain(page, 'ada'));
      await page.getByRole('heading', { level: 1, name: 'Ada Okafor' }).waitFor();
      await put(visitor, `/users/${dora}/role`, { roleId: 3 });
      await put(visitor, `/users/${dora}/enabled`, { enabled: true });
      await visitor.close();
      return 6;
    },
  },
  {
    title: 'the permissions of a user, with their rules, are three clicks away',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: anyPage });
      const { page } = visitor;
      const { click, expectFew } = createClicker(visitor);
      await click(inMenu(page, 'Users'));
      await click(inMain(page, 'emil'));
      await click(page.getByRole('tab', { name: 'Access' }));
      expectFew();
      const row = page.getByRole('row').filter({ hasText: '/stock/levels/:id' }).first();
      await row.getByText('* /stock/*').waitFor();
      await page.getByLabel('Search endpoints and rules').fill('shipments');
      await page.getByText('1 endpoint, by the role').waitFor();
      assert.equal(await page.getByRole('row').filter({ hasText: '/stock/' }).count(), 0);
      await page.getByText('POST /shop/orders/:id/shipments').waitFor();
      await visitor.close();
      return 3;
    },
  },
  {
    title: 'the sessions, their addresses, and the end of one session are three clicks away',
    async run(world) {
      const carl = await enterAs(world, 'carl');
      const visitor = await returnAs(world, 'ada', { at: anyPage });
      const { page } = visitor;
      const { click, expectFew } = createClicker(visitor);
      await click(inMenu(page, 'Sessions'));
      const row = page.getByRole('row').filter({ hasText: 'carl' }).first();
      await row.getByText('127.0.0.1').waitFor();
      await click(row.getByRole('button', { name: 'End the session of carl' }));
      await click(page.getByRole('dialog').getByRole('button', { name: 'End this session' }));
      expectFew();
      await visitor.seeNote('The session of carl has ended.');
      assert.equal(await page.getByRole('row').filter({ hasText: 'carl' }).count(), 0);
      await carl.page.reload();
      await carl.page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await carl.context.close();
      await visitor.close();
      return 3;
    },
  },
  {
    title: 'names link a session to its user, the department, its users and back',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/sessions' });
      const { page } = visitor;
      const { click } = createClicker(visitor);
      await click(page.getByRole('row').filter({ hasText: 'ada' }).first().getByRole('link').last());
      await page.getByRole('heading', { level: 1, name: 'Session of Ada Okafor' }).waitFor();
      await click(inMain(page, 'ada'));
      await click(inMain(page, 'Head office'));
      await page.getByRole('heading', { level: 1, name: 'Head office' }).waitFor();
      await click(inMain(page, 'Sales'));
      await page.getByRole('heading', { level: 1, name: 'Sales' }).waitFor();
      await click(inMain(page, 'gina'));
      await page.getByRole('heading', { level: 1, name: 'Gina Rossi' }).waitFor();
      await visitor.close();
      return 5;
    },
  },
  {
    title: 'keys alone open a user, change the tab and come back from a dialog',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/users' });
      const { page } = visitor;
      await inMain(page, 'farid').focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Farid Rahimi' }).waitFor();
      await visitor.settle();
      await page.getByRole('tab', { name: 'Activity' }).focus();
      await page.keyboard.press('ArrowRight');
      await page.getByLabel('Search endpoints and rules').waitFor();
      assert.ok(page.url().endsWith('?tab=access'), page.url());
      const disable = page.getByRole('button', { name: 'Disable', exact: true });
      await disable.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Disable farid?' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await disable.and(page.locator(':focus')).waitFor();
      await visitor.close();
      return 3;
    },
  },
  {
    title: 'a user who cannot open a page gets names without links, and sees no user outside the data scope',
    async run(world) {
      const visitor = await returnAs(world, 'mei', { at: '/users' });
      const { page } = visitor;
      const main = page.getByRole('main');
      await main.getByRole('link', { name: 'mei', exact: true }).waitFor();
      await main.getByText('Support', { exact: true }).first().waitFor();
      assert.equal(await main.getByRole('link', { name: 'Support', exact: true }).count(), 0);
      await page.goto(`${world.origin}/console/users/${await idOf(world, 'carl')}`);
      await page.getByText('There is no such user').waitFor();
      await visitor.close();
      return 2;
    },
  },
];
