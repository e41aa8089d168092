// Endpoints of the login log, limited to the caller's data scope: pages, sums, a live tail and a CSV export.
import { type Static, Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import { loginMethods } from '../factor.ts';
import { Id } from '../id.ts';
import { loginOutcomes, loginReasons } from '../login-log.ts';
import { pageFields, pageReply } from '../page.ts';
import { dataReply } from '../reply.ts';

const nullableText = Type.Union([Type.String(), Type.Null()]);
const moment = Type.String({ format: 'date-time' });

export const LoginLogItem = Type.Object({
  id: Type.String({ description: 'A UUIDv7: it begins with the time, and grows.' }),
  at: moment,
  username: nullableText,
  userId: Type.Union([Id, Type.Null()]),
  roleKey: nullableText,
  outcome: Type.Enum(loginOutcomes),
  reason: Type.Enum(loginReasons),
  ip: nullableText,
  userAgent: nullableText,
  browser: nullableText,
  os: nullableText,
  platform: nullableText,
  location: nullableText,
  requestId: Type.String(),
  jti: nullableText,
  instance: Type.String(),
  method: Type.Union([Type.Enum(loginMethods), Type.Null()], {
    description: 'Null in records of earlier versions, of logouts, and where it cannot be told.',
  }),
  credentialId: Type.Union([Id, Type.Null()]),
  provider: Type.Union([Type.String(), Type.Null()], {
    description: 'The key of the provider that vouched for it, or was to.',
  }),
});
export type LoginLogItem = Static<typeof LoginLogItem>;

/** The columns of the CSV export, in order. */
export const loginLogFields = Object.keys(LoginLogItem.properties) as (keyof LoginLogItem)[];

/** Postgres has no text with a NUL in it. */
const text = Type.String({ minLength: 1, maxLength: 64, pattern: '^[^\\u0000]*$' });
const range = {
  from: Type.Optional(moment),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'The first moment that is left out.' })),
};

/** Records that match all of them. */
const LoginLogFilter = Type.Object({
  ...range,
  username: Type.Optional(text),
  userId: Type.Optional(Id),
  ip: Type.Optional(
    Type.String({
      pattern: '^[0-9a-fA-F.:]{2,45}(/[0-9]{1,3})?$',
      description: 'An address, or a network like 192.0.2.0/24.',
    }),
  ),
  outcome: Type.Optional(Type.Enum(loginOutcomes)),
  reason: Type.Optional(Type.Enum(loginReasons)),
  browser: Type.Optional(text),
  os: Type.Optional(text),
  location: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$', description: 'A country, by ISO 3166.' })),
});
export type LoginLogFilter = Static<typeof LoginLogFilter>;

const count = Type.Integer({ minimum: 1 });
const summed = {
  from: moment,
  to: moment,
  complete: Type.Boolean({
    description: 'Whether everything in the range was counted, or only the newest records of it.',
  }),
};

export const listLoginLogsEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/login-logs',
  access: 'permission',
  title: 'List the login log, newest first',
  query: Type.Object({ ...pageFields, ...LoginLogFilter.properties }),
  reply: pageReply(LoginLogItem),
});

export const countLoginLogsEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/login-logs/counts',
  access: 'permission',
  title:
    'Count what a filter finds in the login log by hour; the last 24 hours unless a range of at most 92 days is given',
  query: LoginLogFilter,
  reply: dataReply(
    Type.Object({
      ...summed,
      countedFrom: Type.Optional(
        Type.String({
          format: 'date-time',
          description: 'Where not everything was counted: when the records begin that were.',
        }),
      ),
      hours: Type.Array(
        Type.Object({
          hour: moment,
          outcome: Type.Enum(loginOutcomes),
          reason: Type.Enum(loginReasons),
          count,
        }),
      ),
    }),
  ),
});

export const topLoginFailuresEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/login-logs/top',
  access: 'permission',
  title:
    'The names and addresses with the most failures; of the last 24 hours unless a range of at most 31 days is given',
  query: Type.Object(range),
  reply: dataReply(
    Type.Object({
      ...summed,
      users: Type.Array(Type.Object({ username: Type.String(), count })),
      addresses: Type.Array(Type.Object({ ip: Type.String(), count })),
    }),
  ),
});

export const tailLoginLogsEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/login-logs/tail',
  access: 'permission',
  title: 'Follow the login log: an event for every new record, until the session ends',
  query: LoginLogFilter,
  stream: 'text/event-stream',
});

export const exportLoginLogsEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/login-logs/export',
  access: 'permission',
  title: 'Download the login log as CSV, newest first',
  query: LoginLogFilter,
  stream: 'text/csv; charset=utf-8',
});

export const loginLogEndpoints: readonly Endpoint[] = [
  listLoginLogsEndpoint,
  countLoginLogsEndpoint,
  topLoginFailuresEndpoint,
  tailLoginLogsEndpoint,
  exportLoginLogsEndpoint,
];
