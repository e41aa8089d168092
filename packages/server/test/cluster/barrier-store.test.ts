import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createBarrierStore, markMembershipComplete } from '../../src/cluster/barrier-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../fresh-database.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  const { store } = database;
  await store.deleteFrom('instances').execute();
  await store
    .insertInto('instances')
    .values([3, 4, 5].map((revision) => ({ id: randomUUID(), version: '1', mode: 'test', revision })))
    .execute();
  await sql`update current_revision set n = 5, settled_in = 'before', lease_milliseconds = 700`.execute(
    store,
  );
});

const revisions = async () =>
  (await database.store.selectFrom('instances').select('revision').orderBy('revision').execute()).map(
    ({ revision }) => revision,
  );
const look = () => createBarrierStore(database.store).readView();

describe('in another incarnation of the database', () => {
  beforeEach(() =>
    sql`update current_revision set settled_in = database_incarnation()`.execute(database.store),
  );

  it('no silent instance is removed: it may hold a lease', async () => {
    await createBarrierStore(database.store).removeSilent({ n: 5, incarnation: 'another' });
    expect(await revisions()).toEqual([3, 4, 5]);
    expect((await look()).membershipComplete).toBe(true);
  });

  it('a lease that is over settles nothing, and what is settled stays so', async () => {
    await markMembershipComplete(database.store, 'another');
    expect((await look()).membershipComplete).toBe(true);
  });
});

it('removing the silent instances leaves those that reported the revision, and settles the incarnation', async () => {
  const { incarnation } = await look();
  await createBarrierStore(database.store).removeSilent({ n: 4, incarnation });
  expect(await revisions()).toEqual([4, 5]);
  expect((await look()).membershipComplete).toBe(true);
});

it('a look shows the oldest revision of any instance, how many there are, and the longest lease', async () => {
  expect(await look()).toMatchObject({ lowest: 3, instances: 3, leaseMilliseconds: 700 });
  await database.store.deleteFrom('instances').execute();
  expect(await look()).toMatchObject({ lowest: undefined, instances: 0 });
});
