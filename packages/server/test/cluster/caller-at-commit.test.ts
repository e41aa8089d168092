// A caller writes only while nothing of the caller's has changed since the checks; asked when every lock is held.
import type { Caller, Confirmed } from '@portcullis/contract';
import type { Change } from '@portcullis/gate';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AccessWriter, createAccessWriter } from '../../src/cluster/access-writer.ts';
import { CallerChanged } from '../../src/cluster/caller-at-commit.ts';
import { readCurrentRevision, readDatabaseTime } from '../../src/cluster/revision-store.ts';
import type { ScopeChange } from '../../src/cluster/scope-change.ts';
import { unchecked } from '../access-stand-in.ts';
import { createFreshDatabase, type FreshDatabase } from '../fresh-database.ts';
import { seedDirectory } from '../seed-directory.ts';

const caller: Caller = {
  userId: 7,
  username: 'mei',
  roleId: 2,
  roleKey: 'editor',
  dataScope: '3',
  jti: 'J'.repeat(22),
  expiresAt: 4_102_444_800,
};

let database: FreshDatabase;
let access: AccessWriter;
let call: Confirmed;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
  access = createAccessWriter(database.store, { pass: async () => {}, announce: () => {} });
});
afterAll(() => database.drop());
beforeEach(async () => {
  call = { caller, confirmedAt: await readCurrentRevision(database.store) };
  await database.store.updateTable('users').set({ nick_name: '' }).where('id', '=', 8).execute();
});

const meanwhile = (...effects: readonly (Change | ScopeChange)[]) =>
  access.give(unchecked, async () => effects);
const rename = (by: Confirmed = call) =>
  access.give(by, async (transaction) => {
    await transaction.updateTable('users').set({ nick_name: 'new' }).where('id', '=', 8).execute();
    return [];
  });
const nameOfKim = async () =>
  (await database.store.selectFrom('users').select('nick_name').where('id', '=', 8).executeTakeFirstOrThrow())
    .nick_name;

// biome-ignore format: One row a change.
const own: [string, Change | ScopeChange][] = [
  ['the session ended',                { kind: 'token_revoked', jti: caller.jti, expiresAt: caller.expiresAt }],
  ['all the sessions ended',           { kind: 'epoch_raised', userId: 7, epoch: 2 }],
  ['the role was disabled',            { kind: 'role_disabled', id: 2 }],
  ['the role sees other rows',         { kind: 'role_set', id: 2, roleKey: 'editor', dataScope: '5' }],
  ['the role lost a rule',             { kind: 'rule_removed', roleKey: 'editor', method: 'GET', path: '/' }],
  ['the role was given a rule',        { kind: 'rule_added', roleKey: 'editor', method: 'GET', path: '/' }],
  ['the role got a temporary rule',    { kind: 'temporary_rule_set', roleKey: 'editor', method: 'GET', path: '/', endsAt: 1 }],
  ['the role lost a temporary rule',   { kind: 'temporary_rule_removed', roleKey: 'editor', method: 'GET', path: '/' }],
  ['a key was retired',                { kind: 'key_retired', kid: 'k', dev: false }],
  ['the caller moved',                 { kind: 'user_moved', userId: 7 }],
  ['a department moved',               { kind: 'department_moved' }],
];
// biome-ignore format: One row a change.
const others: [string, Change | ScopeChange][] = [
  ['another session ended',            { kind: 'token_revoked', jti: 'K'.repeat(22), expiresAt: caller.expiresAt }],
  ['all of another user ended',        { kind: 'epoch_raised', userId: 8, epoch: 2 }],
  ['another role was disabled',        { kind: 'role_disabled', id: 3 }],
  ['another role sees other rows',     { kind: 'role_set', id: 3, roleKey: 'former', dataScope: '5' }],
  ['another role lost a rule',         { kind: 'rule_removed', roleKey: 'former', method: 'GET', path: '/' }],
  ['a key was added',                  { kind: 'key_activated', kid: 'k', dev: false }],
  ['another user moved',               { kind: 'user_moved', userId: 8 }],
];

describe('nothing is stored where, since the checks,', () => {
  it.each(own)('%s', async (_name, change) => {
    const revision = await meanwhile(change);
    await meanwhile({ kind: 'role_disabled', id: 3 });
    await expect(rename()).rejects.toMatchObject({ name: 'CallerChanged', revision: revision + 1 });
    expect(await nameOfKim()).toBe('');
  });

  it('a rule has ended, by the clock of the database', async () => {
    const { n } = await readCurrentRevision(database.store);
    const confirmedUntil = await readDatabaseTime(database.store);
    await expect(rename({ ...call, confirmedUntil })).rejects.toMatchObject({
      name: 'CallerChanged',
      revision: n,
    });
    expect(await nameOfKim()).toBe('');
  });

  it('a change was stored that cannot be read', async () => {
    const { n } = await readCurrentRevision(database.store);
    await meanwhile({ kind: 'role_disabled', id: 3 });
    await database.store
      .updateTable('revisions')
      .set({ changes: '[{"kind":"unheard_of"}]' })
      .where('n', '=', n + 1)
      .execute();
    await expect(rename()).rejects.toBeInstanceOf(CallerChanged);
  });

  it('more was stored than is read at once', async () => {
    await sql`
      with counted as (update current_revision set n = n + 1001 returning n, mark)
      insert into revisions (n, mark, changes)
      select n - 1001 + step, case step when 1001 then mark else gen_random_uuid() end, '[]'
      from counted, generate_series(1, 1001) as step`.execute(database.store);
    await expect(rename()).rejects.toBeInstanceOf(CallerChanged);
  });
});

it.each(others)('it is stored where %s', async (_name, change) => {
  await meanwhile(change);
  await rename();
  expect(await nameOfKim()).toBe('new');
});

it('accepts the change of a caller with all rows after any move', async () => {
  await meanwhile({ kind: 'user_moved', userId: 7 }, { kind: 'department_moved' });
  await rename({ ...call, caller: { ...caller, dataScope: '1' } });
  expect(await nameOfKim()).toBe('new');
});

it('nothing is stored for a caller of another history, or of none', async () => {
  const confirmedAt = { n: 0, mark: '00000000-0000-4000-8000-000000000000' };
  await meanwhile({ kind: 'role_disabled', id: 3 });
  await expect(rename({ caller, confirmedAt })).rejects.toMatchObject({ kind: 'unavailable' });
  await expect(rename({ caller })).rejects.toThrow('no check let pass');
  expect(await nameOfKim()).toBe('');
});

it('a write that waited for the lock sees what it waited for', async () => {
  const held = Promise.withResolvers<void>();
  const revoking = Promise.withResolvers<void>();
  const revoked = access.give(unchecked, async (transaction) => {
    await transaction.selectFrom('current_revision').select('n').forUpdate().execute();
    revoking.resolve();
    await held.promise;
    return [{ kind: 'epoch_raised', userId: 7, epoch: 3 }];
  });
  await revoking.promise;
  const writing = rename();
  writing.catch(() => {});
  await expect
    .poll(async () => {
      const { rows } = await sql`
        select from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database()`.execute(database.store);
      return rows.length;
    })
    .toBe(1);
  held.resolve();
  await revoked;
  await expect(writing).rejects.toBeInstanceOf(CallerChanged);
  expect(await nameOfKim()).toBe('');
});
