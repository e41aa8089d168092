import { setRoleDataScopeEndpoint, setRoleEnabledEndpoint } from '@portcullis/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRoleRoutes } from '../../src/directory/role-routes.ts';
import { createRoles } from '../../src/directory/roles.ts';
import { route } from '../../src/http/mount.ts';
import { type AccessStandIn, createAccessStandIn } from '../access-stand-in.ts';
import { createFreshDatabase, type FreshDatabase } from '../fresh-database.ts';
import { seedDirectory } from '../seed-directory.ts';
import { type ServedRoutes, serveRoutes } from '../serve-routes.ts';

let database: FreshDatabase;
let access: AccessStandIn;
let served: ServedRoutes;

beforeAll(async () => {
  database = await createFreshDatabase();
  access = createAccessStandIn(database.store);
  const roles = createRoleRoutes({ access });
  served = serveRoutes([
    route(setRoleEnabledEndpoint, roles.setEnabled),
    route(setRoleDataScopeEndpoint, roles.setDataScope),
  ]);
  await seedDirectory(database.store);
});
afterAll(async () => {
  await served.close();
  await database.drop();
});
beforeEach(async () => {
  const { store } = database;
  await store.deleteFrom('role_departments').execute();
  await store.updateTable('roles').set({ enabled: true, data_scope: '3' }).where('id', '=', 2).execute();
  await store.updateTable('roles').set({ enabled: false, data_scope: '5' }).where('id', '=', 3).execute();
  access.takeWritten();
});

async function departmentsOf(roleId: number): Promise<number[]> {
  const rows = await database.store
    .selectFrom('role_departments')
    .select('department_id')
    .where('role_id', '=', roleId)
    .orderBy('department_id')
    .execute();
  return rows.map((row) => row.department_id);
}
const getRole = async (id: number) =>
  await database.store.selectFrom('roles').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

describe('a change of a role', () => {
  it.each([
    ['/roles/99/enabled', { enabled: false }, 404],
    ['/roles/99/enabled', { enabled: true }, 404],
    ['/roles/99/data-scope', { dataScope: '1' }, 404],
    ['/roles/1/enabled', { enabled: false }, 409],
    ['/roles/0/enabled', { enabled: false }, 400],
    ['/roles/2/enabled', { enabled: 1 }, 400],
    ['/roles/2/data-scope', { dataScope: '6' }, 400],
    ['/roles/2/data-scope', { dataScope: 1 }, 400],
    ['/roles/2/data-scope', {}, 400],
    ['/roles/2/data-scope', { dataScope: '2' }, 400],
    ['/roles/2/data-scope', { dataScope: '2', departmentIds: ['1'] }, 400],
    ['/roles/2/data-scope', { dataScope: '2', departmentIds: [1, 99] }, 404],
  ])('of %s to %j is refused with code %i and changes nothing', async (url, body, code) => {
    expect(await served.send('PUT', url, body)).toMatchObject({ status: 200, code });
    expect(access.takeWritten()).toEqual([]);
    expect(await getRole(2)).toMatchObject({ enabled: true, data_scope: '3' });
    expect(await departmentsOf(2)).toEqual([]);
  });

  it('that disables it waits for every instance', async () => {
    const answer = await served.send('PUT', '/roles/2/enabled', { enabled: false });
    expect(answer).toMatchObject({ code: 200, revision: expect.any(Number) });
    expect(access.takeWritten()).toEqual([['takeAway', [{ kind: 'role_disabled', id: 2 }]]]);
    expect((await getRole(2)).enabled).toBe(false);
    await served.send('PUT', '/roles/2/enabled', { enabled: false });
    expect(access.takeWritten()).toEqual([['takeAway', []]]);
  });

  it('that enables it only gives', async () => {
    await served.send('PUT', '/roles/3/enabled', { enabled: true });
    await served.send('PUT', '/roles/3/enabled', { enabled: true });
    expect(access.takeWritten()).toEqual([
      ['give', [{ kind: 'role_set', id: 3, roleKey: 'former', dataScope: '5' }]],
      ['give', []],
    ]);
    expect((await getRole(3)).enabled).toBe(true);
  });
});

describe('the data scope', () => {
  const set = (id: number, body: object) => served.send('PUT', `/roles/${id}/data-scope`, body);
  const roleSet = (dataScope: string) => ({ kind: 'role_set', id: 2, roleKey: 'editor', dataScope });

  it('is stored, and every instance told', async () => {
    expect(await set(2, { dataScope: '4' })).toMatchObject({ code: 200, revision: expect.any(Number) });
    await set(2, { dataScope: '4' });
    expect(access.takeWritten()).toEqual([
      ['takeAway', [roleSet('4')]],
      ['takeAway', []],
    ]);
    expect((await getRole(2)).data_scope).toBe('4');
  });

  it('2 replaces the departments, and another one clears them', async () => {
    await set(2, { dataScope: '2', departmentIds: [1, 2, 2] });
    expect(await departmentsOf(2)).toEqual([1, 2]);
    await set(2, { dataScope: '2', departmentIds: [2, 3] });
    expect(await departmentsOf(2)).toEqual([2, 3]);
    await set(2, { dataScope: '2', departmentIds: [3, 2] });
    await set(2, { dataScope: '2', departmentIds: [] });
    expect(await departmentsOf(2)).toEqual([]);
    await set(2, { dataScope: '2', departmentIds: [1] });
    await set(2, { dataScope: '5', departmentIds: [2] });
    expect(await departmentsOf(2)).toEqual([]);
    expect(access.takeWritten().map(([, changes]) => changes)).toEqual([
      [roleSet('2')],
      [roleSet('2')],
      [],
      [roleSet('2')],
      [roleSet('2')],
      [roleSet('5')],
    ]);
  });

  it('of a disabled role is stored, and no instance is told of the role', async () => {
    await set(3, { dataScope: '1' });
    expect(access.takeWritten()).toEqual([['takeAway', []]]);
    expect((await getRole(3)).data_scope).toBe('1');
  });
});

describe('the roles in memory', () => {
  it('follow the changes', async () => {
    const roles = createRoles();
    (await database.store.transaction().execute((transaction) => roles.load(transaction, 1)))();
    expect(roles.find(2)).toEqual({ id: 2, roleKey: 'editor', dataScope: '3' });
    roles.apply(
      [
        { kind: 'role_set', id: 2, roleKey: 'editor', dataScope: '5' },
        { kind: 'role_set', id: 3, roleKey: 'former', dataScope: '4' },
        { kind: 'epoch_raised', userId: 2, epoch: 9 },
      ],
      2,
    );
    expect(roles.find(2)).toEqual({ id: 2, roleKey: 'editor', dataScope: '5' });
    expect(roles.find(3)).toEqual({ id: 3, roleKey: 'former', dataScope: '4' });
    roles.apply([{ kind: 'role_disabled', id: 2 }], 3);
    expect(roles.find(2)).toBeUndefined();
    roles.apply(
      [
        { kind: 'role_set', id: 2, roleKey: 'editor', dataScope: '1' },
        { kind: 'role_disabled', id: 2 },
      ],
      5,
    );
    expect(roles.find(2)).toBeUndefined();
  });
});
