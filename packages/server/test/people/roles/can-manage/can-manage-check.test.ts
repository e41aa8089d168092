// That the check decides as a reference does that looks at every row is held over random companies, in memory here and over
// HTTP by `npm run fuzz -- delegation`. What it reads from Postgres is held here against the same companies.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../../../../../../test/fuzz/random.ts';
import { adminId, type Company, pickKey, randomCompany } from '../../../../../../test/fuzz/reach/company.ts';
import { roleKeyOf, storeInMemory } from '../../../../../../test/fuzz/reach/company-store.ts';
import { fuzzReach } from '../../../../../../test/fuzz/reach/fuzz-reach.ts';
import type { Store, StoreTransaction } from '../../../../src/cluster/store/store.ts';
import { createCanManageCheck } from '../../../../src/people/roles/can-manage/can-manage-check.ts';
import { canManageStore } from '../../../../src/people/roles/can-manage/can-manage-store.ts';
import { lockTree } from '../../../../src/people/roles/can-manage/department-tree-lock-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../../fresh-database.ts';

/** `REACH_FULL=1` takes minutes. */
const isFull = process.env.REACH_FULL === '1';

let database: FreshDatabase;
let store: Store;
beforeAll(async () => {
  database = await createFreshDatabase({ poolSize: 4 });
  store = database.store;
});
afterAll(() => database.drop());

it('says what a reference says that looks at every row', async () => {
  const run = { cases: isFull ? 1_000_000 : 5000, seed: 1, progress: () => {} };
  expect((await fuzzReach.run(run)).failures).toEqual([]);
});

async function storeCompany({ departments, roles, people }: Company): Promise<void> {
  await sql`truncate departments, roles, users, role_departments cascade`.execute(store);
  for (const id of departments.keys())
    await store.insertInto('departments').values({ id, name: 'x', parent_id: null }).execute();
  for (const [id, parent_id] of departments)
    await store.updateTable('departments').set({ parent_id }).where('id', '=', id).execute();
  for (const { id, dataScope, departmentIds } of roles.values()) {
    const role = { id, role_key: roleKeyOf(id), name: 'x', data_scope: dataScope };
    await store.insertInto('roles').values(role).execute();
    const chosen = departmentIds.map((department_id) => ({ role_id: id, department_id }));
    if (chosen.length > 0) await store.insertInto('role_departments').values(chosen).execute();
  }
  for (const { id, roleId, departmentId } of people.values())
    await insertUser({ id, role_id: roleId, department_id: departmentId });
}
async function insertUser(user: { id: number; role_id: number; department_id: number; deleted_at?: Date }) {
  const name = `user-${user.id}`;
  await store
    .insertInto('users')
    .values({ ...user, username: name, canonical_username: name, password_hash: 'hash' })
    .execute();
}
const sorted = (ids: readonly number[]) => ids.toSorted((one, two) => one - two);

it('reads from Postgres what a company in memory says', async () => {
  for (let seed = 0; seed < 10; seed++) {
    const random = new Random(seed);
    const company = randomCompany(random);
    await storeCompany(company);
    // They count for nothing.
    await insertUser({
      id: 1000,
      role_id: pickKey(random, company.roles),
      department_id: 1,
      deleted_at: new Date(),
    });
    const memory = company as never;
    const departmentIds = [...company.departments.keys()];
    for (const { id: userId, roleId } of company.people.values()) {
      const { dataScope } = company.roles.get(roleId) ?? { dataScope: '5' as const };
      const caller = { userId, roleId, dataScope };
      const [stored, known] = [
        await canManageStore.readManageableRows(store, caller),
        await storeInMemory.readManageableRows(memory, caller),
      ];
      const shown = (manageable: typeof stored) =>
        manageable.kind === 'departments'
          ? { ids: sorted([...manageable.departmentIds]), gaps: sorted([...new Set(manageable.gaps)]) }
          : manageable;
      expect(shown(stored)).toEqual(shown(known));
      for (const held of company.roles.keys()) {
        const asked = { roleId: held, exceptUserId: userId };
        expect(await canManageStore.listHolderDepartments(store, asked)).toEqual(
          sorted(await storeInMemory.listHolderDepartments(memory, asked)),
        );
      }
    }
    const some = departmentIds.filter(() => random.once(2));
    expect(
      new Map([...(await canManageStore.readParents(store, some))].toSorted(([one], [two]) => one - two)),
    ).toEqual(await storeInMemory.readParents(memory, some));
    const texts = (viewers: readonly { roleId: number; departmentId: number }[]) =>
      [...new Set(viewers.map(({ roleId, departmentId }) => `${roleId} in ${departmentId}`))].toSorted();
    expect(texts(await canManageStore.listViewersFrom(store, some))).toEqual(
      texts(await storeInMemory.listViewersFrom(memory, some)),
    );
    for (const id of departmentIds)
      expect(sorted(await canManageStore.listRolesThatChose(store, id))).toEqual(
        await storeInMemory.listRolesThatChose(memory, id),
      );
  }
});

describe('the cost of a change of a role', () => {
  const holders = isFull ? 200_000 : 20_000;
  const departments = 50;
  const batch = 20_000;

  it('grows with the departments of its users, not with their number', async () => {
    await sql`truncate departments, roles, users, role_departments cascade`.execute(store);
    await sql`insert into departments (id, name) select i, 'x' from generate_series(1, ${departments}::int) as i`.execute(
      store,
    );
    await sql`insert into roles (id, role_key, name, data_scope) values
      (${adminId}, 'admin', 'x', '1'), (2, 'few', 'x', '3'), (3, 'many', 'x', '3')`.execute(store);
    for (let from = 0; from < departments + holders; from += batch)
      await sql`insert into users (username, canonical_username, department_id, role_id, password_hash)
        select 'u' || i, 'u' || i, 1 + i % ${departments}, case when i < ${departments} then 2 else 3 end, 'hash'
        from generate_series(${from}::int, least(${from + batch}, ${departments + holders})::int - 1) as i`.execute(
        store,
      );
    await sql`analyze users`.execute(store);
    const read = (roleId: number) => (transaction: Store) =>
      canManageStore.listHolderDepartments(transaction, { roleId, exceptUserId: 0 });
    const few = await countRows(read(2));
    const many = await countRows(read(3));
    expect(many.result).toEqual(few.result);
    expect(many.result).toHaveLength(departments);
    expect(many.rows).toBeLessThan(4 * departments);
    // As it would be with the people themselves.
    const scan = await countRows((transaction) =>
      sql`select distinct department_id from users where role_id = 3`.execute(transaction),
    );
    expect(scan.rows).toBeGreaterThanOrEqual(holders);
  });

  /** How many rows of the users, or of an index of them, the work looks at. */
  async function countRows<Result>(work: (transaction: Store) => Promise<Result>) {
    return await store.transaction().execute(async (transaction) => {
      const result = await work(transaction);
      const { rows } = await sql<{ looked: number }>`
        select sum(pg_stat_get_xact_tuples_returned(oid))::int as looked from pg_class
        where relname = 'users' or oid in (select indexrelid from pg_index where indrelid = 'users'::regclass)`.execute(
        transaction,
      );
      return { result, rows: rows[0]?.looked ?? Number.NaN };
    });
  }
});

describe('a checked change', () => {
  const manager = { userId: 1, roleId: 2, roleKey: 'role-2', dataScope: '3' } as const;
  const { ofRole, ofUser } = createCanManageCheck({ mayDo: async () => true, mayDoAll: async () => true });

  beforeAll(async () => {
    const role = { calls: [], departmentIds: [] };
    await storeCompany({
      departments: new Map([1, 2].map((id) => [id, null])),
      roles: new Map([
        [adminId, { id: adminId, dataScope: '1', ...role }],
        [2, { id: 2, dataScope: '3', ...role }],
        [3, { id: 3, dataScope: '5', ...role }],
      ]),
      people: new Map([
        [1, { id: 1, roleId: 2, departmentId: 1 }],
        [2, { id: 2, roleId: 2, departmentId: 2 }],
      ]),
    });
  });

  /** Whether the second transaction waits for a lock of the first. */
  async function isHeld(first: (transaction: StoreTransaction) => Promise<unknown>, second: typeof first) {
    return await store.transaction().execute(async (transaction) => {
      await first(transaction);
      const answer = store.transaction().execute(async (other) => {
        await sql`set local lock_timeout = 200`.execute(other);
        await second(other);
      });
      return await answer.then(
        () => false,
        (error: { code?: string }) => error.code === '55P03',
      );
    });
  }
  const lockRole = (transaction: StoreTransaction) =>
    sql`select from roles where id = 3 for no key update`.execute(transaction);

  it('for a user locks the role until it is written: no other change adds permissions meanwhile', async () => {
    const giving = (transaction: StoreTransaction) =>
      ofUser(transaction, manager, undefined, [{ roleId: 3, departmentId: 1 }]);
    expect(await isHeld(giving, lockRole)).toBe(true);
    expect(await isHeld(lockRole, giving)).toBe(true);
    expect(await isHeld(giving, giving)).toBe(false);
  });

  it('locks the tree of departments', async () => {
    const changing = (transaction: StoreTransaction) => ofRole(transaction, manager, 3);
    expect(await isHeld(changing, lockTree)).toBe(true);
    expect(await isHeld(lockTree, changing)).toBe(true);
  });

  it('of a role that does not exist is refused, except for admin', async () => {
    const ask = (roleId: number) =>
      store
        .transaction()
        .execute((transaction) => ofUser(transaction, manager, undefined, [{ roleId, departmentId: 1 }]));
    await expect(ask(99)).rejects.toMatchObject({ kind: 'exceeds_own_permissions' });
    await expect(ask(3)).resolves.toBeUndefined();
  });
});
