// The company's directory in the console, on a real slapd: groups become roles as the plan showed, and leavers are signed out.
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { addDirectoryProvider, knownEntry } from '../rig/directory-provider.ts';
import { directoryPassword, dnOf, groupDn, groupEntry, type Slapd, startSlapd } from '../rig/slapd.ts';
import { waitUntilIn } from './errands.ts';
import { enterAs, fillSignIn, returnAs } from './sign-in.ts';
import { openVisitor } from './visitor.ts';
import { focused, look, phone, press } from './ways.ts';
import type { World } from './world.ts';

interface DirectoryCase {
  readonly title: string;
  readonly run: (world: World) => Promise<number>;
}

const name = 'Acme directory';
const linked = ['carl', 'dora', 'emil', 'farid', 'gina', 'mei'];
const dialog = '[role="dialog"]';

/** With everybody but mei, who has left; gina's account there is over. */
export async function startDirectory(): Promise<Slapd> {
  const expired = { shadowExpire: '1' };
  const entries = ['carl', 'dora', 'emil', 'farid'].map((uid) => knownEntry(uid));
  const slapd = await startSlapd({ entries: [...entries, knownEntry('gina', expired)] });
  await slapd.add(
    groupEntry('bosses', [dnOf('carl')]),
    groupEntry('trainees', [dnOf('dora')]),
    groupEntry('sellers', [dnOf('emil')]),
  );
  return slapd;
}

export function directoryCases(slapd: Slapd): readonly DirectoryCase[] {
  let at = '';
  return [
    {
      title: 'maps groups to roles: ordered with keys, previewed on the real directory, and applied as shown',
      async run(world) {
        const { database } = world;
        await database.query("update roles set enabled = true where role_key = 'intern'");
        const id = await addDirectoryProvider(database, slapd, { key: 'company', name, linked });
        at = `/providers/${id}`;
        const visitor = await enterAs(world, 'ada', { at: '/providers' });
        const { page } = visitor;
        await page.getByRole('link', { name, exact: true }).click();
        await page.getByRole('heading', { level: 1, name }).waitFor();
        await page.getByText('No group gives a role yet.').waitFor();
        await look(visitor, 'a directory without mappings');

        await page.getByRole('radio', { name: /Groups, always/ }).check();
        await addMapping(page, { group: groupDn('sellers'), role: 'Sales', department: 'Finance' });
        await addMapping(page, { group: groupDn('bosses'), role: 'Administrator' });
        await press(page, 'Add a group');
        await rowsOf(page).nth(2).getByLabel('Group').and(focused(page)).waitFor();
        await press(page, 'See who changes');
        await page.getByRole('alert').filter({ hasText: 'Name a group, or remove the row.' }).waitFor();
        await rowsOf(page).nth(2).getByLabel('Group').and(focused(page)).waitFor();
        await look(visitor, 'a mapping that lacks something');
        await fillMapping(rowsOf(page).nth(2), { group: groupDn('trainees'), role: 'Intern' });
        await orderByKeys(page);

        await press(page, 'See who changes');
        const shown = page.getByRole('dialog', { name: 'Who changes' });
        await shown.getByText('6 of 6 linked people change.').waitFor();
        assert.deepEqual(await peopleIn(shown), {
          '3 locked out': [
            'farid: in no group that gives a role',
            'gina: disabled in the directory',
            'mei: not in the directory any more',
          ],
          '1 loses': ['dora: Role: Sales → Intern'],
          '1 changes otherwise': ['emil: Role: Warehouse → Sales · Department: Warehouse → Finance'],
          '1 gains': ['carl: Role: Sales → Administrator'],
        });
        await look(visitor, 'who changes', dialog);

        await slapd.replace(groupDn('trainees'), 'member', [dnOf('dora'), dnOf('farid')]);
        await shown.getByRole('button', { name: 'Apply exactly this' }).click();
        await shown.getByRole('alert').filter({ hasText: 'Nothing was applied' }).waitFor();
        assert.deepEqual(await database.query('select from provider_mappings'), []);
        await look(visitor, 'a directory that changed meanwhile', dialog);
        await shown.getByRole('button', { name: 'Look again' }).click();
        await shown.getByRole('heading', { name: '2 locked out' }).waitFor();
        assert.equal((await rolesOf(world)).carl, 'sales', 'a plan that was not applied moves no user');
        await shown.getByRole('button', { name: 'Apply exactly this' }).click();
        await visitor.seeNote('In force on every instance.');
        await shown.waitFor({ state: 'detached' });
        const { carl, dora, emil } = await rolesOf(world);
        assert.deepEqual([carl, dora, emil], ['admin', 'intern', 'sales']);

        await page.reload();
        await visitor.settle();
        assert.ok(await page.getByRole('radio', { name: /Groups, always/ }).isChecked());
        assert.deepEqual(await groupsOf(page), ['bosses', 'trainees', 'sellers'].map(groupDn));
        await look(visitor, 'a directory with mappings');
        await visitor.close();
        return 9;
      },
    },
    {
      title: 'refuses admin for all people, marks a row that never applies, and keeps a draft',
      async run(world) {
        const visitor = await returnAs(world, 'ada', { at });
        const { page } = visitor;
        await rowsOf(page).nth(0).getByLabel('Group').fill('*');
        await rowsOf(page).nth(0).getByText('Everybody never becomes administrator.').waitFor();
        await rowsOf(page).nth(1).getByText('It never counts').waitFor();
        await press(page, 'See who changes');
        assert.equal(await page.getByRole('dialog').count(), 0);
        await page.getByRole('link', { name: 'All providers' }).click();
        await page
          .getByRole('dialog', { name: 'Leave without applying?' })
          .getByRole('button', { name: 'Stay' })
          .click();
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await rowsOf(page).nth(0).getByLabel('Group').fill('sales');
        await press(page, 'See who changes');
        await page.getByText('A group is not written as a distinguished name').waitFor();
        await press(page, 'Back to the draft');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await press(page, 'Discard');
        assert.equal(await rowsOf(page).nth(0).getByLabel('Group').inputValue(), groupDn('bosses'));
        await visitor.close();
        return 5;
      },
    },
    {
      title: 'reports a directory that does not answer, and changes nothing',
      async run(world) {
        const visitor = await returnAs(world, 'ada', { at });
        const { page } = visitor;
        slapd.freeze();
        try {
          await press(page, 'See who changes');
          await page.getByText('The provider does not answer').waitFor();
          await press(page, 'Back to the draft');
          await page.getByRole('dialog').waitFor({ state: 'detached' });
          await page.getByText('Nothing is changed yet.').waitFor();
        } finally {
          slapd.thaw();
        }
        await visitor.close(/503/);
        return 1;
      },
    },
    {
      title: 'ends the session of a leaver at once, and counts it (zh, dark, a phone)',
      async run(world) {
        const emil = await openVisitor(world);
        await emil.page.goto(`${world.origin}/console/sign-in`);
        await fillSignIn(emil, { username: 'emil', password: directoryPassword });
        await waitUntilIn(emil);
        await emil.settle();
        const visitor = await enterAs(world, 'ada', { at, language: 'zh', theme: 'dark', ...phone });
        const { page } = visitor;
        slapd.freeze();
        await press(page, '立即重新检查所有人');
        await page.getByRole('alert').filter({ hasText: '提供方没有应答' }).waitFor().finally(slapd.thaw);
        await slapd.remove(dnOf('emil'));
        await press(page, '立即重新检查所有人');
        await page.getByText('已查找 1 位有会话的人').waitFor();
        const counted = page.locator('dl').filter({ hasText: '已不在目录中' });
        assert.deepEqual(await counted.locator('dd').allInnerTexts(), ['1', '0', '0', '0']);
        await look(visitor, 'a directory in Chinese on a phone');
        await emil.page.reload();
        await emil.page.waitForURL(({ pathname }) => pathname.endsWith('/sign-in'));
        await emil.settle();
        await emil.close(/401|Failed to load resource/);
        await press(page, '查看谁会变化');
        await page.getByRole('heading', { name: '3 人无法再登录' }).waitFor();
        await look(visitor, 'who changes, in Chinese on a phone', dialog);
        await visitor.close(/503/);
        return 5;
      },
    },
  ];
}

interface NewMapping {
  readonly group: string;
  readonly role: string;
  readonly department?: string;
}

const rowsOf = (page: Page) => page.locator('main form ol > li');

async function groupsOf(page: Page): Promise<string[]> {
  const fields = await rowsOf(page).getByLabel('Group').all();
  return await Promise.all(fields.map((field) => field.inputValue()));
}

async function addMapping(page: Page, mapping: NewMapping): Promise<void> {
  const before = await rowsOf(page).count();
  await press(page, 'Add a group');
  await fillMapping(rowsOf(page).nth(before), mapping);
}

async function fillMapping(row: Locator, { group, role, department }: NewMapping): Promise<void> {
  await row.getByLabel('Group').fill(group);
  await row.getByLabel('Role').selectOption({ label: role });
  if (department === undefined) return;
  const option = row.getByLabel('Department').locator('option').filter({ hasText: department });
  await row.getByLabel('Department').selectOption((await option.first().getAttribute('value')) ?? '');
}

/** The first goes to the end; what was pressed keeps the focus, and at the end what is left of it. */
async function orderByKeys(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Move mapping 1 down' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Move mapping 2 down' }).and(focused(page)).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Move mapping 3 up' }).and(focused(page)).waitFor();
  assert.deepEqual(await groupsOf(page), ['bosses', 'trainees', 'sellers'].map(groupDn));
}

/** By the heading above them. */
async function peopleIn(shown: Locator): Promise<Record<string, string[]>> {
  const sections = await shown.locator('section').all();
  const named = sections.map(async (section) => {
    const people = await section.getByRole('listitem').all();
    const lines = people.map(async (person) => {
      const parts = [person.getByRole('link'), person.locator('span')].map((part) => part.textContent());
      return (await Promise.all(parts)).join(': ');
    });
    return [
      ((await section.getByRole('heading').textContent()) ?? '').trim(),
      (await Promise.all(lines)).sort(),
    ] as const;
  });
  return Object.fromEntries(await Promise.all(named));
}

async function rolesOf({ database }: World): Promise<Record<string, string>> {
  const rows = await database.query<{ username: string; role_key: string }>(
    'select username, role_key from users join roles on roles.id = role_id where username = any($1)',
    [linked],
  );
  return Object.fromEntries(rows.map(({ username, role_key }) => [username, role_key]));
}
