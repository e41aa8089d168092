// What people do on the pages, by the names that they and screen readers see.
import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { Visitor } from './visitor.ts';

const mostLooks = 200;

export async function openPage(visitor: Visitor, name: string): Promise<void> {
  await visitor.page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
  await visitor.page.getByRole('heading', { level: 1, name }).waitFor();
  await visitor.settle();
}

const ownMenu = /: your menu$|：个人菜单$/;

/** After the login, the name is a menu. */
export async function waitUntilIn({ page }: Visitor): Promise<void> {
  await page.getByRole('button', { name: ownMenu }).waitFor();
}

/** In the menu at the own name. */
export async function chooseOwn({ page }: Visitor, name: string): Promise<void> {
  await page.getByRole('button', { name: ownMenu }).click();
  await page.getByRole('menuitem', { name, exact: true }).click();
  await page.getByRole('menu').waitFor({ state: 'detached' });
}

/** The pages in the side bar. */
export async function listLinks({ page }: Visitor): Promise<string[]> {
  const names = await page.getByRole('navigation').getByRole('link').allInnerTexts();
  return names.map((name) => name.trim());
}

async function expectTexts(place: Locator, texts: readonly string[]): Promise<void> {
  for (const text of texts) await place.getByText(text).first().waitFor();
}

export async function createRole(visitor: Visitor, role: { key: string; name: string }): Promise<void> {
  const { page } = visitor;
  await openPage(visitor, 'Roles');
  await page.getByRole('button', { name: 'Create role' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create role' });
  await dialog.getByLabel('Key').fill(role.key);
  await dialog.getByLabel('Name').fill(role.name);
  await dialog.getByRole('button', { name: 'Create role' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('row').filter({ hasText: role.key }).waitFor();
}

interface NewUser {
  readonly username: string;
  readonly name: string;
  readonly department: string;
  readonly role: string;
}

/** Gives the password that was made. */
export async function createUser(visitor: Visitor, user: NewUser): Promise<string> {
  const { page } = visitor;
  await openPage(visitor, 'Users');
  await page.getByRole('button', { name: 'Create user' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create user' });
  await visitor.settle();
  await dialog.getByLabel('Username').fill(user.username);
  await dialog.getByLabel('Name', { exact: true }).fill(user.name);
  await select(dialog.getByLabel('Department'), user.department);
  await select(dialog.getByLabel('Role'), user.role);
  await dialog.getByRole('button', { name: 'Create user' }).click();
  const shown = page.getByRole('dialog', { name: `Password of ${user.username}` });
  const password = ((await shown.getByRole('code').textContent()) ?? '').trim();
  assert.ok(password.length >= 12, 'the length of the password');
  await shown.getByRole('button', { name: 'Done' }).click();
  await shown.waitFor({ state: 'detached' });
  return password;
}

/** Of the first department and role that are offered. */
export async function createServiceAccount(
  visitor: Visitor,
  { username, name }: Pick<NewUser, 'username' | 'name'>,
): Promise<void> {
  const { page } = visitor;
  await openPage(visitor, 'Users');
  await page.getByRole('button', { name: 'Create user' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create user' });
  await visitor.settle();
  await dialog.getByLabel('Username').fill(username);
  await dialog.getByLabel('Name', { exact: true }).fill(name);
  await dialog.getByLabel('Department').selectOption({ index: 1 });
  await dialog.getByLabel('Role').selectOption({ index: 1 });
  await dialog.getByLabel(/^A service account/).check();
  await dialog.getByRole('button', { name: 'Create user' }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** By the text of the choice, which may be indented to show a tree. */
async function select(field: Locator, name: string): Promise<void> {
  const option = field.getByRole('option', { name, exact: true });
  await field.selectOption({ value: (await option.getAttribute('value')) ?? '' });
}

export async function changePassword(
  { page }: Visitor,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await page.getByLabel('Current password').fill(from);
  await page.getByLabel('New password', { exact: true }).fill(to);
  await page.getByLabel('New password, once more').fill(to);
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
}

/** A cell of the matrix, found by a search for its path. */
export async function toggleCell(
  visitor: Visitor,
  cell: string,
  [before, after]: readonly [string, string],
): Promise<void> {
  const { page } = visitor;
  await page.getByLabel('Search').fill(cell.split(' ').at(-1) ?? '');
  await page.getByRole('gridcell', { name: `${cell}: ${before}` }).click();
  await page.getByRole('gridcell', { name: `${cell}: ${after}` }).waitFor();
}

export async function applyDraft(visitor: Visitor, texts: readonly string[]): Promise<void> {
  const { page } = visitor;
  await page.getByRole('button', { name: 'Review' }).click();
  const dialog = page.getByRole('dialog', { name: 'Review the changes' });
  await expectTexts(dialog, texts);
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await dialog.waitFor({ state: 'detached' });
  await visitor.seeNote(/In force on every instance|The other instances follow/);
  await visitor.settle();
}

/** What the page says about a GET, as text. */
export async function explain(
  visitor: Visitor,
  { who, named, path }: { who: string; named: string; path: string },
): Promise<string> {
  const { page } = visitor;
  await openPage(visitor, 'Explain');
  await page.getByRole('combobox', { name: 'Role or user' }).fill(who);
  await page.getByRole('option').filter({ hasText: named }).click();
  await page.getByLabel('Path').fill(path);
  await page.getByRole('main').getByRole('button', { name: 'Explain' }).click();
  await page.getByRole('heading', { name: /Allowed|Denied/ }).waitFor();
  await visitor.settle();
  return (await page.getByRole('main').allInnerTexts()).join('\n');
}

export async function endSession(visitor: Visitor, username: string): Promise<void> {
  const { page } = visitor;
  await openPage(visitor, 'Sessions');
  await page
    .getByRole('button', { name: `End the session of ${username}`, exact: true })
    .first()
    .click();
  const dialog = page.getByRole('dialog', { name: `End the session of ${username}?` });
  await dialog.getByRole('button', { name: 'End this session' }).click();
  await dialog.waitFor({ state: 'detached' });
  await visitor.seeNote(`The session of ${username} has ended.`);
}

/** The results of one user's records, newest first, as soon as there are so many: a record is stored after the answer. */
export async function readLog(visitor: Visitor, username: string, count: number): Promise<string[]> {
  const { page } = visitor;
  await openPage(visitor, 'Login log');
  await page.getByRole('button', { name: 'Add filter' }).click();
  await page.getByRole('menuitem', { name: 'Username' }).click();
  const form = page.getByRole('form', { name: 'Filters' });
  await form.getByLabel('Username').fill(username);
  await form.getByRole('button', { name: 'Apply' }).click();
  await page.waitForURL(/username=/);
  await visitor.settle();
  const rows = page.getByRole('table', { name: 'Login log' }).getByRole('row');
  for (let look = 1; look < mostLooks && (await rows.count()) <= count; look += 1) {
    await page.reload();
    await visitor.settle();
  }
  const texts = await rows.allInnerTexts();
  const known = ['Signed in', 'Signed out', 'Wrong username or password', 'Wrong captcha'];
  return texts.slice(1).map((text) => known.find((result) => text.includes(result)) ?? text);
}
