// `portcullis user` on a real database.

import { listRecords } from '@portcullis/server/logs/audit/audit-store.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFreshDatabase, type FreshDatabase } from '../../../server/test/fresh-database.ts';
import { seedDirectory } from '../../../server/test/seed-directory.ts';
import { performCommand } from './perform-command.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
});
afterAll(() => database.drop());

const run = (command: readonly string[], input?: string) =>
  performCommand(['user', ...command], { url: database.url, ...(input === undefined ? {} : { input }) });
const records = async () =>
  (await listRecords(database.store, 'all', { after: undefined, limit: 100 })).items.toReversed();
const userOf = (username: string) =>
  database.store
    .selectFrom('users')
    .select(['enabled', 'role_id', 'password_hash', 'deleted_at'])
    .where('username', '=', username)
    .executeTakeFirstOrThrow();

describe('a command that cannot be carried out', () => {
  it.each([
    ['an unknown user', ['disable', 'nobody'], 1, 'There is no user nobody.'],
    ['a name that another begins with', ['show', 'me'], 1, 'There is no user me.'],
    ['an unknown role', ['role', 'mei', 'editr'], 1, 'There is no role editr.'],
    [
      'an unknown department',
      ['create', 'ann', '--role', 'editor', '--department', 'Nowhere'],
      1,
      'no department Nowhere',
    ],
    ['a missing role', ['create', 'ann', '--department', '1'], 64, "required option '--role <key>'"],
    [
      'a taken username',
      ['create', 'Mei', '--role', 'editor', '--department', '1'],
      1,
      'There is already a user Mei.',
    ],
    [
      'a username that is none',
      ['create', 'a b', '--role', 'editor', '--department', '1'],
      64,
      'The username is not accepted. Letters and digits of any script; after the first character also `.`,',
    ],
    [
      'a name that is none',
      ['create', 'ann', '--name', ' Ann', '--role', 'editor', '--department', '1'],
      64,
      'The name is not accepted. At most 64 characters: no control characters',
    ],
    [
      'a mail address that is none',
      ['mail', 'mei', 'mei'],
      64,
      'The mail is not accepted. An address such as `mei@example.com`',
    ],
    [
      'a password in the arguments',
      ['reset-password', 'mei', '--password', 'x'],
      64,
      "unknown option '--password'",
    ],
    [
      'a file that is not there',
      ['reset-password', 'mei', '--password-file', '/none'],
      64,
      'cannot be read (ENOENT)',
    ],
    ['a deletion without a terminal for the question', ['delete', 'mei'], 64, 'give --yes'],
    [
      'a password that is empty',
      ['reset-password', 'mei', '--password-file', '-'],
      64,
      'The secret is empty',
    ],
  ])('%s: says what to do, and changes nothing', async (_what, command, code, reason) => {
    const before = await userOf('mei');
    const ended = await run(command);
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toContain(reason);
    expect(await userOf('mei')).toEqual(before);
    expect(await records()).toEqual([]);
  });

  it('does not take a weak password', async () => {
    const ended = await run(['reset-password', 'mei', '--password-file', '-'], 'meimeimei\n');
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toBe(
      'This password is too short, too common, and too close to a name. Choose one of at least 15 characters, such as several unrelated words.\n',
    );
  });
});

it('users are listed, found by the beginning of their names and by role, and shown', async () => {
  const list = await run(['list', '--name', 'K', '--role', 'editor']);
  expect(list).toMatchObject({ code: 0, stderr: '' });
  expect(list.stdout).toMatch(/^Id +Username .*\n8 +kim .*editor +Department 1 .*\n$/);
  const { items, hasMore } = JSON.parse((await run(['list', '--json'])).stdout);
  expect(items.map(({ username }: { username: string }) => username)).toEqual(['kim', 'mei']);
  expect(hasMore).toBe(false);
  expect(JSON.parse((await run(['show', 'MEI', '--json'])).stdout)).toMatchObject({
    id: 7,
    roleKey: 'editor',
  });
});

it('marks a list of more than a hundred as incomplete, and shows all with the option', async () => {
  const crowd = Array.from({ length: 120 }, (_, index) => `zz${String(index).padStart(3, '0')}`);
  await database.store
    .insertInto('users')
    .values(
      crowd.map((username) => ({
        ...{ username, canonical_username: username, department_id: 2, role_id: 3, password_hash: 'hash' },
      })),
    )
    .execute();
  const some = await run(['list', '--name', 'zz']);
  expect(some.stdout.split('\n')).toHaveLength(102);
  expect(some.stderr).toContain('Give --all');
  expect(JSON.parse((await run(['list', '--name', 'zz', '--all', '--json'])).stdout).items).toHaveLength(120);
});

it('applies every change of a user everywhere before the command ends, and records it in the audit log', async () => {
  const created = await run([
    'create',
    'alice',
    '--role',
    'editor',
    '--department',
    'Department 1',
    '--json',
  ]);
  expect(JSON.parse(created.stdout)).toMatchObject({ username: 'alice', password: expect.any(String) });

  const disabled = await run(['disable', 'alice']);
  expect(disabled.stdout).toMatch(/^alice is disabled\. Every instance enforces it \(revision \d+\)\.\n$/);
  expect(await userOf('alice')).toMatchObject({ enabled: false });
  expect((await run(['enable', 'alice'])).stdout).toBe('alice is enabled.\n');
  expect((await run(['role', 'alice', 'former'])).stdout).toContain(
    'alice has the role former. Every instance',
  );
  const made = await run(['reset-password', 'alice']);
  expect(made.stdout).toMatch(
    /^alice has a new password\. Every instance .*\nThis password is shown once:\n\n {2}[\w-]{20}\n$/,
  );
  const before = (await userOf('alice')).password_hash;
  const reset = await run(
    ['reset-password', 'alice', '--password-file', '-'],
    'marble-tunnel-forty-lantern\n',
  );
  expect(reset.stdout).toMatch(/^alice has a new password\. Every instance enforces it/);
  expect((await userOf('alice')).password_hash).not.toBe(before);
  expect((await run(['delete', 'alice', '--yes', '--json'])).stdout).toMatch(
    /^\{"username":"alice","deleted":true,/,
  );

  const written = await records();
  expect(written.map(({ action }) => action)).toEqual([
    ...[
      'user.create',
      'user.disable',
      'user.enable',
      'user.role',
      'user.password',
      'user.password',
      'user.delete',
    ],
  ]);
  for (const { actorId, actorName, ip } of written)
    expect({ actorId, actorName, ip }).toEqual({
      actorId: 0,
      actorName: expect.stringMatching(/^command line: ./),
      ip: '127.0.0.1',
    });
  expect(JSON.stringify(written)).not.toContain('marble-tunnel');
});

it('the last administrator stays', async () => {
  await database.store.updateTable('users').set({ role_id: 1 }).where('username', '=', 'kim').execute();
  const ended = await run(['disable', 'kim']);
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toBe(
    'kim is the last administrator who can log in. Give another user the role admin first.\n',
  );
});
