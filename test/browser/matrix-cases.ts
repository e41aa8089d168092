// The matrix by mouse and by keys: groups, ranges, rules with an end, and rules from a file.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { returnAs } from './sign-in.ts';
import type { World } from './world.ts';

interface MatrixCase {
  readonly title: string;
  readonly run: (world: World) => Promise<number>;
}

async function readRules({ database }: World, roleKey: string): Promise<string[]> {
  const rows = await database.query<{ rule: string }>(
    `select method || ' ' || path as rule from rules where role_id = (select id from roles where role_key = $1)
     order by path, method`,
    [roleKey],
  );
  return rows.map(({ rule }) => rule);
}

const cellsOf = (page: Page) => (name: string, state: string | RegExp) =>
  page.getByRole('gridcell', {
    name: typeof state === 'string' ? `${name}: ${state}` : state,
    exact: typeof state === 'string',
  });
const nameOfFocus = 'document.activeElement.ariaLabel';
const status = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();

export const matrixCases: readonly MatrixCase[] = [
  {
    title: 'allows a group of endpoints with one click, and undoes it as one step',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/matrix?q=refunds&role=sales' });
      const { page } = visitor;
      const box = (count: number) =>
        page.getByRole('checkbox', { name: `sales, shop / Refunds: ${count} of 5 allowed` });
      assert.equal(await box(0).getAttribute('aria-checked'), 'false');
      await cellsOf(page)('sales, GET /shop/refunds', 'not allowed').click();
      assert.equal(await box(1).getAttribute('aria-checked'), 'mixed');
      await box(1).click();
      assert.equal(await box(5).getAttribute('aria-checked'), 'true');
      await status(page, '5 changes in 1 role');
      await page.getByRole('button', { name: 'Undo' }).click();
      await status(page, '1 change in 1 role');
      assert.equal(await box(1).getAttribute('aria-checked'), 'mixed');
      // All, and none again: the draft is what it was at first.
      await box(1).click();
      await box(5).click();
      await box(0).waitFor();
      assert.equal(await page.getByRole('region', { name: 'Draft' }).count(), 0);
      await visitor.close();
      return 6;
    },
  },
  {
    title: 'a group that wider rules allow asks once, by keys alone',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/matrix?q=levels&role=warehouse' });
      const { page } = visitor;
      const group = page.getByRole('checkbox', { name: 'warehouse, stock / Levels: 5 of 5 allowed' });
      await group.waitFor();
      await cellsOf(page)('warehouse, GET /stock/levels', 'allowed by a wider rule').focus();
      await page.getByRole('grid').locator('[tabindex="0"]').first().focus();
      await page.keyboard.press('Control+Home');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowRight');
      assert.equal(await page.evaluate<string>(nameOfFocus), 'warehouse, stock / Levels: 5 of 5 allowed');
      await page.keyboard.press('Space');
      const dialog = page.getByRole('dialog', { name: 'warehouse: allowed by a wider rule' });
      await dialog.getByText('* /stock/*').waitFor();
      await dialog.getByRole('button', { name: 'Remove the rule (loses 10 endpoints)' }).waitFor();
      await dialog.getByRole('button', { name: 'Replace it by the other 5' }).focus();
      await page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'detached' });
      await status(page, '6 changes in 1 role');
      await page.getByRole('checkbox', { name: 'warehouse, stock / Levels: 0 of 5 allowed' }).waitFor();
      await page.keyboard.press('Control+z');
      await group.waitFor();
      assert.equal(await page.getByRole('region', { name: 'Draft' }).count(), 0);
      await visitor.close();
      return 5;
    },
  },
  {
    title: 'a range is selected with Shift, by mouse and by keys, and set as a whole',
    async run(world) {
      const at = '/matrix?q=/shop/invoices&role=sales&role=support';
      const visitor = await returnAs(world, 'ada', { at });
      const { page } = visitor;
      const cell = cellsOf(page);
      const selected = page.locator('[role="gridcell"][aria-selected="true"]');
      await cell('support, GET /shop/invoices', 'not allowed').click();
      await cell('sales, GET /shop/invoices/:id', 'not allowed').click({ modifiers: ['Shift'] });
      await status(page, 'selected');
      const width = await page.getByRole('columnheader').count();
      assert.equal(width, 3);
      const many = await selected.count();
      assert.ok(many >= 4, `${many} cells are selected`);
      await page
        .getByRole('region', { name: 'Selection' })
        .getByRole('button', { name: 'Allow', exact: true })
        .click();
      await cell('sales, GET /shop/invoices/:id', 'draft: rule added').waitFor();
      await cell('support, GET /shop/invoices', 'draft: rule added').waitFor();
      // Inside the range a click sets all of it; it is all allowed, so none is.
      await cell('sales, GET /shop/invoices', 'draft: rule added').click();
      await cell('support, GET /shop/invoices', 'not allowed').waitFor();
      await page.keyboard.press('Escape');
      assert.equal(await selected.count(), 0);

      await cell('support, GET /shop/invoices', 'not allowed').focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowUp');
      const from = await page.evaluate<string>(nameOfFocus);
      await page.keyboard.press('Shift+ArrowDown');
      await page.keyboard.press('Shift+ArrowDown');
      await status(page, '3 endpoints of 1 role selected, 3 cells can be changed');
      assert.equal(await selected.count(), 3);
      await page.keyboard.press('Space');
      await status(page, '3 changes in 1 role');
      await page.getByRole('gridcell', { name: from.replace('not allowed', 'draft: rule added') }).waitFor();
      await page.keyboard.press('Control+z');
      await page.getByRole('gridcell', { name: from, exact: true }).waitFor();
      assert.equal(await page.getByRole('region', { name: 'Draft' }).count(), 0);
      await visitor.close();
      return 7;
    },
  },
  {
    title: 'shows the end of a temporary rule, and asks before a click makes it permanent',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/roles/2' });
      const { page } = visitor;
      await page.getByLabel('Give a rule for a while').fill('POST /shop/customers');
      await page.getByRole('button', { name: 'Give', exact: true }).click();
      const rules = page.getByRole('list', { name: 'For a while' });
      await rules
        .getByRole('button', { name: 'Endpoints of POST /shop/customers: covers 1 endpoint' })
        .waitFor();
      await page.goto(`${world.origin}/console/matrix?q=/shop/customers&role=support`);
      const timed = cellsOf(page)(
        '',
        /^support, POST \/shop\/customers: allowed for a while, until .*\d\d:\d\d/,
      );
      await timed.click();
      const dialog = page.getByRole('dialog', { name: 'support: allowed for a while' });
      await dialog.getByText('POST /shop/customers').first().waitFor();
      await dialog.getByRole('button', { name: 'Leave it as it is' }).click();
      await dialog.waitFor({ state: 'detached' });
      assert.equal(await page.getByRole('region', { name: 'Draft' }).count(), 0);
      await timed.click();
      await dialog.getByRole('button', { name: 'Draft a rule without an end' }).click();
      await cellsOf(page)('support, POST /shop/customers', 'draft: rule added').waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await timed.waitFor();
      await page.goto(`${world.origin}/console/endpoint?service=shop&method=POST&path=/shop/customers`);
      const role = page
        .getByRole('list', { name: 'Roles that can call it' })
        .getByRole('listitem')
        .filter({ hasText: 'Support' });
      await role.getByText('until').waitFor();
      assert.equal(await role.getByRole('button').count(), 0, 'no Remove for a temporary rule');
      await visitor.close();
      return 5;
    },
  },
  {
    title: 'compares rules from a file before it sends them, and names the line of a malformed rule',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/matrix' });
      const { page } = visitor;
      const before = await readRules(world, 'auditor');
      await page.getByRole('button', { name: 'Import rules' }).click();
      const dialog = page.getByRole('dialog', { name: 'Import rules from a file' });
      const choose = (name: string, text: string) =>
        dialog
          .locator('input[type="file"]')
          .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
      await choose('policy.csv', 'p, auditor, /shop/refunds, POST\np, auditor, refunds, GET\n');
      await dialog.getByText('Line 2').waitFor();
      assert.ok(await dialog.getByRole('button', { name: 'Review' }).isDisabled(), 'nothing to review');
      await choose('rules.json', '[{"roleKey":"nobody","method":"GET","path":"/shop/refunds"}]');
      await dialog.getByText('These roles do not exist or take no rules: nobody.').waitFor();
      await choose('policy.csv', 'p, auditor, /shop/refunds, POST\n');
      await dialog.getByText('1 rule of 1 role').waitFor();
      await dialog.getByLabel('Also remove the rules').check();
      await dialog.getByRole('button', { name: 'Review' }).click();
      const review = page.getByRole('dialog', { name: 'Review the changes' });
      await review.getByText('1 endpoint gained').waitFor();
      await review.getByText(/endpoints lost/).waitFor();
      assert.deepEqual(await readRules(world, 'auditor'), before, 'before Apply');
      await review.getByRole('button', { name: 'Apply' }).click();
      await review.waitFor({ state: 'detached' });
      assert.deepEqual(await readRules(world, 'auditor'), ['POST /shop/refunds']);
      await page.goto(`${world.origin}/console/endpoint?service=shop&method=POST&path=/shop/refunds`);
      const history = page.getByRole('list', { name: 'Changes of rules that cover it' });
      await history.getByText('POST /shop/refunds').first().waitFor();
      await visitor.close();
      return 6;
    },
  },
];
