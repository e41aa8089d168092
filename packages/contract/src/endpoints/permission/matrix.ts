// Endpoint of the access matrix: every known route, ours and those of business services, against the roles.
import { type Static, Type } from 'typebox';
import { accesses, defineEndpoint, type Endpoint, httpMethods } from '../../endpoint.ts';
import { Id } from '../../id.ts';
import { pageFields, pageProperties } from '../../page.ts';
import { dataReply } from '../../reply.ts';
import { servicePattern } from '../catalog.ts';

/** How many routes an answer lists; it counts all of them. */
export const matrixRoutesLimit = 5000;

const MatrixRoute = Type.Object({
  service: Type.String(),
  method: Type.Enum(httpMethods),
  path: Type.String(),
  title: Type.String(),
  tag: Type.Union([Type.String(), Type.Null()]),
  access: Type.Enum(accesses),
  excluded: Type.Boolean({ description: 'On the exclusion list: it needs no rule.' }),
});
/** A route of the matrix, with the access that it declares. */
export type MatrixRoute = Static<typeof MatrixRoute>;

/**
 * What a role is allowed to do with a route: `r` it has a rule with this very method and path, `a` other rules allow all of its
 * paths, `s` other rules allow some of them, `-` none.
 */
export const matrixCells = ['r', 'a', 's', '-'] as const;
export type MatrixCell = (typeof matrixCells)[number];

const MatrixRole = Type.Object({
  id: Id,
  roleKey: Type.String(),
  name: Type.String(),
  enabled: Type.Boolean(),
  revision: Type.Integer({ minimum: 0, description: "The last revision that changed this role's rules." }),
  temporary: Type.Array(
    Type.Object({
      method: Type.String(),
      path: Type.String(),
      endsAt: Type.String({
        format: 'date-time',
        description: 'The first moment at which it allows nothing.',
      }),
    }),
    { description: 'Rules of the role that have an end. The cells are without them.' },
  ),
  cells: Type.String({
    examples: ['r'],
    description:
      'One character a route, in their order: `r` a rule of this very method and path, `a` all of its paths by other rules (and everything for `admin`), `s` some of its paths, `-` none.',
  }),
});
/** A role of the matrix. */
export type MatrixRole = Static<typeof MatrixRole>;

export const matrixEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/matrix',
  access: 'permission',
  title: 'What each role may call: all known routes against a page of roles',
  query: Type.Object({
    ...pageFields,
    service: Type.Optional(
      Type.String({
        pattern: `${servicePattern}|^portcullis$`,
        description: 'Only its routes; `portcullis` for our own.',
      }),
    ),
  }),
  reply: dataReply(
    Type.Object({
      routes: Type.Object({
        count: Type.Integer({ minimum: 0 }),
        items: Type.Array(MatrixRoute, {
          description: `The first ${matrixRoutesLimit} at most; our own come first.`,
        }),
      }),
      ...pageProperties(MatrixRole),
      complete: Type.Boolean({
        description: 'False where comparing was abandoned: then an `s` may be missing.',
      }),
    }),
  ),
});

export const matrixEndpoints: readonly Endpoint[] = [matrixEndpoint];
