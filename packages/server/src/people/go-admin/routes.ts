// HTTP routes for go-admin's own front end: name and logo, menus, password. They pass the same checks as all other routes.
import { type Route, route } from '@portcullis/contract';
import { createSetOwnPassword, type OwnPasswordOptions } from '../own/own-password.ts';
import { appConfigEndpoint, menuRoleEndpoint, setPasswordEndpoint } from './endpoints.ts';
import { listMenus, listMenusOfRole, readFrontEndConfig } from './menu-store.ts';
import { menuTree } from './menu-tree.ts';

/** Used until an import brings a name. */
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
