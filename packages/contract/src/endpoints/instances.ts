// Endpoint of the running instances, and of how far each of them follows the changes of access.
import { Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import { pageFields, pageProperties } from '../page.ts';
import { dataReply } from '../reply.ts';

const Instance = Type.Object({
  id: Type.String({ format: 'uuid' }),
  version: Type.String(),
  mode: Type.String(),
  revision: Type.Integer({ description: 'What it enforces.' }),
  guards: Type.Array(Type.Object({ service: Type.String(), count: Type.Integer() }), {
    description: 'The guards of business services that it answers for: what it enforces, they enforce too.',
  }),
  startedAt: Type.String({ format: 'date-time' }),
  renewedAt: Type.String({ format: 'date-time' }),
  leaseEndsAt: Type.String({
    format: 'date-time',
    description: 'When it stops deciding, unless it renews its lease before.',
  }),
});

export const listInstancesEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/instances',
  access: 'permission',
  title: 'List the running instances',
  query: Type.Object(pageFields),
  reply: dataReply(
    Type.Object({
      revision: Type.Integer({ description: 'The newest revision of the database.' }),
      ...pageProperties(Instance),
    }),
  ),
});

export const instanceEndpoints: readonly Endpoint[] = [listInstancesEndpoint];
