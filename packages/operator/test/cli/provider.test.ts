// `portcullis provider mappings` on a real database, with a provider that is not asked: what it said of everybody at the last
// login counts. With a real directory it is tried in test/terminal.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFreshDatabase, type FreshDatabase } from '../../../server/test/fresh-database.ts';
import { seedDirectory } from '../../../server/test/seed-directory.ts';
import { performCommand } from './perform-command.ts';

let database: FreshDatabase;
let folder = '';
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
  await database.store.updateTable('users').set({ role_id: 1 }).where('username', '=', 'mei').execute();
  folder = await mkdtemp(join(tmpdir(), 'portcullis-mappings-'));
  const { id } = await database.store
    .insertInto('providers')
    .values({ key: 'sso', kind: 'oidc', name: 'SSO', settings: '{"issuer":"https://sso.example.com"}' })
    .returning('id')
    .executeTakeFirstOrThrow();
  const users = await database.store
    .selectFrom('users')
    .innerJoin('roles', 'roles.id', 'role_id')
    .select(['users.id', 'username', 'role_key'])
    .execute();
  for (const { id: user_id, username, role_key } of users)
    await database.store
      .insertInto('credentials')
      .values({
        user_id,
        kind: 'link',
        factor: 1,
        provider_id: id,
        subject: username,
        groups: JSON.stringify([`${role_key}s`]),
      })
      .execute();
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const run = (...words: string[]) => performCommand(['provider', ...words], { url: database.url });

async function set(content: unknown, ...words: string[]) {
  const file = join(folder, 'mappings.json');
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  return await run('mappings', 'sso', '--file', file, ...words);
}
const always = (...mappings: readonly object[]) => ({ roleSource: 'every_login', mappings });

it.each([
  ['no JSON', '{', 'The file is no JSON'],
  [
    'another role source',
    { roleSource: 'never', mappings: [] },
    'roleSource is one of local, first_login, every_login',
  ],
  ['no list', { roleSource: 'local' }, 'mappings is a list'],
  ['no group', always({ role: 'editor' }), 'Mapping 1 has no group'],
  ['a list alone', [], 'The file is no object'],
  ['null', 'null', 'The file is no object'],
  ['a number', '7', 'The file is no object'],
  ['a mapping that is none', always({ group: 'a', role: 'editor' }, []), 'Mapping 2 is no object'],
  ['an empty group', always({ group: '', role: 'editor' }), 'Mapping 1 has no group'],
  ['a group that is a number', always({ group: 7, role: 'editor' }), 'Mapping 1 has no group'],
  ['no role', always({ group: 'a' }), 'Mapping 1 has no role'],
  [
    'a department that is a truth',
    always({ group: 'a', role: 'editor', department: true }),
    'Mapping 1 has a department that is neither',
  ],
  ['a role that is not there', always({ group: 'a', role: 'king' }), 'There is no role king'],
  [
    'a department that is not there',
    always({ group: 'a', role: 'editor', department: 'X' }),
    'no department X',
  ],
  ['a field that is unknown', always({ group: 'a', role: 'editor', roleId: 2 }), 'Mapping 1 has roleId'],
  ['admin for everybody', always({ group: '*', role: 'admin' }), '* never gives admin'],
])('a file with %s is refused, and says what is wrong', async (_what, content, reason) => {
  const ended = await set(content, '--yes');
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toContain(reason);
});

it('shows the affected people, and refuses a mapping that leaves no administrator', async () => {
  const wanted = always({ group: 'admins', role: 'editor' }, { group: '*', role: 'editor' });
  const shown = await set(wanted, '--dry-run');
  expect(shown.code).toBe(1);
  expect(shown.stdout).toMatch(/^Effect +User +Before +After\n/);
  expect(shown.stdout).toMatch(/\nloses +\S+ +admin, .* +editor, /);
  expect(shown.stdout).toContain('No administrator would be left');
  const ended = await set(wanted, '--yes');
  expect(ended).toMatchObject({ code: 1, stdout: '' });
});

it('ends where the question cannot be answered, and refuses an outdated plan', async () => {
  const wanted = always({ group: 'admins', role: 'admin' });
  expect(await set(wanted)).toMatchObject({ code: 64, stdout: '' });
  const other = await set(wanted, '--plan', '0'.repeat(64));
  expect(other).toMatchObject({ code: 1, stdout: '' });
  expect(other.stderr).toContain('Nothing was changed: the directory');
  expect((await run('mappings', 'sso')).stdout).toMatch(
    /^Roles are assigned in this service.*\nThere are no mappings\.\n$/,
  );
});

it('applies the result of a dry run by its plan, and exports a list that is the next file', async () => {
  const wanted = always(
    { group: 'admins', role: 'admin' },
    { group: '*', role: 'editor', department: 'Department 2' },
  );
  const { digest, changes } = JSON.parse((await set(wanted, '--dry-run', '--json')).stdout) as {
    digest: string;
    changes: { effect: string }[];
  };
  expect(changes.length).toBeGreaterThan(0);
  expect((await set(wanted, '--plan', digest)).stdout).toMatch(/^sso has these mappings\. Every instance/);
  const listed = JSON.parse((await run('mappings', 'sso', '--json')).stdout);
  expect(listed).toEqual(
    always(
      { group: 'admins', role: 'admin', department: null },
      { group: '*', role: 'editor', department: 2 },
    ),
  );
  expect((await run('mappings', 'sso')).stdout).toMatch(/\n2 +\* +editor +Department 2\n$/);
  const again = await set(listed, '--dry-run');
  expect(again.stdout).toMatch(/^No change for \d+ linked people\./);
});

it.each([
  ['mappings of a provider that is not there', ['mappings', 'nobody'], 'There is no provider nobody'],
  ['a look at what is no directory', ['recheck', 'sso'], 'sso is not a directory, or is not enabled'],
])('%s is refused with what to do', async (_what, words, reason) => {
  const ended = await run(...words);
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toContain(reason);
});
