// An endpoint of a business service, as the README's reader has one.
import { dataReply, defineEndpoint } from '@portcullis/contract';
import { Type } from 'typebox';

export const showOrder = defineEndpoint({
  method: 'GET',
  path: '/api/v1/orders/:id',
  access: 'permission',
  title: 'Show an order',
  params: Type.Object({ id: Type.Integer() }),
  reply: dataReply(Type.Object({ item: Type.String() })),
});
