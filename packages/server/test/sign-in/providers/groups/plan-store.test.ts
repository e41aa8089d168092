// Which people count as remaining administrators when mappings remove some: the same as when one is removed by hand.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noPassword } from '../../../../src/people/users/user-store.ts';
import {
  hasOtherAdministrator,
  listLinkedUsers,
  lockLinkedUsers,
  moveUsers,
} from '../../../../src/sign-in/providers/groups/plan-store.ts';
import { insertLink } from '../../../../src/sign-in/providers/link-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../../fresh-database.ts';
import { seedDirectory } from '../../../seed-directory.ts';
import { createLinkedPeople } from '../linked-people.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
});
afterAll(() => database.drop());

async function addAdministrator(username: string, over: { kind?: 'service'; password_hash?: string }) {
  const user = { username, canonical_username: username, nick_name: username, department_id: 1, role_id: 1 };
  const { id } = await database.store
    .insertInto('users')
    .values({ ...user, password_hash: 'a hash', ...over })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

it('is no program, no person without a password, and none whom a provider decides about; another person is', async () => {
  const { store } = database;
  const admins = await store.selectFrom('users').select('id').where('role_id', '=', 1).execute();
  const lost = admins.map(({ id }) => id);
  await addAdministrator('program', { kind: 'service', password_hash: noPassword });
  expect(await hasOtherAdministrator(store, lost)).toBe(false);
  await addAdministrator('invited', { password_hash: noPassword });
  expect(await hasOtherAdministrator(store, lost)).toBe(false);
  const linked = await addAdministrator('linked', {});
  await sql`update users set decided_by_provider = true where id = ${linked}`.execute(store);
  expect(await hasOtherAdministrator(store, lost)).toBe(false);
  const second = await addAdministrator('second', {});
  expect(await hasOtherAdministrator(store, lost)).toBe(true);
  expect(await hasOtherAdministrator(store, [...lost, second])).toBe(false);
  for (const [set, back] of [
    ['enabled = false', 'enabled = true'],
    ['deleted_at = now()', 'deleted_at = null'],
    ['role_id = 2', 'role_id = 1'],
  ] as const) {
    await sql`update users set ${sql.raw(set)} where id = ${second}`.execute(store);
    expect(await hasOtherAdministrator(store, lost), set).toBe(false);
    await sql`update users set ${sql.raw(back)} where id = ${second}`.execute(store);
  }
  expect(await hasOtherAdministrator(store, lost)).toBe(true);
});

const [mei, kim] = [7, 8];

describe('a person with a link', () => {
  let sso: number;
  let other: number;
  let directory: number;
  beforeAll(async () => {
    const people = createLinkedPeople(database);
    sso = await people.addProvider('oidc');
    other = await people.addProvider('oidc');
    directory = await people.addProvider('ldap');
  });
  beforeEach(async () => {
    const { store } = database;
    await sql`delete from credentials`.execute(store);
    await sql`update users set decided_by_provider = false, deleted_at = null, password_hash = '!'`.execute(
      store,
    );
    await sql`update providers set enabled = true`.execute(store);
  });
  const link = (userId: number, providerId: number) =>
    database.store
      .transaction()
      .execute((transaction) =>
        insertLink(transaction, { userId, providerId, subject: `${userId}`, name: `${userId}` }),
      );
  const set = (fields: object, userId = mei) =>
    database.store.updateTable('users').set(fields).where('id', '=', userId).execute();
  const idsOf = (users: readonly { readonly linkId: number }[]) => users.map(({ linkId }) => linkId);
  const lock = (ids: readonly number[]) =>
    database.store.transaction().execute((transaction) => lockLinkedUsers(transaction, ids));

  it('to the provider is listed and locked, as long as the link and the user exist', async () => {
    const { store } = database;
    const [ofMei, ofKim] = [await link(mei, sso), await link(kim, sso)];
    const elsewhere = await link(mei, other);
    await sql`insert into credentials (user_id, kind, factor) values (${mei}, 'totp', 2)`.execute(store);
    expect(idsOf(await listLinkedUsers(store, sso))).toEqual([ofMei, ofKim]);
    expect(idsOf(await lock([ofKim, ofMei]))).toEqual([ofMei, ofKim]);
    expect(idsOf(await lock([elsewhere]))).toEqual([elsewhere]);
    expect(await lock([])).toEqual([]);
    await sql`update credentials set ended_at = now() where id = ${ofMei}`.execute(store);
    expect(idsOf(await listLinkedUsers(store, sso))).toEqual([ofKim]);
    await set({ deleted_at: new Date() }, kim);
    expect(await lock([ofMei, ofKim])).toEqual([]);
  });

  it('has a password left only where it is one and no provider decides', async () => {
    await link(mei, sso);
    const left = async () => (await listLinkedUsers(database.store, sso))[0]?.left;
    await set({ decided_by_provider: false });
    expect(await left()).toEqual([]);
    await set({ password_hash: '$' });
    expect(await left()).toEqual(['password']);
    await set({ decided_by_provider: true });
    expect(await left()).toEqual([]);
  });

  it('has a passkey left only where it counts, is the own one and no provider decides', async () => {
    const { store } = database;
    await link(mei, sso);
    await set({ decided_by_provider: false });
    const left = async () => (await listLinkedUsers(store, sso))[0]?.left;
    const add = async (userId: number, kind: string, state: string) =>
      await sql`insert into credentials (user_id, kind, factor, confirmed_at, ended_at) values (${userId}, ${kind}, 3,
        case when ${state} <> 'pending' then now() end, case when ${state} = 'ended' then now() end)`.execute(
        store,
      );
    await add(kim, 'passkey', 'counts');
    await add(mei, 'totp', 'counts');
    await add(mei, 'passkey', 'pending');
    await add(mei, 'passkey', 'ended');
    expect(await left()).toEqual([]);
    await add(mei, 'passkey', 'counts');
    expect(await left()).toEqual(['passkey']);
    await set({ decided_by_provider: true });
    expect(await left()).toEqual([]);
  });

  it('has another provider left that is enabled, and beside a directory only another directory', async () => {
    const { store } = database;
    await link(mei, sso);
    const left = async (of = sso) => (await listLinkedUsers(store, of))[0]?.left;
    await link(kim, other);
    await sql`insert into credentials (user_id, kind, factor, confirmed_at) values (${mei}, 'totp', 2, now())`.execute(
      store,
    );
    expect(await left()).toEqual([]);
    const second = await link(mei, other);
    expect(await left()).toEqual(['provider']);
    await sql`update providers set enabled = false where id = ${other}`.execute(store);
    expect(await left()).toEqual([]);
    await sql`update providers set enabled = true`.execute(store);
    await sql`update credentials set ended_at = now() where id = ${second}`.execute(store);
    expect(await left()).toEqual([]);
    await sql`delete from credentials where id = ${second}`.execute(store);
    await link(mei, other);
    await link(kim, directory);
    expect(await left(), 'the directory is of another person').toEqual(['provider']);
    const byDirectory = await link(mei, directory);
    expect(await left(), 'the directory is left').toEqual(['provider']);
    expect(await left(directory), 'and nothing beside it').toEqual([]);
    await sql`update credentials set ended_at = now() where id = ${byDirectory}`.execute(store);
    expect(await left(), 'the link to the directory has ended').toEqual(['provider']);
  });

  it('is moved alone, with a new epoch where the role changes', async () => {
    const { store } = database;
    const placeOf = async (userId: number) =>
      (
        await sql<object>`select role_id::int as "roleId", department_id::int as "departmentId", epoch::int
          from users where id = ${userId}`.execute(store)
      ).rows[0];
    const move = (userId: number, roleId: number, departmentId: number) =>
      store
        .transaction()
        .execute((transaction) =>
          moveUsers(transaction, [
            { userId, before: { roleId: 2, departmentId: 1 }, after: { roleId, departmentId } },
          ]),
        );
    expect(await store.transaction().execute((transaction) => moveUsers(transaction, []))).toEqual([]);
    expect(await move(mei, 3, 1)).toEqual([{ kind: 'epoch_raised', userId: mei, epoch: 2 }]);
    expect(await move(kim, 2, 2)).toEqual([{ kind: 'user_moved', userId: kim }]);
    expect([await placeOf(mei), await placeOf(kim)]).toEqual([
      { roleId: 3, departmentId: 1, epoch: 2 },
      { roleId: 2, departmentId: 2, epoch: 1 },
    ]);
    expect(await move(mei, 2, 1)).toEqual([]);
  });
});
