import type { Caller, DataScope, Department } from '@portcullis/contract';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRecordChange } from '../../../src/logs/audit/record-change.ts';
import { departmentRoutes } from '../../../src/people/departments/routes.ts';
import { createCanManageCheck } from '../../../src/people/roles/can-manage/can-manage-check.ts';
import { lockTree } from '../../../src/people/roles/can-manage/department-tree-lock-store.ts';
import { createAccessStandIn } from '../../access-stand-in.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';
import { administrator, type ServedRoutes, serveRoutes } from '../../serve-routes.ts';

let database: FreshDatabase;
let served: ServedRoutes;
let caller: Caller;
/** Whether the caller's role may do all that the other one may. */
let mayDoAll: boolean;

/** Mei, of department 1. */
const mei = (dataScope: DataScope): Caller => ({
  ...administrator,
  userId: 7,
  username: 'mei',
  roleId: 2,
  roleKey: 'editor',
  dataScope,
});

beforeAll(async () => {
  database = await createFreshDatabase();
  const { store } = database;
  const routes = departmentRoutes({
    store,
    access: createAccessStandIn(store),
    recordChange: createRecordChange(),
    canManage: createCanManageCheck({ mayDo: async () => true, mayDoAll: async () => mayDoAll }),
  });
  served = serveRoutes(routes, () => caller);
  await seedDirectory(database.store);
});
afterAll(async () => {
  await served.close();
  await database.drop();
});

// 1, where Mei and Kim are, has 11 and 12 below it, and 11 has 111; 2 and 3 have none. Mei's role has chosen 2 and 111.
beforeEach(async () => {
  const { store } = database;
  caller = administrator;
  mayDoAll = true;
  await store.deleteFrom('audit_log').execute();
  await store.deleteFrom('departments').where('id', '>', 3).execute();
  await store
    .insertInto('departments')
    .values([
      { id: 11, name: 'Eleven', parent_id: 1 },
      { id: 12, name: 'Twelve', parent_id: 1 },
      { id: 111, name: 'Below eleven', parent_id: 11 },
    ])
    .execute();
  for (const id of [1, 2, 3])
    await store
      .updateTable('departments')
      .set({ name: `Department ${id}`, parent_id: null })
      .where('id', '=', id)
      .execute();
  await sql`alter table departments alter column id restart with 1000`.execute(store);
  await store.deleteFrom('role_departments').execute();
  const chosen = [2, 111].map((department_id) => ({ role_id: 2, department_id }));
  await store.insertInto('role_departments').values(chosen).execute();
});

async function list(query = ''): Promise<Department[]> {
  const { data } = await served.send('GET', `/departments?limit=100${query}`);
  return (data as { items: Department[] }).items;
}
const idsOf = async (query = '') => (await list(query)).map(({ id }) => id).toSorted((a, b) => a - b);
async function parentOf(id: number) {
  const row = database.store.selectFrom('departments').select('parent_id').where('id', '=', id);
  return (await row.executeTakeFirstOrThrow()).parent_id;
}
const change = (id: number, parentId: number | null, name = 'Renamed') =>
  served.send('PUT', `/departments/${id}`, { name, parentId });
async function audited() {
  return await database.store
    .selectFrom('audit_log')
    .select(['action', 'target', 'before', 'after'])
    .execute();
}
async function stored() {
  return await database.store
    .selectFrom('departments')
    .select(['id', 'parent_id', 'name'])
    .orderBy('id')
    .execute();
}

describe('one department', () => {
  it.each([
    ['1', 99, 404],
    ['2', 11, 404],
    ['3', 11, 404],
    ['4', 2, 404],
    ['5', 11, 404],
    ['2', 111, 200],
    ['3', 1, 200],
    ['4', 111, 200],
    ['5', 1, 200],
  ] as const)('is with the data scope %s of %i answered with %i', async (scope, id, code) => {
    caller = mei(scope);
    expect(await served.send('GET', `/departments/${id}`)).toMatchObject({ status: 200, code });
  });

  it('has the name of what is above it, unless the data scope hides that', async () => {
    const read = async (id: number) => (await served.send('GET', `/departments/${id}`)).data;
    expect(await read(11)).toMatchObject({ name: 'Eleven', parentId: 1, parentName: 'Department 1' });
    expect(await read(11)).toMatchObject({ hasChildren: true });
    expect(await read(1)).toMatchObject({ parentId: null, parentName: null });
    caller = mei('2');
    expect(await read(111)).toMatchObject({ parentId: 11, parentName: null, hasChildren: false });
  });
});

describe('a department', () => {
  it.each([
    ['POST', '/departments', { name: 'New', parentId: 99 }, 404],
    ['POST', '/departments', { name: 'New' }, 400],
    ['POST', '/departments', { name: '', parentId: 1 }, 400],
    ['POST', '/departments', { name: 'a\nb', parentId: 1 }, 400],
    ['POST', '/departments', { name: 'New', parentId: 0 }, 400],
    ['POST', '/departments', { name: 'New', parentId: 1, id: 5 }, 400],
    ['PUT', '/departments/99', { name: 'New', parentId: null }, 404],
    ['PUT', '/departments/1', { name: 'New', parentId: 99 }, 404],
    ['PUT', '/departments/1', { name: 'New', parentId: 1 }, 409],
    ['PUT', '/departments/1', { name: 'New', parentId: 11 }, 409],
    ['PUT', '/departments/1', { name: 'New', parentId: 111 }, 409],
    ['PUT', '/departments/1', {}, 400],
    ['PUT', '/departments/1', { ifRevision: 1 }, 400],
    ['PUT', '/departments/1', { name: 'New', ifRevision: 0 }, 409],
    ['PUT', '/departments/1', { name: 'Vertr\u0456eb' }, 400],
    ['POST', '/departments', { name: 'N\u0435w', parentId: 1 }, 400],
    ['DELETE', '/departments/99', undefined, 404],
    ['DELETE', '/departments/11', undefined, 409],
    ['DELETE', '/departments/1', undefined, 409],
  ] as const)(
    '%s %s with %j is refused with code %i and changes nothing',
    async (method, url, body, code) => {
      const before = await stored();
      expect(await served.send(method, url, body)).toMatchObject({ status: 200, code });
      expect(await stored()).toEqual(before);
      expect(await audited()).toEqual([]);
    },
  );

  it('keeps its parent when only the name is sent, and its name when only the parent is sent', async () => {
    await served.send('PUT', '/departments/12', { name: 'Renamed' });
    expect(await parentOf(12)).toBe(1);
    await served.send('PUT', '/departments/12', { parentId: 11 });
    expect((await stored()).find(({ id }) => id === 12)).toMatchObject({ name: 'Renamed', parent_id: 11 });
  });

  it('is not changed on an older revision, and the refusal has the current state', async () => {
    const revisionOf = async () => (await list()).find(({ id }) => id === 12)?.revision;
    const ifRevision = await revisionOf();
    await served.send('PUT', '/departments/12', { parentId: 11 });
    const refused = await served.send('PUT', '/departments/12', { name: 'Renamed', ifRevision });
    expect(refused).toMatchObject({ status: 200, code: 409 });
    expect(refused.body.details).toEqual({
      revision: await revisionOf(),
      current: { name: expect.any(String), parentId: 11 },
    });
    const again = { name: 'Renamed', ifRevision: await revisionOf() };
    expect(await served.send('PUT', '/departments/12', again)).toMatchObject({ code: 200 });
  });

  it('is created, at the top and below another one', async () => {
    for (const parentId of [null, 12]) {
      const { code, data } = await served.send('POST', '/departments', { name: 'New', parentId });
      expect(code).toBe(200);
      expect(await parentOf((data as { id: number }).id)).toBe(parentId);
    }
    expect(await audited()).toMatchObject([
      {
        action: 'department.create',
        target: 'department 1000',
        before: null,
        after: { id: 1000, name: 'New' },
      },
      { action: 'department.create', target: 'department 1001' },
    ]);
  });

  it('is renamed and moved, with what is below it', async () => {
    expect(await change(11, 2)).toMatchObject({ code: 200 });
    expect([await parentOf(11), await parentOf(111)]).toEqual([2, 11]);
    expect(await change(11, null)).toMatchObject({ code: 200 });
    expect(await change(11, null)).toMatchObject({ code: 200 });
    expect(await audited()).toMatchObject([
      {
        action: 'department.update',
        target: 'department 11',
        before: { name: 'Eleven', parentId: 1 },
        after: { name: 'Renamed', parentId: 2 },
      },
      { before: { parentId: 2 }, after: { parentId: null } },
    ]);
  });

  it('is never moved into a circle by two moves at once', async () => {
    const { moves } = await database.store.transaction().execute(async (transaction) => {
      await lockTree(transaction);
      return { moves: Promise.all([change(2, 3), change(3, 2)]) };
    });
    expect((await moves).map(({ code }) => code).toSorted()).toEqual([200, 409]);
  });

  it('is deleted when it is empty, also where a deleted user was in it', async () => {
    const { store } = database;
    const kim = (changed: object) => store.updateTable('users').set(changed).where('id', '=', 8).execute();
    await kim({ department_id: 12 });
    expect(await served.send('DELETE', '/departments/12')).toMatchObject({ code: 409 });
    await kim({ deleted_at: new Date() });
    expect(await served.send('DELETE', '/departments/12')).toMatchObject({ code: 200 });
    expect(await idsOf()).not.toContain(12);
    expect(await audited()).toMatchObject([
      { action: 'department.delete', target: 'department 12', before: { name: 'Twelve' }, after: null },
    ]);
    await kim({ department_id: 1, deleted_at: null });
  });

  it('that is deleted leaves the choice of every role', async () => {
    await served.send('DELETE', '/departments/111');
    const rows = await database.store.selectFrom('role_departments').select('department_id').execute();
    expect(rows).toEqual([{ department_id: 2 }]);
  });
});

describe('the list of departments', () => {
  it.each(['?limit=101', '?after=x', '?parentId=-1', '?parentId=x'])('%s is refused', async (query) => {
    expect(await served.send('GET', `/departments${query}`)).toMatchObject({ code: 400 });
  });

  it('comes by name, each with its parent', async () => {
    expect((await list()).map(({ name, parentId, hasChildren }) => [name, parentId, hasChildren])).toEqual([
      ['Below eleven', 11, false],
      ['Department 1', null, true],
      ['Department 2', null, false],
      ['Department 3', null, false],
      ['Eleven', 1, true],
      ['Twelve', 1, false],
    ]);
  });

  it('comes in pages, each once, also where names are equal', async () => {
    await database.store.updateTable('departments').set({ name: 'Same' }).execute();
    const seen: number[] = [];
    for (let after = ''; ; ) {
      const { data } = await served.send('GET', `/departments?limit=2${after}`);
      const { items, next } = data as { items: Department[]; next: string | null };
      seen.push(...items.map(({ id }) => id));
      if (next === null) break;
      after = `&after=${next}`;
    }
    expect(seen).toEqual([1, 2, 3, 11, 12, 111]);
  });

  // Each row: the data scope, all that it shows, its top, and what it shows below 1.
  it.each([
    ['1', [1, 2, 3, 11, 12, 111], [1, 2, 3], [11, 12]],
    ['2', [2, 111], [2, 111], []],
    ['3', [1], [1], []],
    ['4', [1, 11, 12, 111], [1], [11, 12]],
    ['5', [1], [1], []],
  ] as const)('in data scope %s is %j, from the top %j, below 1 %j', async (dataScope, all, top, below) => {
    caller = mei(dataScope);
    expect([await idsOf(), await idsOf('&parentId=0'), await idsOf('&parentId=1')]).toEqual([
      all,
      top,
      below,
    ]);
  });

  it('says that there is more below only where the caller may see it', async () => {
    caller = mei('3');
    expect((await list()).map(({ hasChildren }) => hasChildren)).toEqual([false]);
  });
});

describe('outside of the data scope', () => {
  it.each([
    ['2', 'DELETE', '/departments/3', undefined, 404],
    ['3', 'DELETE', '/departments/2', undefined, 404],
    ['4', 'DELETE', '/departments/2', undefined, 404],
    ['5', 'DELETE', '/departments/2', undefined, 404],
    ['4', 'PUT', '/departments/2', { name: 'Taken', parentId: 1 }, 404],
    ['4', 'PUT', '/departments/11', { name: 'Gone', parentId: 2 }, 404],
    ['4', 'PUT', '/departments/11', { name: 'Gone', parentId: null }, 401],
    ['2', 'PUT', '/departments/2', { name: 'Gone', parentId: 3 }, 404],
    ['4', 'POST', '/departments', { name: 'New', parentId: 2 }, 404],
    ['4', 'POST', '/departments', { name: 'New', parentId: null }, 401],
    ['3', 'POST', '/departments', { name: 'New', parentId: 1 }, 401],
    ['2', 'POST', '/departments', { name: 'New', parentId: 2 }, 401],
  ] as const)(
    'in scope %s %s %s with %j is refused with code %i',
    async (dataScope, method, url, body, code) => {
      caller = mei(dataScope);
      const before = await stored();
      expect(await served.send(method, url, body)).toMatchObject({ code });
      expect(await stored()).toEqual(before);
    },
  );

  describe('with the data scopes of other users', () => {
    /** Kim sees what is below the department. */
    async function putKimAbove(department_id: number): Promise<void> {
      await database.store
        .insertInto('roles')
        .values({ id: 50, role_key: 'head', name: 'Head', data_scope: '4' })
        .execute();
      await database.store
        .updateTable('users')
        .set({ role_id: 50, department_id })
        .where('id', '=', 8)
        .execute();
    }
    afterEach(async () => {
      const { store } = database;
      await store.updateTable('users').set({ role_id: 2, department_id: 1 }).where('id', '=', 8).execute();
      await store.deleteFrom('roles').where('id', '=', 50).execute();
      await store.updateTable('roles').set({ data_scope: '3' }).where('id', '=', 2).execute();
    });

    it('a move is refused that changes the scope of a user with more permissions than the caller', async () => {
      caller = mei('4');
      mayDoAll = false;
      await putKimAbove(12);
      expect(await change(111, 12)).toMatchObject({ code: 401 });
      expect(await change(12, 11)).toMatchObject({ code: 200 });
      expect(await change(111, 1)).toMatchObject({ code: 200 });
      expect(await change(111, 12)).toMatchObject({ code: 401 });
      mayDoAll = true;
      expect(await change(111, 12)).toMatchObject({ code: 200 });
      mayDoAll = false;
      expect(await change(111, 1)).toMatchObject({ code: 401 });
    });

    it('a move is refused that takes departments from a user outside the caller’s scope', async () => {
      const { store } = database;
      caller = mei('2');
      await store
        .insertInto('role_departments')
        .values([11, 12].map((id) => ({ role_id: 2, department_id: id })))
        .execute();
      expect(await change(111, 12)).toMatchObject({ code: 200 });
      expect(await change(111, 11)).toMatchObject({ code: 200 });
      // Below 1, where Kim is, both ways are the same; below 2, which is no longer chosen, they are not.
      await putKimAbove(1);
      expect(await change(111, 12)).toMatchObject({ code: 200 });
      await store.updateTable('departments').set({ parent_id: 3 }).where('id', '=', 12).execute();
      await store.updateTable('users').set({ department_id: 3 }).where('id', '=', 8).execute();
      expect(await change(111, 11)).toMatchObject({ code: 401 });
    });

    it('a move is refused of a department that is chosen without what is below it', async () => {
      const { store } = database;
      caller = mei('2');
      await store.updateTable('departments').set({ parent_id: 12 }).where('id', '=', 11).execute();
      const choose = (...ids: number[]) =>
        store
          .insertInto('role_departments')
          .values(ids.map((id) => ({ role_id: 2, department_id: id })))
          .execute();
      await store.deleteFrom('role_departments').execute();
      await choose(2, 11, 12);
      expect(await change(11, 2)).toMatchObject({ code: 401 });
      await choose(111);
      expect(await change(11, 2)).toMatchObject({ code: 200 });
    });

    it('one that a role beyond the caller has chosen is not deleted', async () => {
      await database.store.updateTable('roles').set({ data_scope: '2' }).where('id', '=', 2).execute();
      caller = { ...mei('4'), roleId: 50, roleKey: 'head' };
      expect(await served.send('DELETE', '/departments/111')).toMatchObject({ code: 401 });
      expect(await served.send('DELETE', '/departments/12')).toMatchObject({ code: 200 });
    });

    it('with own rows the own department is seen and not changed', async () => {
      caller = mei('5');
      expect(await change(1, null)).toMatchObject({ code: 401 });
    });
  });

  it('nothing keeps a caller from what is inside', async () => {
    caller = mei('4');
    expect(await served.send('POST', '/departments', { name: 'New', parentId: 12 })).toMatchObject({
      code: 200,
    });
    expect(await change(111, 12)).toMatchObject({ code: 200 });
    expect(await change(1, null, 'Mine')).toMatchObject({ code: 200 });
    expect(await served.send('DELETE', '/departments/111')).toMatchObject({ code: 200 });
  });
});
