// The back end of the demo: orders in memory, behind endpoints that are declared and protected like
// those of any business service.
import { AppError, dataReply, defineEndpoint, type Route, route } from '@portcullis/contract';
import { Type } from 'typebox';

const Order = Type.Object({ id: Type.Integer(), customer: Type.String(), status: Type.String() });
const OrderParams = Type.Object({ id: Type.Integer({ minimum: 1, maximum: 1_000_000 }) });
const OrderBody = Type.Object({ customer: Type.String({ minLength: 1, maxLength: 64 }) });

export const listOrders = defineEndpoint({
  method: 'GET',
  path: '/api/v1/orders',
  access: 'permission',
  title: 'List orders',
  reply: dataReply(Type.Array(Order)),
});
const createOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v1/orders',
  access: 'permission',
  title: 'Create an order',
  body: OrderBody,
  reply: dataReply(Order),
});
const showOrder = defineEndpoint({
  method: 'GET',
  path: '/api/v1/orders/:id',
  access: 'permission',
  title: 'Show an order',
  params: OrderParams,
  reply: dataReply(Order),
});
const changeOrder = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/orders/:id',
  access: 'permission',
  title: 'Change an order',
  params: OrderParams,
  body: OrderBody,
  reply: dataReply(Order),
});
export const deleteOrder = defineEndpoint({
  method: 'DELETE',
  path: '/api/v1/orders/:id',
  access: 'permission',
  title: 'Delete an order',
  params: OrderParams,
  reply: dataReply(Type.Null()),
});
const shipOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v1/orders/:id/ship',
  access: 'permission',
  title: 'Ship an order',
  params: OrderParams,
  reply: dataReply(Order),
});

export const firstOrderId = 1042;
const most = 1000;

export function createOrders(): Route[] {
  const customers = ['Harbour Books', 'Nordic Tea', 'Plum & Sons'];
  const orders = new Map(
    customers.map((customer, index) => {
      const id = firstOrderId + index;
      return [id, { id, customer, status: 'open' }];
    }),
  );
  let lastId = firstOrderId + customers.length - 1;
  const getOrder = (id: number) => {
    const order = orders.get(id);
    if (order === undefined) throw new AppError('record_not_found');
    return order;
  };
  return [
    route(listOrders, () => ({ data: [...orders.values()] })),
    route(createOrder, ({ body: { customer } }) => {
      if (orders.size >= most) throw new AppError('conflict');
      lastId += 1;
      const order = { id: lastId, customer, status: 'open' };
      orders.set(lastId, order);
      return { data: order };
    }),
    route(showOrder, ({ params }) => ({ data: getOrder(params.id) })),
    route(changeOrder, ({ params, body: { customer } }) => {
      const order = getOrder(params.id);
      order.customer = customer;
      return { data: order };
    }),
    route(deleteOrder, ({ params }) => {
      orders.delete(getOrder(params.id).id);
      return { data: null };
    }),
    route(shipOrder, ({ params }) => {
      const order = getOrder(params.id);
      order.status = 'shipped';
      return { data: order };
    }),
  ];
}
