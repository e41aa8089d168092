// The types are the rule here: `tsc` fails when a line under @ts-expect-error compiles.
import { defineEndpoint, reply, route } from '@portcullis/contract';
import { Type } from 'typebox';
import { describe, expect, expectTypeOf, it } from 'vitest';

const endpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/counted',
  access: 'public',
  title: 'Counted',
  body: Type.Object({ count: Type.Integer() }),
  reply: reply({ token: Type.String() }),
});
const streamEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/stream',
  access: 'public',
  title: 'Stream',
  stream: 'text/csv',
});

describe('a route with a state', () => {
  it('of a stream, or whose parts depart from the endpoint or from the state, does not compile', () => {
    const onAnswer = () => {};
    // @ts-expect-error A stream has pieces, and no single answer to report.
    route(streamEndpoint, { begin: () => 1, handle: () => ({}), onAnswer });
    // @ts-expect-error The token is missing.
    route(endpoint, { begin: () => 1, handle: () => ({}), onAnswer });
    // @ts-expect-error The state is a number.
    route(endpoint, { begin: () => 1, handle: (_call, state: string) => ({ token: state }), onAnswer });
    // @ts-expect-error An endpoint with a state needs a listener for its answers.
    const untold = route(endpoint, { begin: () => 1, handle: () => ({ token: '' }) });
    expect(untold.endpoint).toBe(endpoint);
  });

  it('hands what it began with to its handler, and to the answer where there was one', () => {
    const { begin, handle, onAnswer } = route(endpoint, {
      begin: ({ body }) => ({ half: body.count / 2 }),
      handle: (_call, { half }) => ({ token: String(half) }),
      onAnswer: (_call, state) => void expectTypeOf(state).toEqualTypeOf<{ half: number } | undefined>(),
    });
    const call = { body: { count: 14 } };
    expect(handle(call, begin?.(call))).toEqual({ token: '7' });
    expect(onAnswer).toBeTypeOf('function');
  });
});
