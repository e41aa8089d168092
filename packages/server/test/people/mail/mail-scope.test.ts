// Which mails a caller of one department sees and can send again.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listMails, retryMail } from '../../../src/people/mail/mail-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';

const scope = { kind: 'departments', departments: [2] } as const;
let database: FreshDatabase;
const ids = { own: '', other: '', nobody: '' };

beforeAll(async () => {
  database = await createFreshDatabase();
  const { store } = database;
  await seedDirectory(store);
  await store.updateTable('users').set({ department_id: 2 }).where('id', '=', 7).execute();
  const add = async (userId: number | null) => {
    const row = {
      kind: 'password_changed',
      user_id: userId,
      state: 'dead',
      address: 'a@example.com',
    } as const;
    const { id } = await store.insertInto('mails').values(row).returning('id').executeTakeFirstOrThrow();
    return id;
  };
  Object.assign(ids, { own: await add(7), other: await add(8), nobody: await add(null) });
});
afterAll(() => database.drop());

it('returns the mails of the department, and neither those of others nor those without a user', async () => {
  const { items } = await listMails(database.store, scope, { limit: 10 });
  expect(items.map(({ id }) => id)).toEqual([ids.own]);
  expect((await listMails(database.store, { kind: 'all' }, { limit: 10 })).items).toHaveLength(3);
});

it('rejects another try for a mail outside the department', async () => {
  const retry = (id: string) =>
    database.store.transaction().execute((transaction) => retryMail(transaction, scope, id));
  for (const id of [ids.other, ids.nobody])
    await expect(retry(id)).rejects.toMatchObject({ kind: 'record_not_found' });
  expect(await retry(ids.own)).toMatchObject({ state: 'dead', userId: 7 });
});
