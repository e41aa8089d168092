import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { confirm, sweepUnconfirmed } from '../../../src/sign-in/mfa/credential-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
});
afterAll(() => database.drop());

/** Begun so many hours ago. */
async function add(kind: string, hours: number, confirmed = false): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into credentials (user_id, kind, factor, created_at, confirmed_at)
    values (7, ${kind}, 2, now() - make_interval(hours => ${hours}), case when ${confirmed} then now() end)
    returning id`.execute(database.store);
  return rows[0]?.id ?? 0;
}

it('deletes unconfirmed factors after a day, which cannot be confirmed then, and keeps all others', async () => {
  const { store } = database;
  const [app, passkey] = [await add('totp', 25), await add('passkey', 25)];
  const kept = [await add('totp', 23), await add('passkey', 0), await add('totp', 25, true)];
  await sweepUnconfirmed(store);
  const rows = await store.selectFrom('credentials').select('id').orderBy('id').execute();
  expect(rows.map(({ id }) => id)).toEqual(kept);
  const confirmIt = (id: number) =>
    store.transaction().execute((transaction) => confirm(transaction, id, { counter: 1 }));
  for (const id of [app, passkey]) expect(await confirmIt(id)).toBe(false);
  expect(await confirmIt(kept[1] ?? 0)).toBe(true);
});
