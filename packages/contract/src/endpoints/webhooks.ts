// Endpoints of webhooks: the receivers of the events of both logs, and the deliveries. Only `admin` can use them.
import { type Static, Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import { Id, IdParams } from '../id.ts';
import { pageFields, pageReply } from '../page.ts';
import { dataReply } from '../reply.ts';

/** The kinds of events of the login log; those of the audit log are named like its actions. */
export const loginEventKinds = ['login.success', 'login.failure', 'login.logout'] as const;
export type LoginEventKind = (typeof loginEventKinds)[number];

/** `retrying` is retried, `dead` is not, and `waiting` waits behind one of those with the same object. */
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
const Kinds = Type.Array(
  Type.String({
    maxLength: 64,
    pattern: '^[a-z][a-z_-]*(\\.[a-z][a-z_-]*)*(\\.\\*)?$',
    description: 'One kind of events, such as `user.create`, or all that begin so: `user.*`.',
  }),
  {
    maxItems: 50,
    description: 'Kinds of events, such as `user.create`, or all that begin so: `user.*`. None: every kind.',
  },
);

export const Webhook = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  url: Type.String(),
  kinds: Type.Array(Type.String()),
  enabled: Type.Boolean(),
  createdAt: Type.String({ format: 'date-time' }),
  previousSecretUntil: nullableTime,
  delivered: Type.Integer(),
  failed: Type.Integer({ description: 'Tries that failed.' }),
  skipped: Type.Integer(),
  gone: Type.Integer({ description: 'Events whose records were swept before they were delivered.' }),
  dead: Type.Integer(),
  held: Type.Integer({ description: 'Events that are tried again, dead, or wait behind such a one.' }),
  behind: Type.Integer({ description: 'Records of both logs that were not looked at yet.' }),
  lastDeliveredAt: nullableTime,
  restingUntil: nullableTime,
  problem: Type.Union([Type.String(), Type.Null()], { description: 'Of the last try, where it failed.' }),
});
export type Webhook = Static<typeof Webhook>;

const Letter = Type.Object({
  delivery: Type.Integer(),
  eventId: Type.String(),
  log: Type.Enum(eventLogs),
  kind: Type.String(),
  object: Type.String(),
  at: Type.String({ format: 'date-time' }),
  state: Type.Enum(deliveryStates),
  tries: Type.Integer(),
  nextAt: nullableTime,
  problem: nullableText,
});
export type WebhookDelivery = Static<typeof Letter>;

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
        description: 'False where `logger.enableddb` is off: then there are no events of logins.',
      }),
    }),
  ),
});

const Secret = Type.String({ description: 'Shown this once. `whsec_` and 32 bytes in base64.' });

export const createWebhookEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/webhooks',
  access: 'permission',
  title: 'Tell events to a URL from now on',
  errors: ['webhook_url_refused'],
  body: Type.Object({ name: Name, url: Url, kinds: Type.Optional(Kinds) }, { additionalProperties: false }),
  example: {
    body: { name: 'SIEM', url: 'https://siem.example.com/portcullis', kinds: ['login.*', 'user.*'] },
  },
  reply: dataReply(Type.Object({ id: Id, secret: Secret })),
});

const Change = Type.Partial(
  Type.Object({
    name: Name,
    url: Url,
    kinds: Kinds,
    enabled: Type.Boolean(),
    secret: Type.Enum(['rotate', 'finish'], {
      description: '`rotate` makes a new secret; the previous one signs too, for a day or until `finish`.',
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
  title: 'End a webhook: nothing is sent after the answer',
  params: IdParams,
  reply: dataReply(Type.Null()),
});

export const testWebhookEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/webhooks/:id/test',
  access: 'permission',
  title: 'Record a test and wait until it is delivered',
  params: IdParams,
  reply: dataReply(Type.Object({ delivered: Type.Boolean(), problem: nullableText })),
});

export const listDeliveriesEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/webhooks/:id/deliveries',
  access: 'permission',
  title: 'List the events that a webhook holds, oldest first',
  errors: ['exceeds_own_permissions'],
  params: IdParams,
  query: Type.Object({ ...pageFields, state: Type.Optional(Type.Enum(deliveryStates)) }),
  reply: pageReply(Letter),
});

const OneLetter = Type.Object(
  { delivery: Type.Optional(Id) },
  { additionalProperties: false, description: 'Without a delivery, every failed one.' },
);
const Count = dataReply(Type.Object({ count: Type.Integer() }));

export const replayDeliveriesEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/webhooks/:id/replay',
  access: 'permission',
  title: 'Retry failed deliveries',
  params: IdParams,
  body: OneLetter,
  example: { body: {} },
  reply: Count,
});

export const skipDeliveriesEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/webhooks/:id/skip',
  access: 'permission',
  title: 'Skip a delivery and continue with the deliveries behind it',
  params: IdParams,
  body: Type.Object({ delivery: Id }, { additionalProperties: false }),
  example: { body: { delivery: 7 } },
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
