// Endpoints of roles; their rules are in rules.ts. No list says how many users a role has: with millions of them an exact count
// is a scan.
import { type Static, Type } from 'typebox';
import { DisplayName } from '../display-name.ts';
import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import { Id, IdParams } from '../id.ts';
import { pageFields, pageReply } from '../page.ts';
import { dataReply } from '../reply.ts';
import { changed, ifRevisionField, revisionField } from '../revision.ts';
import { dataScopes, roleKeyPattern } from '../role.ts';

const closed = { additionalProperties: false } as const;
const mostDepartments = 1000;

const scopeFields = {
  dataScope: Type.Enum(dataScopes),
  departmentIds: Type.Optional(
    Type.Array(Id, {
      maxItems: mostDepartments,
      description: 'All departments of scope 2; required with it.',
    }),
  ),
};

const roleProperties = {
  id: Id,
  roleKey: Type.String(),
  name: Type.String(),
  dataScope: Type.Enum(dataScopes),
  enabled: Type.Boolean(),
  createdAt: Type.String({ format: 'date-time' }),
  revision: revisionField,
};

const RoleItem = Type.Object(roleProperties);
/** A role in a list. */
export type RoleItem = Static<typeof RoleItem>;

const RoleDetail = Type.Object({
  ...roleProperties,
  departmentIds: Type.Array(Id, { description: 'Those of scope 2; none with any other scope.' }),
});
/** A role, with the departments of its data scope. */
export type RoleDetail = Static<typeof RoleDetail>;

export const listRolesEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/roles',
  access: 'permission',
  title: 'List roles, by their keys',
  query: Type.Object(pageFields),
  reply: pageReply(RoleItem),
});

export const getRoleEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/roles/:id',
  access: 'permission',
  title: 'Get a role',
  params: IdParams,
  reply: dataReply(RoleDetail),
});

export const createRoleEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/roles',
  access: 'permission',
  title: 'Create a role',
  body: Type.Object(
    {
      roleKey: Type.String({
        pattern: roleKeyPattern,
        description:
          'Lowercase letters, digits, `_` and `-`, beginning with a letter; at most 32 characters. It cannot be changed later. Nothing that looks like `admin` is accepted.',
      }),
      name: DisplayName,
      ...scopeFields,
    },
    closed,
  ),
  bodyLimitBytes: 32 * 1024,
  reply: dataReply(Type.Object({ id: Id })),
  example: { body: { roleKey: 'editor', name: 'Editor', dataScope: '3' } },
});

export const changeRoleEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/roles/:id',
  access: 'permission',
  takesAway: true,
  title: 'Change the name and the data scope of a role',
  params: IdParams,
  body: changed({ name: DisplayName, ...scopeFields }, ['name', 'dataScope']),
  bodyLimitBytes: 32 * 1024,
  reply: dataReply(Type.Null()),
  example: { body: { name: 'Editor', dataScope: '2', departmentIds: [1] } },
});

export const deleteRoleEndpoint = defineEndpoint({
  method: 'DELETE',
  path: '/api/v1/roles/:id',
  access: 'permission',
  takesAway: true,
  title: 'Delete a role without holders, with its rules',
  params: IdParams,
  reply: dataReply(Type.Null()),
});

export const setRoleEnabledEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/roles/:id/enabled',
  access: 'permission',
  takesAway: true,
  title: 'Enable or disable a role',
  params: IdParams,
  body: Type.Object({ enabled: Type.Boolean() }, closed),
  reply: dataReply(Type.Null()),
});

export const setRoleDataScopeEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/roles/:id/data-scope',
  access: 'permission',
  takesAway: true,
  title: 'Set the data scope of a role',
  params: IdParams,
  body: Type.Object({ ...scopeFields, ifRevision: ifRevisionField }, closed),
  bodyLimitBytes: 32 * 1024,
  reply: dataReply(Type.Null()),
  example: { body: { dataScope: '4' } },
});

export const roleEndpoints: readonly Endpoint[] = [
  listRolesEndpoint,
  getRoleEndpoint,
  createRoleEndpoint,
  changeRoleEndpoint,
  deleteRoleEndpoint,
  setRoleEnabledEndpoint,
  setRoleDataScopeEndpoint,
];
