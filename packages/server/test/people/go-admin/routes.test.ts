import { afterAll, beforeAll, expect, it } from 'vitest';
import { lintSchemas } from '../../../src/http/lint-schemas.ts';
import { createRecordChange } from '../../../src/logs/audit/record-change.ts';
import { goAdminEndpoints } from '../../../src/people/go-admin/endpoints.ts';
import {
  listPermissionNames,
  replaceMenus,
  type StoredMenu,
} from '../../../src/people/go-admin/menu-store.ts';
import { goAdminRoutes } from '../../../src/people/go-admin/routes.ts';
import { createPasswordRules } from '../../../src/people/passwords/password-rules.ts';
import { findAccount } from '../../../src/people/users/user-store.ts';
import { createAccessStandIn } from '../../access-stand-in.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';
import { administrator, type ServedRoutes, serveRoutes } from '../../serve-routes.ts';

let database: FreshDatabase;
let served: ServedRoutes;
let caller = administrator;
const mei = { ...administrator, userId: 7, username: 'mei', roleId: 2, roleKey: 'editor' };

const menu = (id: number, more: Partial<StoredMenu>): StoredMenu => ({
  id,
  parentId: 0,
  kind: 'M',
  name: `Name${id}`,
  title: `标题 ${id}`,
  icon: 'user',
  path: `/path-${id}`,
  component: 'Layout',
  permission: '',
  visible: '0',
  noCache: false,
  sort: id,
  ...more,
});
const menus = [
  menu(2, {}),
  menu(3, { parentId: 2, kind: 'C', component: '/admin/sys-user/index', permission: 'admin:sysUser:list' }),
  menu(43, { parentId: 3, kind: 'F', permission: 'admin:sysUser:add' }),
  menu(44, { parentId: 3, kind: 'F', permission: 'admin:sysUser:remove' }),
  menu(60, {}),
];

beforeAll(async () => {
  database = await createFreshDatabase();
  const { store } = database;
  await seedDirectory(store);
  const routes = goAdminRoutes({
    store,
    access: createAccessStandIn(store),
    rules: createPasswordRules({ minimumLength: 15 }),
    verifyPassword: async (_caller, username, password) =>
      password === 'the old one' ? (await findAccount(store, username))?.account : undefined,
    hashes: { admit: () => {}, hash: async (_caller, password) => `hash of ${password}` },
    clearCookie: () => {},
    recordChange: createRecordChange(),
  });
  served = serveRoutes(routes, () => caller);
});
afterAll(async () => {
  await served.close();
  await database.drop();
});

const copyMenus = () =>
  database.store.transaction().execute((transaction) =>
    replaceMenus(transaction, {
      menus,
      ofRoles: [
        { roleId: 2, menuId: 3 },
        { roleId: 2, menuId: 43 },
      ],
      config: { sys_app_name: '管理系统' },
    }),
  );

it('before an import there is no menu, and a name to show', async () => {
  expect(await served.send('GET', '/menurole')).toMatchObject({ code: 200, data: [] });
  expect((await served.send('GET', '/app-config')).data).toEqual({
    sys_app_name: 'go-admin',
    sys_app_logo: '',
  });
});

it('a role sees its own menus, an administrator all of them', async () => {
  await copyMenus();
  caller = mei;
  expect((await served.send('GET', '/menurole')).data).toEqual([
    {
      menuId: 2,
      parentId: 0,
      menuType: 'M',
      menuName: 'Name2',
      title: '标题 2',
      icon: 'user',
      path: '/path-2',
      component: 'Layout',
      permission: '',
      visible: '0',
      noCache: false,
      sort: 2,
      children: [expect.objectContaining({ menuId: 3, component: '/admin/sys-user/index', children: [] })],
    },
  ]);
  caller = { ...mei, roleId: 3, roleKey: 'former' };
  expect((await served.send('GET', '/menurole')).data).toEqual([]);
  caller = administrator;
  const { data } = await served.send('GET', '/menurole');
  expect((data as { menuId: number }[]).map(({ menuId }) => menuId)).toEqual([2, 60]);
});

it('the names of permissions are those of the menus and buttons of the role', async () => {
  await copyMenus();
  expect(await listPermissionNames(database.store, 2)).toEqual(['admin:sysUser:add', 'admin:sysUser:list']);
  expect(await listPermissionNames(database.store, 3)).toEqual([]);
});

it('the front end is called as go-admin calls it', async () => {
  await copyMenus();
  expect((await served.send('GET', '/app-config')).data).toEqual({
    sys_app_name: '管理系统',
    sys_app_logo: '',
  });
});

it('menus go with a new copy, and with their role', async () => {
  await copyMenus();
  await database.store
    .transaction()
    .execute((transaction) =>
      replaceMenus(transaction, { menus: menus.slice(0, 1), ofRoles: [], config: {} }),
    );
  caller = mei;
  expect((await served.send('GET', '/menurole')).data).toEqual([]);
  caller = administrator;
  expect((await served.send('GET', '/menurole')).data).toHaveLength(1);
});

it('changes the own password with the old one, under go-admin’s path', async () => {
  caller = mei;
  const newPassword = 'lamp orbit velvet ninety';
  const set = (body: object) => served.send('PUT', '/user/pwd/set', body);
  expect(await set({ oldPassword: 'a guess', newPassword })).toMatchObject({ code: 400 });
  expect(await set({ oldPassword: 'the old one', newPassword: 'short' })).toMatchObject({ code: 400 });
  expect(await set({ oldPassword: 'the old one', newPassword })).toMatchObject({ code: 200, data: null });
  const { password_hash: hash } = await database.store
    .selectFrom('users')
    .select('password_hash')
    .where('id', '=', 7)
    .executeTakeFirstOrThrow();
  expect(hash).toBe(`hash of ${newPassword}`);
});

it('their schemas are sound', () => {
  expect(lintSchemas(goAdminEndpoints)).toEqual([]);
});
