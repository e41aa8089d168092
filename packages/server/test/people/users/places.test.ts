// The check of a role's change depends on the departments of its users, so no user gets the role or is moved meanwhile.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { StoreTransaction } from '../../../src/cluster/store/store.ts';
import { lockRole } from '../../../src/people/roles/role-store.ts';
import {
  changeUser,
  insertUser,
  lockUser,
  setUserRole,
} from '../../../src/people/users/user-access-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
});
afterAll(() => database.drop());

/** Whether the role could be changed while the work is not committed. */
async function isFree(roleId: number, work: (transaction: StoreTransaction) => Promise<unknown>) {
  const { store } = database;
  const done = new Error('Nothing is kept.');
  let free = true;
  const working = store.transaction().execute(async (transaction) => {
    await work(transaction);
    await store
      .transaction()
      .execute(async (other) => {
        await sql`set local lock_timeout = '100ms'`.execute(other);
        await lockRole(other, roleId, 'for no key update');
      })
      .catch((error: { code?: string }) => {
        if (error.code !== '55P03') throw error;
        free = false;
      });
    throw done;
  });
  await expect(working).rejects.toBe(done);
  return free;
}

const mei = (transaction: StoreTransaction) => lockUser(transaction, 7);
const newUser = { username: 'lin', canonicalUsername: 'lin', name: '', passwordHash: 'hash' };

it('locks a role while one of its users is moved, gets it, or is created with it', async () => {
  expect(
    await isFree(2, async (transaction) =>
      changeUser(transaction, await mei(transaction), { name: 'Mei', departmentId: 2 }),
    ),
  ).toBe(false);
  expect(await isFree(3, async (transaction) => setUserRole(transaction, await mei(transaction), 3))).toBe(
    false,
  );
  expect(
    await isFree(2, (transaction) => insertUser(transaction, { ...newUser, departmentId: 1, roleId: 2 })),
  ).toBe(false);
});

it('a role waits for no other change of its people', async () => {
  expect(
    await isFree(2, async (transaction) =>
      changeUser(transaction, await mei(transaction), { name: 'Mei', departmentId: 1 }),
    ),
  ).toBe(true);
});
