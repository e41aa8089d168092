// Endpoints of webhooks: the receivers of the events of both logs, and the deliveries. Only `admin` can use them.
import { type Static, Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import { Id, IdParams } from '../id.ts';
import { pageFields, pageReply } from '../page.ts';
import { dataReply } from '../reply.ts';

/** The event types of the login log. The event types of the audit log are its actions. */
export const loginEventTypes = ['login.success', 'login.failure', 'login.logout'] as const;
export type LoginEventType = (typeof loginEventTypes)[number];

/** `retrying` is retried, `dead` is a dead letter, and `waiting` waits for an earlier delivery with the same subject. */
export const deliveryStates = ['retrying', 'dead', 'waiting'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** The log that an event comes from. */
export const eventLogs = ['audit', 'login'] as const;
export type EventLog = (typeof eventLogs)[number];

export const mostWebhooks = 20;

const nullableText = Type.Union([Type.String(), Type.Null()]);
const nullableTime = Type.Union([Type.String({ format: 'date-time' }), Type.Null()]);
const Name = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[^\\u0000-\\u001f\\u007f]*$',
  description: 'At most 64 characters, without control characters.',
});
const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: '`https://`, without a user or a fragment.',
});
const EventTypes = Type.Array(
  Type.String({
    maxLength: 64,
    pattern: '^[a-z][a-z_-]*(\\.[a-z][a-z_-]*)*(\\.\\*)?$',
    description: 'One event type, such as `user.create`, or all types with a prefix, such as `user.*`.',
  }),
  {
    maxItems: 50,
    description:
      'The event types to send, such as `user.create`, or `user.*` for all types with that prefix. Empty: all types.',
  },
);

export const Webhook = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  url: Type.String(),
  types: Type.Array(Type.String()),
  enabled: Type.Boolean(),
  createdAt: Type.String({ format: 'date-time' }),
  previousSecretUntil: nullableTime,
  delivered: Type.Integer({ description: 'Delivered events.' }),
  failedAttempts: Type.Integer(),
  skipped: Type.Integer({ description: 'Deliveries that an administrator skipped.' }),
  expired: Type.Integer({ description: 'Events whose log records were deleted before their delivery.' }),
  deadLetters: Type.Integer({ description: 'Deliveries whose retries are used up.' }),
  pending: Type.Integer({
    description:
      'Queued deliveries: those that are retried, dead letters, and those that wait for one of them.',
  }),
  backlog: Type.Integer({ description: 'Records of both logs that the webhook has not processed yet.' }),
  lastDeliveredAt: nullableTime,
  pausedUntil: nullableTime,
  lastError: Type.Union([Type.String(), Type.Null()], {
    description: 'The error of the last attempt; null if it succeeded.',
  }),
});
export type Webhook = Static<typeof Webhook>;

const WebhookDelivery = Type.Object({
  id: Type.Integer(),
  eventId: Type.String(),
  log: Type.Enum(eventLogs),
  type: Type.String(),
  subject: Type.String({ description: 'The object of the event, such as `user 7`.' }),
  at: Type.String({ format: 'date-time', description: 'The time of the log record.' }),
  state: Type.Enum(deliveryStates),
  attempts: Type.Integer(),
  nextAttemptAt: nullableTime,
  lastError: nullableText,
});
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const listWebhooksEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/webhooks',
  access: 'permission',
  title: 'List the webhooks',
  errors: ['exceeds_own_permissions'],
  reply: dataReply(
    Type.Object({
      items: Type.Array(Webhook),
      loginEvents: Type.Boolean({
        description: 'False if `logger.enableddb` is off, so that there are no login events.',
      }),
    }),
  ),
});

const Secret = Type.String({ description: '`whsec_` and 32 bytes in base64. No other call returns it.' });

export const createWebhookEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/webhooks',
  access: 'permission',
  title: 'Create a webhook: send new events to a URL',
  errors: ['webhook_url_refused'],
  body: Type.Object(
    { name: Name, url: Url, types: Type.Optional(EventTypes) },
    { additionalProperties: false },
  ),
  example: {
    body: { name: 'SIEM', url: 'https://siem.example.com/portcullis', types: ['login.*', 'user.*'] },
  },
  reply: dataReply(Type.Object({ id: Id, secret: Secret })),
});

const Change = Type.Partial(
  Type.Object({
    name: Name,
    url: Url,
    types: EventTypes,
    enabled: Type.Boolean(),
    secret: Type.Enum(['rotate', 'finish'], {
      description:
        '`rotate` creates a new secret. Events are signed with both secrets for a day, or until `finish`.',
    }),
  }),
  { additionalProperties: false, minProperties: 1 },
);

export const changeWebhookEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/webhooks/:id',
  access: 'permission',
  title: 'Change a webhook, or its secret',
  errors: ['webhook_url_refused'],
  params: IdParams,
  body: Change,
  example: { body: { name: 'SIEM of the office' } },
  reply: dataReply(Type.Object({ secret: Type.Union([Secret, Type.Null()]) })),
});

export const endWebhookEndpoint = defineEndpoint({
  method: 'DELETE',
  path: '/api/v1/webhooks/:id',
  access: 'permission',
  title: 'Delete a webhook; no event is sent after the response',
  params: IdParams,
  reply: dataReply(Type.Null()),
});

export const testWebhookEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/webhooks/:id/test',
  access: 'permission',
  title: 'Record a test event and wait until it is delivered',
  params: IdParams,
  reply: dataReply(Type.Object({ delivered: Type.Boolean(), error: nullableText })),
});

export const listDeliveriesEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/webhooks/:id/deliveries',
  access: 'permission',
  title: 'List the pending deliveries of a webhook, oldest first',
  errors: ['exceeds_own_permissions'],
  params: IdParams,
  query: Type.Object({ ...pageFields, state: Type.Optional(Type.Enum(deliveryStates)) }),
  reply: pageReply(WebhookDelivery),
});

const ReplayBody = Type.Object(
  { deliveryId: Type.Optional(Id) },
  { additionalProperties: false, description: 'Without `deliveryId`: all dead letters.' },
);
const Count = dataReply(Type.Object({ count: Type.Integer() }));

export const replayDeliveriesEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/webhooks/:id/replay',
  access: 'permission',
  title: 'Retry one delivery or all dead letters',
  params: IdParams,
  body: ReplayBody,
  example: { body: {} },
  reply: Count,
});

export const skipDeliveriesEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/webhooks/:id/skip',
  access: 'permission',
  title: 'Skip a delivery and continue with the deliveries that wait for it',
  params: IdParams,
  body: Type.Object({ deliveryId: Id }, { additionalProperties: false }),
  example: { body: { deliveryId: 7 } },
  reply: Count,
});

export const webhookEndpoints: readonly Endpoint[] = [
  listWebhooksEndpoint,
  createWebhookEndpoint,
  changeWebhookEndpoint,
  endWebhookEndpoint,
  testWebhookEndpoint,
  listDeliveriesEndpoint,
  replayDeliveriesEndpoint,
  skipDeliveriesEndpoint,
];
