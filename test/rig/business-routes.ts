// Endpoints of a business service, one of every access, declared just as the product's own. Every handler counts
// that it was entered; GET /api/v1/entries tells the count.
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { dataReply, defineEndpoint, type Endpoint } from '@portcullis/contract';
import { type Route, route } from '@portcullis/server';
import { Type } from 'typebox';

const Done = dataReply(Type.Object({ done: Type.String() }));
const orderId = Type.Object({ id: Type.String({ pattern: '^[a-z0-9]{1,16}$' }) });
const Order = Type.Object({
  item: Type.String({ minLength: 1, maxLength: 64 }),
  count: Type.Integer({ minimum: 1 }),
});
const Context = dataReply(
  Type.Object({
    userId: Type.Integer(),
    roleId: Type.Integer(),
    roleKey: Type.String(),
    username: Type.String(),
    dataScope: Type.String(),
  }),
);

const permission = { access: 'permission', reply: Done } as const;
const greet = defineEndpoint({
  method: 'GET',
  path: '/api/v1/greeting',
  access: 'public',
  title: 'Greet',
  reply: Done,
});
const showContext = defineEndpoint({
  method: 'GET',
  path: '/api/v1/context',
  access: 'identity',
  title: 'Show the request context',
  reply: Context,
});
const listOrders = defineEndpoint({
  ...permission,
  method: 'GET',
  path: '/api/v1/orders',
  title: 'List orders',
});
const addOrder = defineEndpoint({
  ...permission,
  method: 'POST',
  path: '/api/v1/orders',
  title: 'Add an order',
  body: Order,
});
const showOrder = defineEndpoint({
  ...permission,
  method: 'GET',
  path: '/api/v1/orders/:id',
  title: 'Show an order',
  params: orderId,
});
const changeOrder = defineEndpoint({
  ...permission,
  method: 'PUT',
  path: '/api/v1/orders/:id',
  title: 'Change an order',
  params: orderId,
  body: Order,
});
const removeOrder = defineEndpoint({
  ...permission,
  method: 'DELETE',
  path: '/api/v1/orders/:id',
  title: 'Remove an order',
  params: orderId,
});
const showReport = defineEndpoint({
  ...permission,
  method: 'GET',
  path: '/api/v1/reports/:year/:month',
  title: 'Show a report',
});
const failOnPurpose = defineEndpoint({
  ...permission,
  method: 'POST',
  path: '/api/v1/faults',
  title: 'Fail',
  body: Type.Unknown(),
});
const readNotices = defineEndpoint({
  ...permission,
  method: 'GET',
  path: '/api/v1/notices',
  title: 'Read notices',
  excludable: true,
});
/** Beside one that may be excluded, and below it. */
const addNotice = defineEndpoint({
  ...permission,
  method: 'POST',
  path: '/api/v1/notices',
  title: 'Add a notice',
});
const readNotice = defineEndpoint({
  ...permission,
  method: 'GET',
  path: '/api/v1/notices/:id',
  title: 'Read a notice',
  params: orderId,
});
const readBulletins = defineEndpoint({
  ...permission,
  method: 'GET',
  path: '/api/v1/bulletins',
  title: 'Read bulletins',
  excludable: true,
});
const waitForStop = defineEndpoint({
  method: 'POST',
  path: '/api/v1/waits',
  access: 'public',
  title: 'Answer after SIGTERM',
  reply: Done,
});
const countEntries = defineEndpoint({
  method: 'GET',
  path: '/api/v1/entries',
  access: 'public',
  title: 'Count entered handlers',
  reply: dataReply(Type.Object({ entries: Type.Integer() })),
});

/** What a business service without TypeScript could pass. */
export const undeclaredEndpoint = {
  method: 'GET',
  path: '/api/v1/undeclared',
  title: 'Declares no access',
  reply: dataReply(Type.Null()),
} as unknown as Endpoint & { readonly access: 'public' };

export function createBusinessRoutes(): Route[] {
  let entries = 0;
  const enter = (done: string) => {
    entries += 1;
    return { data: { done } };
  };
  return [
    route(greet, () => enter('greeted')),
    route(showContext, ({ caller: { jti, expiresAt, ...context } }) => {
      entries += 1;
      return { data: context };
    }),
    route(listOrders, () => enter('listed')),
    route(addOrder, ({ body }) => enter(`added ${body.item}`)),
    route(showOrder, ({ params }) => enter(`showed ${params.id}`)),
    route(changeOrder, ({ params }) => enter(`changed ${params.id}`)),
    route(removeOrder, ({ params }) => enter(`removed ${params.id}`)),
    route(showReport, () => enter('reported')),
    route(failOnPurpose, () => {
      entries += 1;
      throw new Error('The ledger is torn.');
    }),
    route(readNotices, () => enter('noticed')),
    route(addNotice, () => enter('notice added')),
    route(readNotice, ({ params }) => enter(`notice ${params.id}`)),
    route(readBulletins, () => enter('bulletins read')),
    route(waitForStop, async () => {
      process.stdout.write('the handler waits\n');
      await once(process, 'SIGTERM');
      // Long enough for a close that does not wait to have ended the process.
      await setTimeout(500);
      return enter('waited');
    }),
    route(countEntries, () => ({ data: { entries } })),
  ];
}
