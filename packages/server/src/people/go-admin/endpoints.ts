// Compatibility endpoints that only go-admin's own front end calls. They exist only if the setting enables them, so they are not
// part of the contract: no client, no document and no other front end relies on them.
import { dataReply, defineEndpoint, type Endpoint, setOwnPasswordEndpoint } from '@portcullis/contract';
import { Type } from 'typebox';

/** Called before the login. */
export const appConfigEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/app-config',
  access: 'public',
  title: 'What go-admin’s front end is called',
  reply: dataReply(Type.Object({ sys_app_name: Type.String(), sys_app_logo: Type.String() })),
});

const Menu = Type.Object({
  menuId: Type.Integer(),
  parentId: Type.Integer(),
  menuType: Type.String(),
  menuName: Type.String(),
  title: Type.String(),
  icon: Type.String(),
  path: Type.String(),
  component: Type.String(),
  permission: Type.String(),
  visible: Type.String(),
  noCache: Type.Boolean(),
  sort: Type.Integer(),
  children: Type.Array(Type.Unknown({ description: 'Menus, too.' })),
});

/** Allowed while the password must be changed: without its menus, the front end does not reach the page that changes it. */
export const menuRoleEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/menurole',
  access: 'identity',
  forDuePassword: true,
  title: 'The menus of the caller’s role, as go-admin’s front end shows them',
  reply: dataReply(Type.Array(Menu)),
});

export const setPasswordEndpoint = defineEndpoint({
  ...setOwnPasswordEndpoint,
  path: '/api/v1/user/pwd/set',
});

export const goAdminEndpoints: readonly Endpoint[] = [
  appConfigEndpoint,
  menuRoleEndpoint,
  setPasswordEndpoint,
];
