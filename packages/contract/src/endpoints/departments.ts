// Endpoints of departments: a tree, read level by level or as a flat list, within the caller's data scope.
import { type Static, Type } from 'typebox';
import { DisplayName } from '../display-name.ts';
import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import { Id, IdParams } from '../id.ts';
import { pageFields, pageReply } from '../page.ts';
import { dataReply } from '../reply.ts';
import { changed, revisionField } from '../revision.ts';

const parentId = Type.Union([Id, Type.Null()], { description: 'Null for one at the top.' });
const fields = { name: DisplayName, parentId };

const Department = Type.Object({
  id: Id,
  name: Type.String(),
  parentId,
  hasChildren: Type.Boolean(),
  createdAt: Type.String({ format: 'date-time' }),
  revision: revisionField,
});
/** A department in a list. */
export type Department = Static<typeof Department>;

export const listDepartmentsEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/departments',
  access: 'permission',
  title: 'List departments, by their names',
  query: Type.Object({
    ...pageFields,
    parentId: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description:
          'Only those directly below this one; 0 for those at the top of what the caller may see. All unless given.',
      }),
    ),
  }),
  reply: pageReply(Department),
});

export const getDepartmentEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/departments/:id',
  access: 'permission',
  title: 'View a department',
  params: IdParams,
  reply: dataReply(
    Type.Object({
      ...Department.properties,
      parentName: Type.Union([Type.String(), Type.Null()], {
        description: 'Null at the top, and where the data scope hides what is above.',
      }),
    }),
  ),
});

export const createDepartmentEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/departments',
  access: 'permission',
  title: 'Create a department',
  body: Type.Object(fields, { additionalProperties: false }),
  example: { body: { name: 'Sales', parentId: 1 } },
  reply: dataReply(Type.Object({ id: Id })),
});

export const changeDepartmentEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/departments/:id',
  access: 'permission',
  title: 'Rename a department, or move it',
  params: IdParams,
  body: changed(fields),
  example: { body: { name: 'Sales', parentId: 1 } },
  reply: dataReply(Type.Null()),
});

export const deleteDepartmentEndpoint = defineEndpoint({
  method: 'DELETE',
  path: '/api/v1/departments/:id',
  access: 'permission',
  title: 'Delete a department without users and without departments below',
  params: IdParams,
  reply: dataReply(Type.Null()),
});

export const departmentEndpoints: readonly Endpoint[] = [
  listDepartmentsEndpoint,
  getDepartmentEndpoint,
  createDepartmentEndpoint,
  changeDepartmentEndpoint,
  deleteDepartmentEndpoint,
];
