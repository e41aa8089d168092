// Every endpoint of the service has its call, with the types that its declaration gives.

import {
  type CallName,
  type Client,
  createClient,
  type LoginLogEvent,
  type LoginLogItem,
} from '@portcullis/client';
import { defineEndpoint, endpoints } from '@portcullis/contract';
import { Type } from 'typebox';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { calls } from '../src/calls.ts';

const client = createClient({ fetch: () => Promise.reject(new Error('Nothing is sent here.')) });

it('has a row for every endpoint of the service, also for one that contract might not export', () => {
  const declared = endpoints.map(({ method, path, stream }) => [
    method,
    path,
    ...(stream === undefined ? [] : [stream]),
  ]);
  expect(Object.values(calls)).toEqual(declared);
});

it.each(Object.keys(calls) as CallName[])('offers %s', (name) => {
  expect(client[name]).toBeTypeOf('function');
});

describe('types', () => {
  it('ask for what an endpoint requires, and for nothing that it does not declare', () => {
    // The types are the rule: `tsc` fails when a line under @ts-expect-error compiles.
    const unsent = () => {
      // @ts-expect-error The body is required.
      client.login();
      // @ts-expect-error So is the password.
      client.login({ body: { username: 'ada' } });
      // @ts-expect-error A body is never left out, also where it may be an empty one.
      client.importRoutes({ params: { service: 'orders' } });
      // @ts-expect-error It takes no query.
      client.getInfo({ query: {} });
      // @ts-expect-error An id is a number.
      client.deleteUser({ params: { id: 'ada' } });
      // @ts-expect-error It takes no body.
      client.deleteUser({ params: { id: 7 }, body: {} });
      // @ts-expect-error There is no such filter.
      client.listLoginLogs({ query: { mood: 'sour' } });
      // @ts-expect-error There is no such outcome.
      client.listLoginLogs({ query: { outcome: 'maybe' } });
      // @ts-expect-error A token is not refreshed.
      client.refresh();
      client.listSessions();
      client.listSessions({ query: { userId: undefined }, signal: undefined });
      client.listRules({ params: { id: 2 }, query: { limit: 100 } });
    };
    expect(unsent).toBeTypeOf('function');
  });

  it('give what an endpoint replies', () => {
    type Given<Name extends CallName> = Awaited<ReturnType<Client[Name]>>;
    expectTypeOf<Pick<Given<'login'>, 'token' | 'expire'>>().toEqualTypeOf<{
      token: string;
      expire: string;
    }>();
    expectTypeOf<Given<'login'>['requestId']>().toEqualTypeOf<string>();
    expectTypeOf<Given<'logout'>['data']>().toEqualTypeOf<null>();
    expectTypeOf<Given<'listLoginLogs'>['data']['items']>().toEqualTypeOf<LoginLogItem[]>();
    expectTypeOf<Given<'getInfo'>['data']['roles']>().toEqualTypeOf<string[]>();
    expectTypeOf<Given<'exportLoginLogs'>>().toEqualTypeOf<Response>();
    expectTypeOf<Given<'tailLoginLogs'>>().toEqualTypeOf<AsyncGenerator<LoginLogEvent, void>>();
  });

  it('hold for an endpoint of a business service too', () => {
    const showOrder = defineEndpoint({
      method: 'GET',
      path: '/api/v1/orders/:id',
      access: 'permission',
      title: 'Show an order',
      params: Type.Object({ id: Type.Integer() }),
      reply: Type.Object({ code: Type.Literal(200), data: Type.Object({ item: Type.String() }) }),
    });
    type ShowOrder = typeof showOrder;
    const unsent = async () => {
      // @ts-expect-error The method is the endpoint's.
      client.call<ShowOrder>(['PUT', '/api/v1/orders/:id'], { params: { id: 7 } });
      // @ts-expect-error So is the path.
      client.call<ShowOrder>(['GET', '/api/v1/orders'], { params: { id: 7 } });
      // @ts-expect-error The parameters are required.
      client.call<ShowOrder>(['GET', '/api/v1/orders/:id']);
      return await client.call<ShowOrder>(['GET', '/api/v1/orders/:id'], { params: { id: 7 } });
    };
    expectTypeOf<Awaited<ReturnType<typeof unsent>>['data']>().toEqualTypeOf<{ item: string }>();
    expect(unsent).toBeTypeOf('function');
  });
});
