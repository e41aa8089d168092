// The endpoint that every server of this benchmark serves.
import { dataReply, defineEndpoint } from '@portcullis/contract';
import { Type } from 'typebox';

export const helloEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/bench/hello',
  access: 'permission',
  title: 'Say hello',
  reply: dataReply(Type.Object({ hello: Type.String() })),
});

/** The same endpoint without a check. */
export const openEndpoint = defineEndpoint({
  ...helloEndpoint,
  path: '/api/v1/bench/open',
  access: 'public',
});

export const hello = { hello: 'world' };
