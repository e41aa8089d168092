import type { Caller } from '@portcullis/contract';
import { createRoles } from '@portcullis/gate';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRecordChange } from '../../../src/logs/audit/record-change.ts';
import { createCanManageCheck } from '../../../src/people/roles/can-manage/can-manage-check.ts';
import { roleRoutes } from '../../../src/people/roles/routes.ts';
import { type AccessStandIn, createAccessStandIn } from '../../access-stand-in.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { loadReplica } from '../../load-replica.ts';
import { seedDirectory } from '../../seed-directory.ts';
import { administrator, type ServedRoutes, serveRoutes } from '../../serve-routes.ts';

let database: FreshDatabase;
let access: AccessStandIn;
let served: ServedRoutes;
let caller: Caller;
/** Whether the caller's role may do all that the other one may. */
let mayDoAll: boolean;

const editor: Caller = {
  ...administrator,
  userId: 7,
  username: 'mei',
  roleId: 2,
  roleKey: 'editor',
  dataScope: '3',
};

beforeAll(async () => {
  database = await createFreshDatabase();
  access = createAccessStandIn(database.store);
  const routes = roleRoutes({
    store: database.store,
    access,
    recordChange: createRecordChange(),
    canManage: createCanManageCheck({ mayDo: async () => mayDoAll, mayDoAll: async () => mayDoAll }),
  });
  served = serveRoutes(routes, () => caller);
  await seedDirectory(database.store);
});
afterAll(async () => {
  await served.close();
  await database.drop();
});
beforeEach(async () => {
  const { store } = database;
  caller = administrator;
  mayDoAll = false;
  await store.deleteFrom('audit_log').execute();
  await store.deleteFrom('roles').where('id', '>', 3).execute();
  await store.deleteFrom('role_departments').execute();
  await store
    .updateTable('roles')
    .set({ enabled: true, data_scope: '3', name: 'Editor' })
    .where('id', '=', 2)
    .execute();
  await store
    .updateTable('roles')
    .set({ enabled: false, data_scope: '5', name: 'Former' })
    .where('id', '=', 3)
    .execute();
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
async function audited() {
  const rows = await database.store.selectFrom('audit_log').selectAll().orderBy('id').execute();
  return rows.map(({ action, target, before, after }) => ({ action, target, before, after }));
}
async function countRoles(): Promise<number> {
  return (await database.store.selectFrom('roles').select('id').execute()).length;
}
const getRole = async (id: number) =>
  await database.store.selectFrom('roles').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

describe('a change of a role', () => {
  it.each([
    ['/roles/99/enabled', { enabled: false }, 404],
    ['/roles/99/enabled', { enabled: true }, 404],
    ['/roles/99/data-scope', { dataScope: '1' }, 404],
    ['/roles/1/enabled', { enabled: false }, 409],
    ['/roles/1/enabled', { enabled: true }, 409],
    ['/roles/1/data-scope', { dataScope: '5' }, 409],
    ['/roles/1', { name: 'Other', dataScope: '1' }, 409],
    ['/roles/99', { name: 'Other', dataScope: '1' }, 404],
    ['/roles/2', { name: 'Other', dataScope: '2', departmentIds: [99] }, 404],
    ['/roles/2', { name: 'Other', dataScope: '2' }, 400],
    ['/roles/2', {}, 400],
    ['/roles/2', { ifRevision: 1 }, 400],
    ['/roles/2', { name: 'Other', departmentIds: [1] }, 400],
    ['/roles/2', { name: 'Other', ifRevision: '1' }, 400],
    ['/roles/2', { name: 'Other', ifRevision: 0 }, 409],
    ['/roles/2/data-scope', { dataScope: '1', ifRevision: 0 }, 409],
    ['/roles/2', { name: 'Admin' }, 400],
    ['/roles/2', { name: 'ADМІN' }, 400],
    ['/roles/2', { name: 'Edit\u043er' }, 400],
    ['/roles/2', { name: 'Editor\u3164' }, 400],
    ['/roles/2', { name: '', dataScope: '3' }, 400],
    ['/roles/2', { name: ' Other', dataScope: '3' }, 400],
    ['/roles/2', { name: 'Oth\u200ber', dataScope: '3' }, 400],
    ['/roles/2', { name: 'x'.repeat(65), dataScope: '3' }, 400],
    ['/roles/2', { name: 'Other', dataScope: '3', roleKey: 'admin' }, 400],
    ['/roles/2', { name: 'Other', dataScope: '3', enabled: false }, 400],
    ['/roles/2', { name: 'Other', dataScope: '3', id: 1 }, 400],
    ['/roles/2/enabled', { enabled: false, dataScope: '1' }, 400],
    ['/roles/2/data-scope', { dataScope: '3', roleKey: 'admin' }, 400],
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
    expect(await getRole(2)).toMatchObject({ enabled: true, data_scope: '3', name: 'Editor' });
    expect(await departmentsOf(2)).toEqual([]);
    expect(await audited()).toEqual([]);
  });

  const revisionOf = async (id: number) =>
    ((await served.send('GET', `/roles/${id}`)).data as { revision: number }).revision;

  it('leaves alone what it does not name', async () => {
    await served.send('PUT', '/roles/2', { name: 'Other' });
    expect(await getRole(2)).toMatchObject({ name: 'Other', data_scope: '3' });
    await served.send('PUT', '/roles/2', { dataScope: '4' });
    expect(await getRole(2)).toMatchObject({ name: 'Other', data_scope: '4' });
  });

  it('counts, also where only the departments of the scope change, and a call that changes nothing does not', async () => {
    const first = await revisionOf(2);
    await served.send('PUT', '/roles/2', { name: 'Editor', dataScope: '3' });
    expect(await revisionOf(2)).toBe(first);
    await served.send('PUT', '/roles/2', { dataScope: '2', departmentIds: [1] });
    const second = await revisionOf(2);
    expect(second).toBeGreaterThan(first);
    await served.send('PUT', '/roles/2', { dataScope: '2', departmentIds: [2] });
    expect(await revisionOf(2)).toBeGreaterThan(second);
  });

  it('on an older revision is refused, with the current state of the role', async () => {
    const ifRevision = await revisionOf(2);
    await served.send('PUT', '/roles/2', { dataScope: '5' });
    const refused = await served.send('PUT', '/roles/2', { name: 'Renamed', dataScope: '3', ifRevision });
    const revision = await revisionOf(2);
    expect(refused).toMatchObject({ status: 200, code: 409 });
    expect(refused.body.details).toEqual({
      revision,
      current: { name: 'Editor', dataScope: '5', departmentIds: [], enabled: true },
    });
    expect(await getRole(2)).toMatchObject({ name: 'Editor', data_scope: '5' });
    const now = { name: 'Renamed', ifRevision: revision };
    expect(await served.send('PUT', '/roles/2', now)).toMatchObject({ code: 200 });
    expect(await getRole(2)).toMatchObject({ name: 'Renamed', data_scope: '5' });
  });

  it('of two at once on the same revision, one is refused', async () => {
    const ifRevision = await revisionOf(2);
    const answers = await Promise.all(
      ['One', 'Two'].map((name) => served.send('PUT', '/roles/2', { name, ifRevision })),
    );
    expect(answers.map(({ code }) => code).toSorted()).toEqual([200, 409]);
  });

  it('may keep a name that would not be given any more', async () => {
    await database.store.updateTable('roles').set({ name: 'Admin' }).where('id', '=', 2).execute();
    expect(await served.send('PUT', '/roles/2', { name: 'Admin', dataScope: '4' })).toMatchObject({
      code: 200,
    });
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

describe('a change of a role by a caller who is not admin', () => {
  const everyChange = [
    ['PUT', '/roles/3', { name: 'Other', dataScope: '5' }],
    ['PUT', '/roles/3/data-scope', { dataScope: '3' }],
    ['PUT', '/roles/3/enabled', { enabled: true }],
    ['PUT', '/roles/3/enabled', { enabled: false }],
    ['DELETE', '/roles/3', undefined],
  ] as const;
  async function expectRefused(...[method, url, body]: Parameters<ServedRoutes['send']>): Promise<void> {
    const answer = await served.send(method, url, body);
    expect(answer).toMatchObject({ status: 200, code: 401, reason: 'permission_denied' });
    expect(answer.body.msg).toMatch(/Ask an administrator, or a colleague/);
    expect(access.takeWritten()).toEqual([]);
    expect(await getRole(3)).toMatchObject({ enabled: false, name: 'Former' });
    expect(await countRoles()).toBe(3);
  }
  /** Kim has role 3 then, and not the caller's. */
  const giveToKim = (department_id: number) =>
    database.store.updateTable('users').set({ role_id: 3, department_id }).where('id', '=', 8).execute();

  beforeEach(() => {
    caller = editor;
    mayDoAll = true;
  });
  afterEach(() =>
    database.store.updateTable('users').set({ role_id: 2, department_id: 1 }).where('id', '=', 8).execute(),
  );

  it.each(everyChange)('%s %s %j is refused where the role may do more than they', async (...change) => {
    mayDoAll = false;
    await expectRefused(...change);
  });

  it.each(everyChange)(
    '%s %s %j is refused where a user of the role is outside the caller’s scope',
    async (...change) => {
      await giveToKim(2);
      await expectRefused(...change);
    },
  );

  it.each(everyChange)('%s %s %j is refused where the role shows all rows', async (...change) => {
    await database.store.updateTable('roles').set({ data_scope: '1' }).where('id', '=', 3).execute();
    await expectRefused(...change);
  });

  it.each([
    ['PUT', '/roles/3', { name: 'Other', dataScope: '1' }],
    ['PUT', '/roles/3/data-scope', { dataScope: '2', departmentIds: [1, 2] }],
    ['POST', '/roles', { roleKey: 'wider', name: 'Wider', dataScope: '1' }],
    ['POST', '/roles', { roleKey: 'wider', name: 'Wider', dataScope: '2', departmentIds: [2] }],
  ] as const)('%s %s with %j is refused where it shows more than they see', async (method, url, body) => {
    await expectRefused(method, url, body);
  });

  it('to "department and below" is refused only where that adds departments for a user of the role', async () => {
    await giveToKim(1);
    await database.store.insertInto('departments').values({ id: 11, name: 'x', parent_id: 1 }).execute();
    await expectRefused('PUT', '/roles/3/data-scope', { dataScope: '4' });
    await database.store.deleteFrom('departments').where('id', '=', 11).execute();
    expect(await served.send('PUT', '/roles/3/data-scope', { dataScope: '4' })).toMatchObject({ code: 200 });
  });

  it('is accepted where it grants no more than the caller has', async () => {
    await giveToKim(1);
    for (const [method, url, body] of everyChange.slice(0, 4))
      expect(await served.send(method, url, body)).toMatchObject({ code: 200 });
    const body = { roleKey: 'narrower', name: 'Narrower', dataScope: '2', departmentIds: [1] };
    expect(await served.send('POST', '/roles', body)).toMatchObject({ code: 200 });
  });
});

describe('a new role', () => {
  const create = (body: object) => served.send('POST', '/roles', body);
  const writer = { roleKey: 'writer', name: 'Writer', dataScope: '4' };

  it.each([
    ['a key that is taken', { ...writer, roleKey: 'editor' }, 409],
    ['the key of admin', { ...writer, roleKey: 'admin' }, 409],
    ['a key that reads like admin', { ...writer, roleKey: 'adm1n' }, 409],
    ['a key that is none', { ...writer, roleKey: 'Writer' }, 400],
    ['no key', { name: 'Writer', dataScope: '4' }, 400],
    ['an id', { ...writer, id: 9 }, 400],
    ['rules', { ...writer, rules: [] }, 400],
    ['chosen departments that it does not choose', { ...writer, dataScope: '2' }, 400],
    ['a department that does not exist', { ...writer, dataScope: '2', departmentIds: [1, 99] }, 404],
  ])('with %s is refused', async (_what, body, code) => {
    expect(await create(body)).toMatchObject({ status: 200, code });
    expect(await countRoles()).toBe(3);
    expect(access.takeWritten()).toEqual([]);
    expect(await audited()).toEqual([]);
  });

  it('is given an id, stored, told to every instance and written down', async () => {
    const answer = await create({ ...writer, dataScope: '2', departmentIds: [3, 1] });
    expect(answer).toMatchObject({
      code: 200,
      revision: expect.any(Number),
      data: { id: expect.any(Number) },
    });
    const { id } = answer.data as { id: number };
    expect(access.takeWritten()).toEqual([
      ['give', [{ kind: 'role_set', id, roleKey: 'writer', dataScope: '2' }]],
    ]);
    const detail = { id, ...writer, dataScope: '2', enabled: true, departmentIds: [1, 3] };
    expect((await served.send('GET', `/roles/${id}`)).data).toMatchObject(detail);
    expect(await audited()).toMatchObject([
      { action: 'role.create', target: `role ${id}`, before: null, after: detail },
    ]);
  });

  it('of a key that two ask for is made once', async () => {
    const answers = await Promise.all([create(writer), create(writer)]);
    expect(answers.map(({ code }) => code).toSorted()).toEqual([200, 409]);
  });
});

describe('a changed role', () => {
  it('has the new name and scope, reaches every instance, and is recorded with both states', async () => {
    const body = { name: 'Author', dataScope: '2', departmentIds: [2] };
    expect(await served.send('PUT', '/roles/2', body)).toMatchObject({
      code: 200,
      revision: expect.any(Number),
    });
    expect(access.takeWritten()).toEqual([
      ['takeAway', [{ kind: 'role_set', id: 2, roleKey: 'editor', dataScope: '2' }]],
    ]);
    expect(await audited()).toMatchObject([
      {
        action: 'role.update',
        target: 'role 2',
        before: { name: 'Editor', dataScope: '3', departmentIds: [] },
        after: { name: 'Author', dataScope: '2', departmentIds: [2] },
      },
    ]);
    await served.send('PUT', '/roles/2', body);
    expect(access.takeWritten()).toEqual([['takeAway', []]]);
    expect(await audited()).toHaveLength(1);
  });
});

describe('deleting a role', () => {
  async function addRole(): Promise<number> {
    const { data } = await served.send('POST', '/roles', { roleKey: 'spare', name: 'Spare', dataScope: '5' });
    access.takeWritten();
    return (data as { id: number }).id;
  }
  const giveTo = (userId: number, roleId: number) =>
    database.store.updateTable('users').set({ role_id: roleId }).where('id', '=', userId).execute();

  it.each([
    ['admin', '/roles/1', 409],
    ['one with a user', '/roles/2', 409],
    ['one that does not exist', '/roles/99', 404],
  ])('is refused for %s', async (_what, url, code) => {
    expect(await served.send('DELETE', url)).toMatchObject({ code });
    expect(await countRoles()).toBe(3);
    expect(access.takeWritten()).toEqual([]);
  });

  it('takes its rules with it, in every instance', async () => {
    const id = await addRole();
    await database.store.insertInto('rules').values({ role_id: id, method: 'GET', path: '/a' }).execute();
    expect(await served.send('DELETE', `/roles/${id}`)).toMatchObject({
      code: 200,
      revision: expect.any(Number),
    });
    expect(access.takeWritten()).toEqual([
      [
        'takeAway',
        [
          { kind: 'role_disabled', id },
          { kind: 'rule_removed', roleKey: 'spare', method: 'GET', path: '/a' },
        ],
      ],
    ]);
    expect(await served.send('GET', `/roles/${id}`)).toMatchObject({ code: 404 });
    expect((await audited()).at(-1)).toMatchObject({ action: 'role.delete', before: { id }, after: null });
  });

  it('is not kept up by a deleted user', async () => {
    const id = await addRole();
    await database.store.updateTable('users').set({ deleted_at: new Date() }).where('id', '=', 8).execute();
    await giveTo(8, id);
    expect(await served.send('DELETE', `/roles/${id}`)).toMatchObject({ code: 200 });
    await giveTo(8, 2);
    await database.store.updateTable('users').set({ deleted_at: null }).where('id', '=', 8).execute();
  });

  it('waits for a concurrent assignment to a user, and is refused then', async () => {
    const id = await addRole();
    const { deleting } = await database.store.transaction().execute(async (transaction) => {
      await transaction.selectFrom('roles').select('id').where('id', '=', id).forKeyShare().execute();
      const deleting = served.send('DELETE', `/roles/${id}`);
      await transaction.updateTable('users').set({ role_id: id }).where('id', '=', 8).execute();
      return { deleting };
    });
    expect(await deleting).toMatchObject({ code: 409 });
    await giveTo(8, 2);
  });
});

describe('the list of roles', () => {
  it.each([
    ['/roles?limit=0', 400],
    ['/roles?after=x', 400],
    ['/roles/99', 404],
    ['/roles/0', 400],
  ])('%s is refused', async (url, code) => {
    expect(await served.send('GET', url)).toMatchObject({ code });
  });

  it('comes in pages, by key', async () => {
    const first = await served.send('GET', '/roles?limit=2');
    const { items, next } = first.data as { items: { roleKey: string }[]; next: string };
    const second = await served.send('GET', `/roles?limit=2&after=${next}`);
    const rest = second.data as { items: { roleKey: string }[]; next: null };
    expect([...items, ...rest.items].map(({ roleKey }) => roleKey)).toEqual(['admin', 'editor', 'former']);
    expect(rest.next).toBeNull();
    expect(items[1]).toEqual({
      id: 2,
      roleKey: 'editor',
      name: 'Editor',
      dataScope: '3',
      enabled: true,
      createdAt: expect.stringMatching(/Z$/),
      revision: expect.any(Number),
    });
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

  it('of a disabled role is stored, and no instance receives the role', async () => {
    await set(3, { dataScope: '1' });
    expect(access.takeWritten()).toEqual([['takeAway', []]]);
    expect((await getRole(3)).data_scope).toBe('1');
  });
});

describe('the roles in memory', () => {
  it('follow the changes', async () => {
    const roles = await loadReplica(database.store, createRoles());
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
