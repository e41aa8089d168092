// Who counts as an administrator beside those whom mappings take away: whoever counts where one is taken away by hand.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { noPassword } from '../../../src/directory/users/user-store.ts';
import { hasOtherAdministrator } from '../../../src/providers/groups/plan-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';

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

it('is no program, and nobody without a password; a person with one is', async () => {
  const { store } = database;
  const admins = await store.selectFrom('users').select('id').where('role_id', '=', 1).execute();
  const lost = admins.map(({ id }) => id);
  await addAdministrator('program', { kind: 'service', password_hash: noPassword });
  expect(await hasOtherAdministrator(store, lost)).toBe(false);
  await addAdministrator('invited', { password_hash: noPassword });
  expect(await hasOtherAdministrator(store, lost)).toBe(false);
  await addAdministrator('second', {});
  expect(await hasOtherAdministrator(store, lost)).toBe(true);
});
