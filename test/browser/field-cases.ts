// Fields that suggest, and files that are chosen: what the keys do, what a name without a choice means, and what is refused
// with its reason.
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { returnAs } from './sign-in.ts';
import type { World } from './world.ts';

interface FieldCase {
  readonly title: string;
  readonly run: (world: World) => Promise<number>;
}

const suggestions = (page: Page) => page.getByRole('listbox', { name: 'Role or user' });
const marked = (page: Page, text: string) =>
  suggestions(page).getByRole('option', { selected: true }).filter({ hasText: text }).waitFor();
const expectValue = async (field: Locator, value: string) => {
  await field
    .page()
    .waitForFunction(([element, wanted]) => (element as unknown as { value: string }).value === wanted, [
      await field.elementHandle(),
      value,
    ] as const);
};
const json = (text: string) => ({
  name: 'openapi.json',
  mimeType: 'application/json',
  buffer: Buffer.from(text),
});
const document = JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Billing', version: '1' },
  paths: { '/bills': { get: { summary: 'List bills', responses: {} } } },
});

async function listBilling({ database }: World): Promise<string[]> {
  const rows = await database.query<{ path: string }>("select path from catalog where service = 'billing'");
  return rows.map(({ path }) => path);
}

export const fieldCases: readonly FieldCase[] = [
  {
    title: 'explain requires a user and a path, and accepts a suggestion by keys or a whole name',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/explain' });
      const { page } = visitor;
      const { keyboard } = page;
      const who = page.getByRole('combobox', { name: 'Role or user' });
      const path = page.getByLabel('Path');
      const ask = page.getByRole('main').getByRole('button', { name: 'Explain' });
      await ask.click();
      await page.getByText('Choose a role or a user from the list.').waitFor();
      await who.fill('no such name');
      await page.getByText('No role or user begins with this').waitFor();
      await path.fill('/shop/orders');
      await ask.click();
      await page.getByText('Choose a role or a user from the list.').waitFor();
      await expectValue(who, '');
      await path.fill('');
      // A whole name, without a choice; then a role, which comes before a user of the same name.
      await who.fill('CARL');
      await ask.click();
      await page.getByText('Say which path was called').waitFor();
      await expectValue(who, 'carl');
      assert.equal(await page.getByText('Choose a role or a user from the list.').count(), 0);
      await path.fill('GET /shop/orders');
      await ask.click();
      await page.getByRole('heading', { name: 'Allowed' }).waitFor();
      assert.match(page.url(), /userId=\d+&method=GET&path=\/shop\/orders$/);
      const answered = page.waitForResponse(/\/explain\?/);
      await ask.click();
      await answered;
      // By keys: down, up around the end, Escape, and Enter.
      await who.fill('s');
      await marked(page, 'sales');
      await keyboard.press('ArrowDown');
      await marked(page, 'support');
      await keyboard.press('ArrowUp');
      await marked(page, 'sales');
      await keyboard.press('Escape');
      await suggestions(page).waitFor({ state: 'hidden' });
      assert.equal(await who.inputValue(), 's');
      await keyboard.press('ArrowDown');
      await marked(page, 'sales');
      await keyboard.press('ArrowDown');
      await keyboard.press('Enter');
      await expectValue(who, 'support');
      await suggestions(page).waitFor({ state: 'hidden' });
      assert.match(page.url(), /userId=/, 'a choice asks nothing');
      await keyboard.press('Enter');
      await page.waitForURL(/roleKey=support/);
      await who.fill('');
      assert.equal(await suggestions(page).getByRole('option', { selected: true }).count(), 0);
      await keyboard.press('ArrowUp');
      await suggestions(page).getByRole('option').last().and(page.locator('[aria-selected=true]')).waitFor();
      await keyboard.press('ArrowDown');
      await suggestions(page).getByRole('option').first().and(page.locator('[aria-selected=true]')).waitFor();
      await path.focus();
      await ask.click();
      await page.getByText('Choose a role or a user from the list.').waitFor();
      // A link with an id alone shows the name.
      await page.goto(`${world.origin}/console/explain?userId=1&method=GET&path=/shop/orders`);
      await expectValue(who, 'ada');
      await visitor.close();
      return 10;
    },
  },
  {
    title: 'lists the sessions of the chosen user, of a user with the typed name, or of all users',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/sessions' });
      const { page } = visitor;
      const field = page.getByRole('combobox', { name: 'User' });
      await field.click();
      await page.getByRole('option').filter({ hasText: 'ada' }).waitFor();
      await field.fill('farid');
      await page.getByRole('option').filter({ hasText: 'farid' }).click();
      await page.waitForURL(/userId=\d+$/);
      await page.getByText('This user is not signed in').waitFor();
      await expectValue(field, 'farid');
      await field.fill('Ada');
      await page.getByRole('heading', { level: 1 }).click();
      await page.waitForURL(/userId=1$/);
      await expectValue(field, 'ada');
      await page.getByRole('row').filter({ hasText: 'ada' }).first().waitFor();
      await field.fill('ad');
      await page.getByRole('heading', { level: 1 }).click();
      await expectValue(field, 'ada');
      assert.match(page.url(), /userId=1$/, 'half a name is no choice');
      await field.fill('');
      await page.getByRole('heading', { level: 1 }).click();
      await page.waitForURL(/sessions$/);
      await page.goto(`${world.origin}/console/sessions?userId=1x`);
      await page.getByRole('row').filter({ hasText: 'ada' }).first().waitFor();
      assert.equal(await field.inputValue(), '');
      await visitor.close();
      return 6;
    },
  },
  {
    title: 'imports a document under a name and a prefix, and refuses other text with a reason',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/endpoints?tab=services' });
      const { page } = visitor;
      const file = page.locator('input[type=file]');
      const name = page.getByLabel('Service', { exact: true });
      const submit = page.getByRole('button', { name: 'Import', exact: true });
      await submit.waitFor();
      assert.equal(await page.getByText('Use 1 to 32 lowercase letters').count(), 0);
      await name.fill('portcullis');
      await page.getByText('Use 1 to 32 lowercase letters').waitFor();
      await name.fill('billing');
      assert.equal(await submit.isDisabled(), true, 'no file');
      await file.setInputFiles(json('openapi: 3.0.3'));
      await page.getByText('openapi.json', { exact: true }).waitFor();
      assert.equal(await file.inputValue(), '', 'the same file, once changed, can be chosen again');
      await name.fill('Billing');
      assert.equal(await submit.isDisabled(), true, 'a name with a capital');
      await name.fill('billing');
      await submit.click();
      await page.getByText('This file is not JSON.').waitFor();
      // What was wrong is forgotten.
      await file.setInputFiles(json('{}'));
      await page.getByText('This file is not JSON.').waitFor({ state: 'detached' });
      await submit.click();
      await page.getByText('This cannot be imported.').waitFor();
      await file.setInputFiles(json(document));
      await page.getByLabel('Prefix').fill('/api');
      await submit.click();
      await page.getByText('1 added, 0 removed, 0 kept.').waitFor();
      await page.getByText('No file chosen').waitFor();
      assert.equal(await submit.isDisabled(), true, 'the file is sent once');
      assert.deepEqual(await listBilling(world), ['/api/bills']);
      const services = page.getByRole('region', { name: 'Services' });
      await services.getByRole('listitem').filter({ hasText: 'billing' }).getByText('1 endpoint').waitFor();
      await services.getByRole('listitem').filter({ hasText: 'This service' }).waitFor();
      assert.equal(await services.getByRole('link', { name: 'portcullis', exact: true }).count(), 0);

      await services.getByRole('button', { name: 'Import shop again' }).click();
      await file.and(page.locator(':focus')).waitFor();
      assert.equal(await name.inputValue(), 'shop');
      await name.fill('billing');
      await page.getByLabel('Prefix').fill('');
      await file.setInputFiles(json(document));
      await submit.click();
      await page.getByText('1 added, 1 removed, 0 kept.').waitFor();
      assert.deepEqual(await listBilling(world), ['/bills'], 'without a prefix');
      await services.getByRole('button', { name: 'Forget billing' }).click();
      const dialog = page.getByRole('dialog', { name: 'Forget the endpoints of billing?' });
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
      assert.deepEqual(await listBilling(world), ['/bills']);
      await services.getByRole('button', { name: 'Forget billing' }).click();
      await dialog.getByRole('button', { name: 'Forget' }).click();
      await dialog.waitFor({ state: 'detached' });
      await visitor.seeNote('1 endpoints are forgotten.');
      await services.getByRole('listitem').filter({ hasText: 'billing' }).waitFor({ state: 'detached' });
      assert.deepEqual(await listBilling(world), []);
      await page.getByRole('tab', { name: 'Endpoints', exact: true }).click();
      await page.waitForURL(/endpoints$/);
      await visitor.close();
      return 12;
    },
  },
  {
    title: 'removes a rule that matches no endpoint after a confirmation',
    async run(world) {
      const { database } = world;
      const visitor = await returnAs(world, 'ada', { at: '/endpoints?tab=uncovered' });
      const { page } = visitor;
      const count = async () =>
        (await database.query("select from rules where path = '/stok/levels'")).length;
      const remove = page.getByRole('button', { name: 'Remove rule' }).first();
      await remove.click();
      const dialog = page.getByRole('dialog', { name: 'Remove this rule?' });
      await dialog.getByText('Warehouse loses GET /stok/levels.').waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
      assert.equal(await count(), 1);
      await remove.click();
      await dialog.getByRole('button', { name: 'Remove rule' }).click();
      await dialog.waitFor({ state: 'detached' });
      await visitor.seeNote('The rule is removed.');
      assert.equal(await count(), 0);
      await page.getByText('GET /stok/levels').waitFor({ state: 'detached' });
      await database.query(
        "insert into rules (role_id, method, path) select id, 'GET', '/stok/levels' from roles where role_key = 'warehouse'",
      );
      await visitor.close();
      return 3;
    },
  },
];
