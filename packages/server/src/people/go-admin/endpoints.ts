// What go-admin's own front end asks for beyond the API. These endpoints are there only where the setting says so, so they
// are no part of the contract: no client, no document and no other front end rests on them.
import { dataReply, defineEndpoint, type Endpoint, setOwnPasswordEndpoint } from '@portcullis/contract';
import { Type } from 'typebox';

/** Asked for before anybody has logged in. */
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

/** Also for a password that is due: without its menus, the front end does not get to the page where one changes it. */
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
