// The endpoints of go-admin's own front end. They go through the same checks as all others.
import { type Route, route } from '@portcullis/contract';
import { createSetOwnPassword, type OwnPasswordOptions } from '../own/own-password.ts';
import { appConfigEndpoint, menuRoleEndpoint, setPasswordEndpoint } from './endpoints.ts';
import { listMenus, listMenusOfRole, readFrontEndConfig } from './menu-store.ts';
import { menuTree } from './menu-tree.ts';

/** Where no import has brought a name. */
const unnamed = { sys_app_name: 'go-admin', sys_app_logo: '' };

export function goAdminRoutes(options: OwnPasswordOptions): Route[] {
  const { store } = options;
  return [
    route(appConfigEndpoint, async () => ({ data: { ...unnamed, ...(await readFrontEndConfig(store)) } })),
    route(menuRoleEndpoint, async ({ caller: { roleKey, roleId } }) => {
      const given = roleKey === 'admin' ? 'all' : await listMenusOfRole(store, roleId);
      const menus = await listMenus(store);
      return { data: menuTree(menus, given).map((menu) => ({ ...menu, children: [...menu.children] })) };
    }),
    route(setPasswordEndpoint, createSetOwnPassword(options)),
  ];
}
