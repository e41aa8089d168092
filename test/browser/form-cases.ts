// The forms of departments, roles and users: what they refuse stays open with its reason, what is cancelled changes nothing,
// and what is sent is stored.
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { enterAs, returnAs } from './sign-in.ts';
import type { Visitor } from './visitor.ts';
import type { World } from './world.ts';

interface FormCase {
  readonly title: string;
  readonly run: (world: World) => Promise<number>;
}

async function openMenu({ page }: Visitor, name: string): Promise<void> {
  // On the page of a user some actions have buttons of their own.
  const label = new RegExp(`^(Actions|More actions) for ${name}$`);
  await page.getByRole('button', { name: label }).click();
  await page.getByRole('menu').waitFor();
}

/** Until the dialog has loaded what it shows. */
async function openAction(visitor: Visitor, name: string, action: string): Promise<Locator> {
  await openMenu(visitor, name);
  await visitor.page.getByRole('menuitem', { name: action, exact: true }).click();
  const dialog = visitor.page.getByRole('dialog');
  await dialog.waitFor();
  await visitor.settle();
  return dialog;
}

const buttonOf = (dialog: Locator, name: string) => dialog.getByRole('button', { name, exact: true });

async function send(visitor: Visitor, dialog: Locator, button: string): Promise<void> {
  await buttonOf(dialog, button).click();
  await dialog.waitFor({ state: 'detached' });
  await visitor.settle();
}

async function cancel(dialog: Locator): Promise<void> {
  await buttonOf(dialog, 'Cancel').click();
  await dialog.waitFor({ state: 'detached' });
}

async function listDepartments({ database }: World): Promise<string[]> {
  const rows = await database.query<{ text: string }>(
    `select one.name || ' below ' || coalesce(above.name, 'none') as text
     from departments as one left join departments as above on above.id = one.parent_id
     where one.id >= 1000 or one.name in ('Sales', 'Finance') order by one.name`,
  );
  return rows.map(({ text }) => text);
}

async function readRole({ database }: World, key: string) {
  const [role] = await database.query<{ name: string; scope: string; departments: string | null }>(
    `select name, data_scope as scope, (select string_agg(department_id::text, ' ' order by department_id)
       from role_departments where role_id = roles.id) as departments
     from roles where role_key = $1`,
    [key],
  );
  return role;
}

const treeItem = (page: Page, name: string) => page.getByRole('treeitem', { name, exact: true });
const focused = (page: Page, target: Locator) => target.and(page.locator(':focus')).waitFor();
/** The rows of the tree that Tab leads to. */
const listTabStops = (page: Page) =>
  page
    .locator('[role=treeitem][tabindex="0"]')
    .evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-label')));

export const formCases: readonly FormCase[] = [
  {
    title: 'creates a department below another, renames, moves and deletes it; keeps one in use',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/departments' });
      const { page } = visitor;
      await treeItem(page, 'Sales').waitFor();
      await page.getByRole('button', { name: 'Create department', exact: true }).click();
      const top = page.getByRole('dialog', { name: 'Create department' });
      await top.getByLabel('Name').fill('   ');
      assert.equal(await buttonOf(top, 'Create').isDisabled(), true, 'a department without a name');
      await cancel(top);
      await page.getByRole('button', { name: 'Create department', exact: true }).click();
      await top.getByLabel('Name').fill(' Labs ');
      await send(visitor, top, 'Create');
      await visitor.seeNote('Labs is created.');
      await treeItem(page, 'Labs').waitFor();
      // Only a single one at the top is open without a click.
      assert.equal(await treeItem(page, 'Sales').count(), 0);

      const below = await openAction(visitor, 'Labs', 'Create one below');
      await page.getByRole('dialog', { name: 'Create a department below Labs' }).waitFor();
      await below.getByLabel('Name').fill('Optics');
      await send(visitor, below, 'Create');
      await treeItem(page, 'Optics').waitFor();
      assert.deepEqual(await listDepartments(world), [
        'Finance below Head office',
        'Labs below none',
        'Optics below Labs',
        'Sales below Head office',
      ]);

      const rename = await openAction(visitor, 'Labs', 'Rename');
      await page.getByRole('dialog', { name: 'Rename Labs' }).waitFor();
      assert.equal(await buttonOf(rename, 'Save').isDisabled(), true, 'the same name');
      await rename.getByLabel('Name').fill('');
      assert.equal(await buttonOf(rename, 'Save').isDisabled(), true, 'no name');
      await rename.getByLabel('Name').fill('Research');
      await send(visitor, rename, 'Save');
      await visitor.seeNote('Saved.');

      const move = await openAction(visitor, 'Optics', 'Move');
      await page.getByRole('dialog', { name: 'Move Optics' }).waitFor();
      assert.equal(await buttonOf(move, 'Move').isDisabled(), true, 'the same place');
      assert.equal(await move.getByRole('option', { name: 'Optics' }).count(), 0, 'below itself');
      await move.getByLabel('Below').selectOption('2');
      await send(visitor, move, 'Move');
      await visitor.seeNote('Optics is moved.');
      assert.deepEqual(await listDepartments(world), [
        'Finance below Head office',
        'Optics below Sales',
        'Research below none',
        'Sales below Head office',
      ]);

      await page.goto(`${world.origin}/console/departments?open=1,2`);
      await visitor.settle();
      const used = await openAction(visitor, 'Sales', 'Delete');
      await buttonOf(used, 'Delete').click();
      await used.getByText('It still has users or departments below it.').waitFor();
      await cancel(used);
      for (const name of ['Optics', 'Research']) {
        await send(visitor, await openAction(visitor, name, 'Delete'), 'Delete');
        await visitor.seeNote(`${name} is deleted.`);
        await treeItem(page, name).waitFor({ state: 'detached' });
      }
      // The row with the keyboard focus was removed.
      assert.deepEqual(await listTabStops(page), ['Head office']);
      assert.deepEqual(await listDepartments(world), [
        'Finance below Head office',
        'Sales below Head office',
      ]);
      await visitor.close();
      return 9;
    },
  },
  {
    title: 'reports that another user moved the department meanwhile, and lets the user start again',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/departments' });
      const { page } = visitor;
      const move = await openAction(visitor, 'Finance', 'Move');
      await move.getByLabel('Below').selectOption('2');
      await world.database.query("update departments set parent_id = null where name = 'Finance'");
      await buttonOf(move, 'Move').click();
      const note = move.getByRole('alert').filter({ hasText: 'changed this while you had it open.' });
      await note.getByText('Head office → Nothing: at the top level').waitFor();
      assert.equal(await move.getByLabel('Below').inputValue(), '2', 'what was chosen');
      await note.getByRole('button', { name: 'Begin again' }).click();
      assert.equal(await move.getByLabel('Below').inputValue(), '', 'what is stored');
      await move.getByLabel('Below').selectOption('1');
      assert.equal(await buttonOf(move, 'Move').isDisabled(), true, 'where it was when the form opened');
      await cancel(move);
      const rename = await openAction(visitor, 'Finance', 'Rename');
      await world.database.query("update departments set name = 'Treasury' where name = 'Finance'");
      await rename.getByLabel('Name').fill('Accounts');
      await buttonOf(rename, 'Save').click();
      await rename.getByText('Finance → Treasury').waitFor();
      await rename.getByLabel('Name').fill('Finance');
      await send(visitor, rename, 'Save');
      await world.database.query("update departments set parent_id = 1 where name = 'Finance'");
      await page.reload();
      await treeItem(page, 'Finance').waitFor();
      assert.deepEqual(await listDepartments(world), [
        'Finance below Head office',
        'Sales below Head office',
      ]);
      await visitor.close();
      return 4;
    },
  },
  {
    title: 'arrow keys and letters move in the tree of departments, and Tab reaches one row of it',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/departments' });
      const { page } = visitor;
      const { keyboard } = page;
      await treeItem(page, 'Sales').waitFor();
      assert.deepEqual(await listTabStops(page), ['Head office']);
      await treeItem(page, 'Head office').focus();
      await keyboard.press('ArrowDown');
      await keyboard.press('w');
      await focused(page, treeItem(page, 'Warehouse'));
      assert.deepEqual(await listTabStops(page), ['Warehouse']);
      for (const key of ['Control+Home', 'Alt+Home', 'Meta+Home', 'F2']) {
        await keyboard.press(key);
        await focused(page, treeItem(page, 'Warehouse'));
      }
      await keyboard.press('s');
      await focused(page, treeItem(page, 'Sales'));
      await keyboard.press('ArrowRight');
      await treeItem(page, 'Sales North').waitFor();
      await page.waitForURL(/open=1,2|open=1%2C2/);
      await keyboard.press('ArrowRight');
      await focused(page, treeItem(page, 'Sales North'));
      await keyboard.press('ArrowLeft');
      await focused(page, treeItem(page, 'Sales'));
      await keyboard.press('ArrowLeft');
      await treeItem(page, 'Sales North').waitFor({ state: 'detached' });
      await keyboard.press('Enter');
      await treeItem(page, 'Sales North').waitFor();
      // The actions of the row come next, and their keys are their own.
      await keyboard.press('Tab');
      await focused(page, treeItem(page, 'Sales').getByRole('link'));
      await keyboard.press('ArrowDown');
      await focused(page, treeItem(page, 'Sales').getByRole('link'));
      await keyboard.press('Tab');
      await focused(page, page.getByRole('button', { name: 'Actions for Sales', exact: true }));
      await page.getByRole('button', { name: 'Open or close Sales', exact: true }).click();
      await treeItem(page, 'Sales North').waitFor({ state: 'detached' });
      await visitor.close();
      return 7;
    },
  },
  {
    title: 'creates a role with departments, and rejects a taken or malformed key',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/roles?create=1' });
      const { page } = visitor;
      const create = page.getByRole('dialog', { name: 'Create role' });
      await create.waitFor();
      await page.waitForURL(/\/roles$/);
      const submit = buttonOf(create, 'Create role');
      assert.equal(await submit.isDisabled(), true, 'an empty form');
      await create.getByLabel('Name').fill('Guide');
      assert.equal(await submit.isDisabled(), true, 'no key');
      assert.equal(await create.getByText('Begin with a lowercase letter').count(), 0);
      await create.getByLabel('Key').fill('Guide');
      await create.getByText('Begin with a lowercase letter').waitFor();
      assert.equal(await submit.isDisabled(), true, 'a key with a capital');
      await create.getByLabel('Key').fill('support');
      await create.getByLabel('Name').fill(' ');
      assert.equal(await submit.isDisabled(), true, 'no name');
      await create.getByLabel('Name').fill('Guide');
      await submit.click();
      await create.getByText('This key is taken').waitFor();
      await create.getByLabel('Key').fill('guide');
      await create.getByLabel('Data scope').selectOption('2');
      await create.getByText('None is ticked').waitFor();
      await create.getByLabel('Finance').check();
      await create.getByText('1 chosen').waitFor();
      await create.getByRole('button', { name: 'With all below: Sales' }).click();
      await create.getByText('4 chosen').waitFor();
      await send(visitor, create, 'Create role');
      await visitor.seeNote('Guide is created.');
      assert.deepEqual(await readRole(world, 'guide'), { name: 'Guide', scope: '2', departments: '2 3 4 6' });

      const edit = await openAction(visitor, 'Guide', 'Edit');
      await page.getByRole('dialog', { name: 'Edit Guide' }).waitFor();
      await edit.getByText('4 chosen').waitFor();
      await edit.getByRole('button', { name: 'Without all below: Sales' }).click();
      await send(visitor, edit, 'Save');
      await visitor.seeNote('Saved.');
      assert.deepEqual(await readRole(world, 'guide'), { name: 'Guide', scope: '2', departments: '6' });

      const late = await openAction(visitor, 'Guide', 'Edit');
      await late.getByText('1 chosen').waitFor();
      await world.database.query("update roles set enabled = false where role_key = 'guide'");
      await world.database.query(
        "delete from role_departments where role_id = (select id from roles where role_key = 'guide')",
      );
      await late.getByLabel('Name').fill('Tour guide');
      await late.getByLabel('Data scope').selectOption('4');
      await buttonOf(late, 'Save').click();
      await late.getByText('Enabled → Disabled').waitFor();
      await late.getByText('1 department → 0 departments').waitFor();
      await late.getByLabel('Name').fill('');
      assert.equal(await buttonOf(late, 'Save').isDisabled(), true, 'an edit without a name');
      await late.getByLabel('Name').fill('Tour guide');
      await send(visitor, late, 'Save');
      assert.deepEqual(await readRole(world, 'guide'), { name: 'Tour guide', scope: '4', departments: null });
      await visitor.close();
      return 9;
    },
  },
  {
    title: 'enables a role, shows it in the matrix and with its users, and deletes it without holders',
    async run(world) {
      await world.database.query(
        "insert into roles (role_key, name, data_scope, enabled) values ('porter', 'Porter', '5', false)",
      );
      const visitor = await returnAs(world, 'ada', { at: '/roles' });
      const { page } = visitor;
      const choose = async (action: string) => {
        await openMenu(visitor, 'Porter');
        await page.getByRole('menuitem', { name: action, exact: true }).click();
      };
      await choose('Enable');
      await visitor.seeNote('Porter is enabled.');
      await send(visitor, await openAction(visitor, 'Porter', 'Disable'), 'Disable');
      await visitor.seeNote('Porter is disabled.');
      await choose('Show in the access matrix');
      await page.waitForURL(/\/matrix\?role=porter$/);
      await page.goBack();
      await choose('Show users');
      await page.waitForURL(/\/users\?roleId=\d+$/);
      await page.getByText('No user matches').waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await page.waitForURL(/\/users$/);
      await page.goto(`${world.origin}/console/roles`);
      await visitor.settle();
      const used = await openAction(visitor, 'Support', 'Delete');
      await buttonOf(used, 'Delete').click();
      await used.getByText('Somebody still has this role.').waitFor();
      await cancel(used);

      // The page of the role has the same actions.
      await page.getByRole('link', { name: 'Porter', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Porter' }).waitFor();
      await choose('Show in the access matrix');
      await page.waitForURL(/\/matrix\?role=porter$/);
      await page.goBack();
      await choose('Show users');
      await page.waitForURL(/\/users\?roleId=\d+$/);
      await page.goBack();
      await choose('Enable');
      await page.getByRole('main').getByText('Enabled', { exact: true }).waitFor();
      await send(visitor, await openAction(visitor, 'Porter', 'Delete'), 'Delete');
      assert.equal(await readRole(world, 'porter'), undefined);
      await world.database.query("delete from roles where role_key = 'guide'");
      await visitor.close();
      return 8;
    },
  },
  {
    title: 'creates a user with a mail address or a link, and rejects a wrong or taken name',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/users?roleId=3&create=1' });
      const { page } = visitor;
      const create = page.getByRole('dialog', { name: 'Create user' });
      await create.waitFor();
      await page.waitForURL(/\/users\?roleId=3$/);
      await visitor.settle();
      const submit = buttonOf(create, 'Create user');
      assert.equal(await create.getByLabel('Role').inputValue(), '3', 'the role of the filter');
      await create.getByLabel('Name', { exact: true }).fill('Hana Ito');
      await create.getByLabel('Department').selectOption('3');
      assert.equal(await submit.isDisabled(), true, 'no username');
      await create.getByLabel('Username').fill('_hana');
      await create.getByText('Begin with a letter or a digit').waitFor();
      assert.equal(await submit.isDisabled(), true, 'a misshapen username');
      await create.getByLabel('Username').fill('carl');
      assert.equal(await create.getByText('Begin with a letter or a digit').count(), 0);
      for (const wrong of ['hana', 'ha,na@example.com']) {
        await create.getByLabel('Mail address').fill(wrong);
        await create.getByText('Write it as mei@example.com.').waitFor();
        assert.equal(await submit.isDisabled(), true, wrong);
      }
      await create.getByLabel('Mail address').fill('hana@example.com');
      assert.equal(await create.getByText('Write it as mei@example.com.').count(), 0);
      await submit.click();
      await create.getByText('This username or mail address is taken.').waitFor();
      await create.getByLabel(/^Invite/).check();
      await create.getByLabel('Username').fill('hana');
      // What the service says of links is no word about the name.
      await page.route(
        '**/api/v1/users',
        (route) =>
          route.fulfill({
            contentType: 'application/json',
            body: '{"code":409,"msg":"No links here.","data":null}',
          }),
        { times: 1 },
      );
      await submit.click();
      await create.getByText('No links here.').waitFor();
      await submit.click();
      const link = page.getByRole('dialog', { name: 'Link for hana' });
      assert.match(String(await link.getByRole('code').textContent()), /^https?:\/\//);
      await buttonOf(link, 'Done').click();
      await link.waitFor({ state: 'detached' });
      const [hana] = await world.database.query<{ mail: string; department: string }>(
        "select mail, department_id::text as department from users where username = 'hana'",
      );
      assert.deepEqual(hana, { mail: 'hana@example.com', department: '3' });

      // With a typed password nothing is shown.
      await page.getByRole('button', { name: 'Create user', exact: true }).click();
      await create.getByLabel('Username').fill('ivo');
      await create.getByLabel('Name', { exact: true }).fill('Ivo');
      await create.getByLabel('Department').selectOption('3');
      await create.getByLabel('Password (optional)').fill('nine-lamps-under-the-bridge');
      await submit.click();
      await visitor.seeNote('ivo is created.');
      await create.waitFor({ state: 'detached' });
      assert.equal(await page.getByRole('dialog').count(), 0);

      await page.goto(`${world.origin}/console/users?search=ivo`);
      await page.getByRole('link', { name: 'ivo', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Ivo' }).waitFor();
      const mail = await openAction(visitor, 'ivo', 'Change mail address');
      assert.equal(await buttonOf(mail, 'Save').isDisabled(), false, 'no address');
      await mail.getByLabel('Mail address').fill('ivo@');
      await mail.getByText('Write it as mei@example.com.').waitFor();
      assert.equal(await buttonOf(mail, 'Save').isDisabled(), true, 'half an address');
      await mail.getByLabel('Mail address').fill('hana@example.com');
      await buttonOf(mail, 'Save').click();
      await mail.getByText('Somebody else has this address.').waitFor();
      await mail.getByLabel('Mail address').fill('');
      await send(visitor, mail, 'Save');
      await visitor.seeNote('The mail address is changed.');
      const invite = await openAction(visitor, 'ivo', 'Send a link for a password');
      await buttonOf(invite, 'Make the link').click();
      await buttonOf(page.getByRole('dialog', { name: 'Link for ivo' }), 'Done').click();
      await visitor.close();
      return 12;
    },
  },
  {
    title: 'disables many users at once: reports the already disabled, the failed and the others',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/users?search=clerk5' });
      const { page } = visitor;
      const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
      const rows = page.getByRole('checkbox', { name: /^Select clerk/ });
      await box('clerk50').waitFor();
      assert.equal(await box('clerk54').isEnabled(), true);
      const selectRange = async () => {
        await rows.nth(2).click();
        await rows.nth(4).click({ modifiers: ['Shift'] });
        await page.getByText('3 selected').waitFor();
      };
      await selectRange();
      await page.getByRole('button', { name: 'Clear selection' }).click();
      assert.equal(await page.getByText(/selected$/).count(), 0);
      await page.getByLabel('Select all that are shown').check();
      await page.getByText('11 selected').waitFor();
      await page.getByRole('button', { name: 'Disable', exact: true }).click();
      const ask = page.getByRole('dialog', { name: 'Disable 11 users?' });
      await ask.getByText('One is disabled already and is left as it is.').waitFor();
      await cancel(ask);
      const countDisabled = async () =>
        (
          await world.database.query(
            "select from users where (username = 'clerk5' or username like 'clerk5_') and not enabled",
          )
        ).length;
      assert.equal(await countDisabled(), 1, 'nothing was changed');

      // The second call fails.
      let calls = 0;
      await page.route(/\/users\/\d+\/enabled$/, async (route) => {
        calls += 1;
        if (calls === 2)
          await route.fulfill({
            contentType: 'application/json',
            body: '{"code":500,"msg":"Broken","data":null}',
          });
        else await route.continue();
      });
      await page.getByRole('button', { name: 'Disable', exact: true }).click();
      await buttonOf(ask, 'Disable 10 users').click();
      await ask.getByText('10 of 10').waitFor();
      await ask.getByText('One could not be done:').waitFor();
      assert.equal(await countDisabled(), 10);
      await buttonOf(ask, 'Try the other one').click();
      await ask.waitFor({ state: 'detached' });
      await visitor.seeNote('10 users are disabled.');
      assert.equal(calls, 11, 'who is done is not tried again');
      assert.equal(await countDisabled(), 11);
      await page.getByText('1 selected', { exact: true }).waitFor();
      assert.equal(await box('clerk54').isChecked(), true, 'only who was left as it is stays selected');
      await page.getByRole('button', { name: 'Clear selection' }).click();

      await box('clerk50').check();
      await page.getByRole('button', { name: 'End sessions' }).click();
      const end = page.getByRole('dialog', { name: 'End all sessions of one user?' });
      await buttonOf(end, 'End sessions of one user').click();
      await visitor.seeNote('The sessions of one user have ended.');
      await page.getByLabel('Find by any name').fill('nobody at all');
      await page.getByText('No user matches').waitFor();
      await page.goBack();
      await world.database.query(
        "update users set enabled = true where username like 'clerk5%' and username <> 'clerk54'",
      );
      await visitor.close(/500|Broken/);
      return 9;
    },
  },
  {
    title: 'warns before it ends the user’s own session, and signs all users out only after a typed word',
    async run(world) {
      const visitor = await enterAs(world, 'ada', { at: '/sessions' });
      const { page } = visitor;
      await page.getByRole('button', { name: "End everybody's sessions" }).click();
      const all = page.getByRole('dialog', { name: "End everybody's sessions?" });
      const submit = buttonOf(all, "End everybody's sessions");
      assert.equal(await submit.isDisabled(), true, 'nothing is typed');
      await all.getByLabel(/^Type/).fill('end');
      await page.keyboard.press('Enter');
      assert.equal(await submit.isDisabled(), true, 'half of it is typed');
      await all.getByLabel(/^Type/).fill(' End All ');
      assert.equal(await submit.isDisabled(), false);
      await cancel(all);
      await page.getByRole('button', { name: "End everybody's sessions" }).click();
      assert.equal(await all.getByLabel(/^Type/).inputValue(), '', 'what was typed before');
      await cancel(all);
      const own = page.getByRole('row').filter({ hasText: 'This session' });
      await own.getByRole('button', { name: /^End/ }).click();
      const dialog = page.getByRole('dialog', { name: 'End the session of ada?' });
      await dialog.getByText('This is the session that you are using.').waitFor();
      await buttonOf(dialog, 'End this session').click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await visitor.seeNote('You have ended your session. Sign in again.');
      await visitor.close();
      return 5;
    },
  },
  {
    title: 'keeps a session in the list that could not be ended, and says why',
    async run(world) {
      const dora = await enterAs(world, 'dora');
      const visitor = await returnAs(world, 'ada', { at: '/sessions' });
      const { page } = visitor;
      const row = page.getByRole('row').filter({ hasText: 'dora' }).first();
      await row.getByRole('button', { name: /^End/ }).click();
      const dialog = page.getByRole('dialog', { name: 'End the session of dora?' });
      assert.equal(await dialog.getByText('This is the session that you are using.').count(), 0);
      await page.route(
        /\/sessions\/[^/]+$/,
        (route) =>
          route.fulfill({
            contentType: 'application/json',
            body: '{"code":500,"msg":"Not now","data":null}',
          }),
        { times: 1 },
      );
      await buttonOf(dialog, 'End this session').click();
      await dialog.getByText('Not now').waitFor();
      await buttonOf(dialog, 'End this session').click();
      await dialog.waitFor({ state: 'detached' });
      await visitor.seeNote('The session of dora has ended.');
      await visitor.close(/500|Not now/);
      await dora.context.close();
      return 3;
    },
  },
];
