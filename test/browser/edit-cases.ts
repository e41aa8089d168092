// Two people at the same record, a session that ends in the middle of work, and where the focus is afterwards.
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { openPage, toggleCell } from './errands.ts';
import { enterAs, fillSignIn, returnAs } from './sign-in.ts';
import type { Visitor } from './visitor.ts';
import type { World } from './world.ts';

interface EditCase {
  readonly title: string;
  run(world: World): Promise<number>;
}

/** A second administrator. */
async function hireBo({ database }: World): Promise<void> {
  await database.query(
    `insert into users (username, canonical_username, nick_name, role_id, department_id, password_hash)
     select 'bo', 'bo', 'Bo', role_id, department_id, password_hash from users where username = 'ada'
     on conflict do nothing`,
  );
}

const actionsOf = (page: Page, name: string) =>
  page.getByRole('button', { name: `Actions for ${name}`, exact: true });

/** Until it has loaded its data: a later change by another user is a concurrent change. */
async function openAction(visitor: Visitor, name: string, action: string): Promise<Locator> {
  const { page } = visitor;
  await actionsOf(page, name).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  await visitor.settle();
  return dialog;
}

async function save(visitor: Visitor, dialog: Locator, button = 'Save'): Promise<void> {
  await dialog.getByRole('button', { name: button, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await visitor.settle();
}

async function readRole({ database }: World, key: string) {
  const [role] = await database.query<{ name: string; data_scope: string }>(
    'select name, data_scope from roles where role_key = $1',
    [key],
  );
  return role;
}

/** As another tab would: by the cookie, behind the back of the page. */
const endOwnSession = `fetch('/api/v1/logout', { method: 'POST', headers: { 'x-requested-with': 'XMLHttpRequest' } })
  .then((answer) => answer.json()).then(({ code }) => code)`;
const cell = 'auditor, DELETE /stock/levels/:id';

async function draftAndLoseSession(visitor: Visitor): Promise<void> {
  const { page } = visitor;
  await toggleCell(visitor, cell, ['not allowed', 'draft: rule added']);
  assert.equal(await page.evaluate(endOwnSession), 200, 'the end of the session');
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByText('Your session has ended.').waitFor();
}

export const editCases: readonly EditCase[] = [
  {
    title: 'a rename does not undo a colleague’s concurrent change, and shows that change',
    async run(world) {
      await hireBo(world);
      const [ada, bo] = [
        await returnAs(world, 'ada', { at: '/roles' }),
        await returnAs(world, 'bo', { at: '/roles' }),
      ];
      const mine = await openAction(ada, 'Auditor', 'Edit');
      const theirs = await openAction(bo, 'Auditor', 'Edit');
      await theirs.getByLabel('Data scope').selectOption('5');
      await save(bo, theirs);
      await mine.getByLabel('Name').fill('Reader');
      await mine.getByRole('button', { name: 'Save', exact: true }).click();
      const note = mine.getByRole('alert').filter({ hasText: 'bo changed this while you had it open.' });
      await note.getByText('All data → Own rows only').waitFor();
      assert.deepEqual(await readRole(world, 'auditor'), { name: 'Auditor', data_scope: '5' });
      assert.equal(await mine.getByLabel('Data scope').inputValue(), '5', 'what was not touched follows');
      await save(ada, mine);
      assert.deepEqual(await readRole(world, 'auditor'), { name: 'Reader', data_scope: '5' });
      // Begin again lets go of what was typed.
      const again = await openAction(ada, 'Reader', 'Edit');
      await world.database.query("update roles set name = 'Auditor' where role_key = 'auditor'");
      await again.getByLabel('Name').fill('Watcher');
      await again.getByRole('button', { name: 'Save', exact: true }).click();
      await again.getByText('Saving replaces it by what you entered.').waitFor();
      await again.getByRole('button', { name: 'Begin again' }).click();
      assert.equal(await again.getByLabel('Name').inputValue(), 'Auditor');
      await save(ada, again);
      await ada.close();
      await bo.close();
      return 5;
    },
  },
  {
    title: 'forms of users and departments send only changed fields',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/users?search=carl' });
      const { page } = visitor;
      const sent: unknown[] = [];
      page.on('request', (request) => {
        if (request.method() === 'PUT') sent.push(request.postDataJSON());
      });
      const user = await openAction(visitor, 'carl', 'Edit');
      await user.getByLabel('Name').fill('Carl J.');
      await save(visitor, user);
      await openPage(visitor, 'Departments');
      const department = await openAction(visitor, 'Finance', 'Rename');
      await department.getByLabel('Name').fill('Accounts');
      await world.database.query("update departments set parent_id = 2 where name = 'Finance'");
      await department.getByRole('button', { name: 'Save', exact: true }).click();
      await department.getByText('Head office → Sales').waitFor();
      await save(visitor, department);
      const names = sent.map((body) => Object.keys(body as object).join(' '));
      assert.deepEqual(names, ['name ifRevision', 'name ifRevision', 'name ifRevision']);
      await world.database.query(
        "update departments set parent_id = 1, name = 'Finance' where name = 'Accounts'",
      );
      await visitor.close();
      return 2;
    },
  },
  {
    title: 'keeps the draft of the matrix after the end of the session, only for its author',
    async run(world) {
      await hireBo(world);
      const visitor = await enterAs(world, 'ada', { at: '/matrix' });
      const { page } = visitor;
      await draftAndLoseSession(visitor);
      await fillSignIn(visitor, { username: 'bo' });
      await page.getByRole('grid').waitFor();
      await visitor.settle();
      assert.equal(await page.getByRole('button', { name: 'Review' }).count(), 0, "another person's draft");
      await draftAndLoseSession(visitor);
      await fillSignIn(visitor, { username: 'bo' });
      await page.getByRole('region', { name: 'Draft' }).getByText('1 change in 1 role').waitFor();
      await page.getByLabel('Search').fill('/stock/levels/:id');
      await page.getByRole('gridcell', { name: `${cell}: draft: rule added` }).waitFor();
      await visitor.close();
      return 2;
    },
  },
  {
    title: 'the focus returns to the menu of the row, after Escape and after a change',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/users?search=emil' });
      const { page } = visitor;
      const expectFocus = (name: string) => actionsOf(page, name).and(page.locator(':focus')).waitFor();
      for (const action of ['Edit', 'Disable']) {
        const dialog = await openAction(visitor, 'emil', action);
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
        await expectFocus('emil');
      }
      const edit = await openAction(visitor, 'emil', 'Edit');
      await edit.getByLabel('Name').fill('Emil B.');
      await save(visitor, edit);
      await expectFocus('emil');
      const reset = await openAction(visitor, 'emil', 'Reset password');
      await reset.getByRole('button', { name: 'Reset password' }).click();
      await page.getByRole('button', { name: 'Done' }).click();
      await expectFocus('emil');
      await openPage(visitor, 'Departments');
      const rename = await openAction(visitor, 'Warehouse', 'Rename');
      await page.keyboard.press('Escape');
      await rename.waitFor({ state: 'detached' });
      await expectFocus('Warehouse');
      await visitor.close();
      return 5;
    },
  },
];
