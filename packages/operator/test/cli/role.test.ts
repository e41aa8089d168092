// `portcullis role` on a real database.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFreshDatabase, type FreshDatabase } from '../../../server/test/fresh-database.ts';
import { seedDirectory } from '../../../server/test/seed-directory.ts';
import { performCommand } from './perform-command.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
});
afterAll(() => database.drop());

const run = (...command: string[]) => performCommand(['role', ...command], { url: database.url });

it.each([
  ['a key that reads like admin', ['create', 'adm1n'], 1, 'looks like admin'],
  [
    'a key that is none',
    ['create', 'Clerk!'],
    64,
    'The role key is not accepted. Lowercase letters, digits, `_` and `-`, beginning with a letter; at most 32',
  ],
  [
    'a name that is none',
    ['create', 'clerk', '--name', 'Clerk\n'],
    64,
    'The name is not accepted. At most 64 characters: no control characters',
  ],
  ['a scope that is none', ['create', 'clerk', '--data-scope', '6'], 64, 'Allowed choices are 1, 2, 3, 4, 5'],
  ['scope 2 without departments', ['data-scope', 'editor', '2'], 1, 'give --department'],
  ['the role admin', ['disable', 'admin'], 1, 'stays as it is'],
  ['a role that users have', ['delete', 'editor', '--yes'], 1, 'portcullis user list --role editor'],
  ['a deletion without a terminal for the question', ['delete', 'former'], 64, 'give --yes'],
])('%s is refused with what to do', async (_what, command, code, reason) => {
  const ended = await run(...command);
  expect(ended).toMatchObject({ code, stdout: '' });
  expect(ended.stderr).toContain(reason);
  expect(ended.stderr).not.toMatch(/pattern|\^/);
});

it('a role is created, scoped, disabled, enabled, shown and deleted', async () => {
  expect((await run('create', 'clerk', '--name', 'Clerk')).stdout).toMatch(
    /^clerk is created\. The instances/,
  );
  const scoped = await run('data-scope', 'clerk', '2', '--department', 'Department 2', '--department', '3');
  expect(scoped.stdout).toMatch(/^clerk has data scope 2, chosen departments\. Every instance enforces it/);
  expect((await run('disable', 'clerk')).stdout).toMatch(/^clerk is disabled\. Every instance enforces it/);
  expect(JSON.parse((await run('show', 'clerk', '--json')).stdout)).toMatchObject({
    dataScope: '2',
    departmentIds: [2, 3],
    enabled: false,
  });
  expect((await run('enable', 'clerk')).stdout).toMatch(/^clerk is enabled\. The instances apply it/);
  expect((await run('list')).stdout).toMatch(/\n\d+ +clerk +Clerk +2 chosen departments +enabled\n/);
  expect((await run('delete', 'clerk', '--yes')).stdout).toMatch(/^clerk is deleted\. Every instance/);
  expect(await run('show', 'clerk')).toMatchObject({ code: 1 });
});
