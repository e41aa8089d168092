// Endpoints of the catalogue: the routes of business services, imported from their OpenAPI documents, and how the rules cover them.
import { type Static, type TSchema, Type } from 'typebox';
import { defineEndpoint, type Endpoint, httpMethods } from '../endpoint.ts';
import { pageFields, pageReply } from '../page.ts';
import { dataReply } from '../reply.ts';

/** How much one service can import. */
export const catalogLimits = { routes: 10_000, documentBytes: 4 * 1024 * 1024 } as const;

/** The name under which the routes of Portcullis itself are reported; no other service can use it. */
export const ownServiceName = 'portcullis';

/** The names that a service can have. */
export const servicePattern = `^(?!${ownServiceName}$)[a-z][a-z0-9_-]{0,31}$`;

const listedMost = 100;
const reportedMost = 1000;

/** How many routes and rules an answer lists; it counts all of them. */
export const listedLimits = { import: listedMost, report: reportedMost } as const;

const method = Type.Enum(httpMethods);
const path = Type.String({ description: 'As a rule has it: literal segments and `:name`.' });
const count = Type.Integer({ minimum: 0 });
const Service = Type.String({
  pattern: servicePattern,
  description: `Lowercase letters, digits, \`_\` and \`-\`, beginning with a letter; at most 32 characters, and not \`${ownServiceName}\`.`,
});
const ServiceParams = Type.Object({ service: Service });
const text = Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000]*$' });

const CatalogRoute = Type.Object({
  service: Type.String(),
  method,
  path,
  title: Type.String({ description: 'The summary of the operation, or its id; empty where it has neither.' }),
  tag: Type.Union([Type.String(), Type.Null()]),
});
/** A route of a business service. */
export type CatalogRoute = Static<typeof CatalogRoute>;

const counted = <S extends TSchema>(item: S, most: number) =>
  Type.Object({ count, items: Type.Array(item, { description: `The first ${most} at most.` }) });

const SkippedRoute = Type.Object({
  method: Type.Union([Type.String(), Type.Null()], { description: 'Null where the whole path was skipped.' }),
  path: Type.String(),
  reason: Type.String(),
});
/** What a document declares and no rule could name, with the reason. */
export type SkippedRoute = Static<typeof SkippedRoute>;

const RouteName = Type.Object({ method, path });

const RouteImport = Type.Object({
  prefix: Type.String({ description: 'What was put in front of every path.' }),
  added: counted(RouteName, listedMost),
  removed: counted(RouteName, listedMost),
  kept: count,
  skipped: counted(SkippedRoute, listedMost),
});
/** The result of an import. */
export type RouteImport = Static<typeof RouteImport>;

const RouteReport = Type.Object({
  adminOnly: Type.Object(
    counted(Type.Object({ service: Type.String(), method, path, title: Type.String() }), reportedMost)
      .properties,
    { description: 'Routes that no enabled role but `admin` has a rule for.' },
  ),
  unmatchedRules: Type.Object(
    counted(Type.Object({ roleKey: Type.String(), method: Type.String(), path: Type.String() }), reportedMost)
      .properties,
    { description: 'Rules that cover no path of any known route.' },
  ),
  complete: Type.Boolean({
    description: 'False where comparing was abandoned: then both lists may be too long.',
  }),
});
/** How the rules cover the known routes. */
export type RouteReport = Static<typeof RouteReport>;

export const listRoutesEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/routes',
  access: 'permission',
  title: 'List the routes of business services',
  query: Type.Object({
    ...pageFields,
    service: Type.Optional(Service),
    tag: Type.Optional(text),
    text: Type.Optional(
      Type.String({ ...text, description: 'What the path or the title contains, in any case.' }),
    ),
  }),
  reply: pageReply(CatalogRoute),
});

export const reportRoutesEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/routes/report',
  access: 'permission',
  title: 'Routes that only admin can call, and rules that match no route',
  query: Type.Object({
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: reportedMost,
        description: `How many of each are listed; ${listedMost} unless given.`,
      }),
    ),
  }),
  reply: dataReply(RouteReport),
});

export const importRoutesEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/routes/:service',
  access: 'permission',
  title: 'Replace the routes of a service with those of an OpenAPI document, which is the body',
  params: ServiceParams,
  query: Type.Object({
    prefix: Type.Optional(
      Type.String({
        maxLength: 256,
        description: 'Instead of the path of the first server of the document.',
      }),
    ),
  }),
  body: Type.Record(Type.String(), Type.Unknown()),
  bodyLimitBytes: catalogLimits.documentBytes,
  example: {
    body: {
      openapi: '3.1.0',
      info: { title: 'Orders', version: '1.0.0' },
      paths: { '/orders/{id}': { get: { summary: 'Show an order', tags: ['Sales'], responses: {} } } },
    },
  },
  reply: dataReply(RouteImport),
});

export const deleteRoutesEndpoint = defineEndpoint({
  method: 'DELETE',
  path: '/api/v1/routes/:service',
  access: 'permission',
  title: 'Forget the routes of a service',
  params: ServiceParams,
  reply: dataReply(Type.Object({ removed: count })),
});

export const catalogEndpoints: readonly Endpoint[] = [
  listRoutesEndpoint,
  reportRoutesEndpoint,
  importRoutesEndpoint,
  deleteRoutesEndpoint,
];
