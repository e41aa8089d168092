// Endpoints of the audit log: every administrative change, limited to the caller's data scope.
import { type Static, Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import { pageFields, pageReply } from '../page.ts';

const moment = Type.String({ format: 'date-time' });

export const AuditItem = Type.Object({
  id: Type.String({ description: 'A UUIDv7: it begins with the time, and grows.' }),
  at: moment,
  actorId: Type.Integer({ description: 'The user who made the change; 0 for the command line.' }),
  actorName: Type.String({ description: 'The username at that time; the role too.' }),
  actorRole: Type.String(),
  action: Type.String({ description: 'What was done, like `user.create`.' }),
  target: Type.String({ description: 'To what, like `user 7`.' }),
  before: Type.Unknown({ description: 'How it was; null where it did not exist.' }),
  after: Type.Unknown({ description: 'How it is now; null where it is gone.' }),
  names: Type.Record(Type.String(), Type.String(), {
    description:
      'What the target is called, and users, roles and departments that the record names by number: `{ "user 7": "Mei Lin" }`. As they are called now, or as the log has it where they are gone; what the data scope hides has none.',
  }),
  requestId: Type.String(),
  ip: Type.String(),
});
export type AuditItem = Static<typeof AuditItem>;

/** Records that match all of them. */
const AuditFilter = Type.Object({
  actorId: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Who made the change; 0 for the command line.',
    }),
  ),
  action: Type.Optional(
    Type.String({
      pattern: '^[a-z][a-z._-]{0,63}$',
      description: 'What the action begins with: `user` and `user.create` both find `user.create`.',
    }),
  ),
  target: Type.Optional(Type.String({ minLength: 1, maxLength: 128, pattern: '^[^\\u0000]*$' })),
  from: Type.Optional(moment),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'The first moment that is left out.' })),
});
export type AuditFilter = Static<typeof AuditFilter>;

export const listAuditEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/audit',
  access: 'permission',
  title: 'List the administrative changes, newest first',
  query: Type.Object({ ...pageFields, ...AuditFilter.properties }),
  reply: pageReply(AuditItem),
  example: { query: { action: 'user', target: 'user 7', limit: 50 } },
});

/** The columns of the CSV export, in order: the fields of a record, with the name of its target instead of all names. */
export const auditFields = [
  'id',
  'at',
  'actorId',
  'actorName',
  'actorRole',
  'action',
  'target',
  'targetName',
  'before',
  'after',
  'requestId',
  'ip',
] as const;

export const exportAuditEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/audit/export',
  access: 'permission',
  title: 'Download the administrative changes as CSV, newest first',
  query: AuditFilter,
  stream: 'text/csv; charset=utf-8',
});

export const auditEndpoints: readonly Endpoint[] = [listAuditEndpoint, exportAuditEndpoint];
