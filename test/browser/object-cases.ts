// The pages of roles and endpoints: what people come for, and in how many clicks from any page.
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { openPage } from './errands.ts';
import { returnAs } from './sign-in.ts';
import type { Visitor } from './visitor.ts';
import type { World } from './world.ts';

interface ObjectCase {
  readonly title: string;
  readonly run: (world: World) => Promise<number>;
}

const mostClicks = 3;

/** Begins on a page that has nothing to do with it, and counts. */
async function begin(visitor: Visitor) {
  await openPage(visitor, 'Sessions');
  let clicks = 0;
  return {
    async click(target: Locator): Promise<void> {
      clicks += 1;
      await target.click();
      await visitor.settle();
    },
    expectFew: (what: string) => assert.ok(clicks <= mostClicks, `${what} took ${clicks} clicks`),
  };
}

const navigate = ({ page }: Visitor, name: string) =>
  page.getByRole('navigation').getByRole('link', { name, exact: true });

async function addRule({ database }: World, roleKey: string, rule: string): Promise<void> {
  const [method, path] = rule.split(' ');
  await database.query(
    'insert into rules (role_id, method, path) select id, $2, $3 from roles where role_key = $1 on conflict do nothing',
    [roleKey, method, path],
  );
}

async function readRules({ database }: World, roleKey: string): Promise<string[]> {
  const rows = await database.query<{ rule: string }>(
    `select method || ' ' || path as rule from rules where role_id = (select id from roles where role_key = $1)
     order by path, method`,
    [roleKey],
  );
  return rows.map(({ rule }) => rule);
}

/** Closes itself once it is applied. */
async function apply(visitor: Visitor, click: (target: Locator) => Promise<void>): Promise<void> {
  const dialog = visitor.page.getByRole('dialog', { name: 'Review the changes' });
  await dialog
    .getByText(/endpoints? (gained|lost)/)
    .first()
    .waitFor();
  await click(dialog.getByRole('button', { name: 'Apply' }));
  await dialog.waitFor({ state: 'detached' });
  await visitor.settle();
}

/** As an instance does that needs a moment: explains once more by the rules of before, and only then tells the revision. */
async function answerByTheRulesBefore(page: Page): Promise<void> {
  const explained = Promise.withResolvers<void>();
  const before = await page.evaluate<string>(
    "fetch('/api/v1/explain' + location.search).then((one) => one.text())",
  );
  await page.route(
    '**/api/v1/explain?**',
    async (route) => {
      await route.fulfill({ contentType: 'application/json', body: before });
      explained.resolve();
    },
    { times: 1 },
  );
  await page.route(/\/roles\/\d+\/rules\?/, async (route) => {
    await explained.promise;
    await route.continue();
  });
}

export const objectCases: readonly ObjectCase[] = [
  {
    title: 'shows the users who can DELETE a real path, and the endpoints that only admin can call',
    async run(world) {
      const visitor = await returnAs(world, 'ada');
      const { page } = visitor;
      const who = await begin(visitor);
      await who.click(navigate(visitor, 'Endpoints'));
      await page.getByLabel('Search by method, path or title').fill('DELETE /stock/levels/1042');
      await who.click(page.getByRole('link', { name: '/stock/levels/:id', exact: true }));
      await page.getByRole('heading', { level: 2, name: '2 people can call it' }).waitFor();
      who.expectFew('who can DELETE /stock/levels/1042');
      const rows = (await page.getByRole('table').getByRole('row').allInnerTexts()).join('\n');
      assert.match(rows, /emil[\s\S]*Warehouse[\s\S]*\* \/stock\/\*/);
      assert.match(rows, /ada[\s\S]*always, as admin/);
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Save as CSV' }).click(),
      ]);
      assert.equal(file.suggestedFilename(), 'people.csv');

      const only = await begin(visitor);
      await only.click(navigate(visitor, 'Endpoints'));
      await only.click(page.getByLabel('Only admin can call'));
      await page.getByRole('link', { name: '/api/v1/keys', exact: true }).first().waitFor();
      only.expectFew('which endpoints only admin can call');
      await visitor.close();
      return 4;
    },
  },
  {
    title: 'shows what each rule of a role allows, and previews a rule before it is added or removed',
    async run(world) {
      const visitor = await returnAs(world, 'ada');
      const { page } = visitor;
      const look = await begin(visitor);
      await look.click(navigate(visitor, 'Roles'));
      await look.click(page.getByRole('link', { name: 'Warehouse', exact: true }));
      await look.click(
        page.getByRole('button', { name: /^Endpoints of \* \/stock\/\*: covers 10 endpoints$/ }),
      );
      await page.getByRole('link', { name: '/stock/movements/:id' }).first().waitFor();
      look.expectFew('what warehouse allows, rule by rule');
      await page.getByText('matches no known endpoint').waitFor();
      await page.getByRole('list', { name: 'People' }).getByRole('link', { name: 'emil' }).waitFor();

      const field = page.getByLabel('Add a rule');
      await field.fill('GET shop');
      await page.getByText('Then a path that begins with /').waitFor();
      await field.fill('GET /shop/invoices/*');
      await page.getByText('Would cover 1 endpoint').waitFor();
      await page.keyboard.press('Enter');
      await apply(visitor, (target) => target.click());
      assert.ok((await readRules(world, 'warehouse')).includes('GET /shop/invoices/*'), 'the added rule');
      await page.getByRole('button', { name: 'Remove GET /shop/invoices/*' }).click();
      await apply(visitor, (target) => target.click());
      assert.ok(!(await readRules(world, 'warehouse')).includes('GET /shop/invoices/*'), 'the removed rule');
      await visitor.close();
      return 6;
    },
  },
  {
    title: 'gives a rule to a role for a limited time, and revokes it before its end',
    async run(world) {
      const visitor = await returnAs(world, 'ada');
      const { page } = visitor;
      await openPage(visitor, 'Roles');
      await page.getByRole('link', { name: 'Warehouse', exact: true }).click();
      const read = async () =>
        (
          await world.database.query<{ left: number }>(
            `select extract(epoch from ends_at - now())::float8 as left from temporary_rules where path = '/shop/invoices/7'`,
          )
        ).map(({ left }) => Math.round(left / 600));
      const field = page.getByLabel('Give a rule for a while');
      await field.fill('shop');
      await page.keyboard.press('Enter');
      await page.getByText('Begin with a method').waitFor();
      await field.fill('GET /shop/invoices/7');
      await page.getByLabel('For how long').selectOption('1 hour');
      await page.getByRole('button', { name: 'Give', exact: true }).click();
      await visitor.seeNote('The rule is given');
      assert.deepEqual(await read(), [6]);
      await page.getByRole('list', { name: 'For a while' }).getByText('given by ada').waitFor();
      await page.getByRole('button', { name: 'Remove GET /shop/invoices/7' }).click();
      await page.getByText('No rule of this role ends by itself.').waitFor();
      assert.deepEqual(await read(), []);
      await visitor.close();
      return 4;
    },
  },
  {
    title: 'rolls rules back after a preview of the changes',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/roles/3' });
      const { page } = visitor;
      const before = await readRules(world, 'sales');
      await page.getByLabel('Add a rule').fill('GET /stock/levels');
      await page.keyboard.press('Enter');
      await apply(visitor, (target) => target.click());
      const back = await begin(visitor);
      await back.click(navigate(visitor, 'Roles'));
      await back.click(page.getByRole('link', { name: 'Sales', exact: true }));
      await back.click(page.getByRole('button', { name: 'Back to this' }).last());
      // The comparison is reached; what it shows is confirmed with one click more.
      back.expectFew('what a rollback changes');
      const dialog = page.getByRole('dialog', { name: 'Go back to these rules?' });
      await dialog.getByText('1 endpoint lost').waitFor();
      await dialog.getByText('/stock/levels').first().waitFor();
      await dialog.getByRole('button', { name: 'Go back' }).click();
      await dialog.waitFor({ state: 'detached' });
      assert.deepEqual(await readRules(world, 'sales'), before);
      await visitor.close();
      return 3;
    },
  },
  {
    title: 'explains a refusal, and allows exactly that call',
    async run(world) {
      const visitor = await returnAs(world, 'ada');
      const { page } = visitor;
      const mend = await begin(visitor);
      await mend.click(navigate(visitor, 'Explain'));
      await page.getByRole('combobox', { name: 'Role or user' }).fill('sales');
      await page.getByLabel('Path').fill('POST /shop/refunds');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Denied' }).waitFor();
      await mend.click(page.getByRole('button', { name: 'Allow Sales to do this' }));
      await answerByTheRulesBefore(page);
      await apply(visitor, mend.click);
      await page.getByRole('heading', { name: 'Allowed' }).waitFor();
      mend.expectFew('why it was refused, and allowing exactly that');
      assert.ok((await readRules(world, 'sales')).includes('POST /shop/refunds'), 'the narrowest rule');
      await visitor.close();
      return 3;
    },
  },
  {
    title: 'asks what to do with a wider rule when its tick is cleared, and undoes the draft',
    async run(world) {
      await addRule(world, 'intern', '* /stock/*');
      const visitor = await returnAs(world, 'ada', { at: '/matrix?q=/stock/levels&role=intern' });
      const { page } = visitor;
      const cell = (rule: string, state: string) =>
        page.getByRole('gridcell', { name: `intern, ${rule}: ${state}`, exact: true });
      await cell('GET /stock/levels', 'allowed by a wider rule').click();
      const dialog = page.getByRole('dialog', { name: 'intern: allowed by a wider rule' });
      await dialog.getByText('* /stock/*').waitFor();
      await dialog.getByRole('button', { name: 'Keep' }).click();
      await dialog.waitFor({ state: 'detached' });
      await cell('GET /stock/levels', 'allowed by a wider rule').click();
      await dialog.getByRole('button', { name: 'Remove the rule (loses 10 endpoints)' }).waitFor();
      await dialog.getByRole('button', { name: 'Replace it by the other 9' }).click();
      await cell('GET /stock/levels', 'draft: rule removed').waitFor();
      await cell('PUT /stock/levels/:id', 'draft: rule added').waitFor();
      await page.getByText('10 changes in 1 role').first().waitFor();
      await page.keyboard.press('Control+z');
      await cell('PUT /stock/levels/:id', 'allowed by a wider rule').waitFor();
      await cell('GET /stock/levels', 'allowed by a wider rule').click();
      await dialog.getByRole('button', { name: /^Remove the rule/ }).click();
      await cell('DELETE /stock/levels/:id', 'draft: rule removed').click();
      await cell('DELETE /stock/levels/:id', 'draft: rule added').waitFor();
      await page.getByRole('button', { name: 'Review' }).click();
      await page.getByRole('dialog').getByText('9 endpoints lost').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      assert.deepEqual(await readRules(world, 'intern'), ['GET /shop/orders', 'DELETE /stock/levels/:id']);
      await visitor.close();
      return 6;
    },
  },
  {
    title: 'duplicates a role with its rules, and gives and revokes an endpoint',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/roles/2' });
      const { page } = visitor;
      await page.getByRole('button', { name: 'Duplicate' }).click();
      const dialog = page.getByRole('dialog', { name: 'Duplicate Support' });
      await dialog.getByLabel('Key').fill('support-2');
      await dialog.getByRole('button', { name: 'Duplicate' }).click();
      await page.getByRole('heading', { level: 1, name: 'Support (copy)' }).waitFor();
      assert.deepEqual(await readRules(world, 'support-2'), await readRules(world, 'support'));

      await page.goto(`${world.origin}/console/endpoint?service=shop&method=DELETE&path=/shop/refunds/7`);
      await page.getByLabel('Give to role').selectOption({ label: 'Support (copy) (support-2)' });
      await page.getByRole('button', { name: 'Review' }).click();
      await apply(visitor, (target) => target.click());
      const roles = page.getByRole('list', { name: 'Roles that can call it' });
      await roles.getByRole('link', { name: 'Support (copy)' }).waitFor();
      assert.ok(
        (await readRules(world, 'support-2')).includes('DELETE /shop/refunds/:id'),
        'the narrowest rule',
      );
      await page.getByRole('button', { name: 'Remove DELETE /shop/refunds/:id from Support (copy)' }).click();
      await apply(visitor, (target) => target.click());
      assert.deepEqual(await readRules(world, 'support-2'), await readRules(world, 'support'));
      await visitor.close();
      return 4;
    },
  },
];
