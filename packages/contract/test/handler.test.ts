// The types are the rule here: `tsc` fails when a line under @ts-expect-error compiles.
import { type Call, type Caller, dataReply, defineEndpoint, type Handler, reply } from '@portcullis/contract';
import { Type } from 'typebox';
import { describe, expect, expectTypeOf, it } from 'vitest';

const openEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/open/:id',
  access: 'public',
  title: 'Open',
  params: Type.Object({ id: Type.Integer() }),
  body: Type.Object({ name: Type.String() }),
  reply: reply({ token: Type.String() }),
});
const guardedEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/guarded',
  access: 'permission',
  title: 'Guarded',
  query: Type.Object({ page: Type.Optional(Type.Integer()) }),
  reply: dataReply(Type.Object({ total: Type.Integer() })),
});
const streamEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/stream',
  access: 'permission',
  title: 'Stream',
  stream: 'text/csv',
});
type Open = Handler<typeof openEndpoint>;
type Guarded = Handler<typeof guardedEndpoint>;

describe('a handler', () => {
  it('of a public endpoint that asks for the caller does not compile', () => {
    // @ts-expect-error A public call has no caller.
    const asks: Open = ({ caller }) => ({ token: String(caller) });
    expect(asks).toBeTypeOf('function');
    expectTypeOf<Call<typeof openEndpoint>>().not.toHaveProperty('caller');
  });

  it('whose reply departs from its schema does not compile', () => {
    // @ts-expect-error A number is not a string.
    const wrongType: Open = () => ({ token: 1 });
    // @ts-expect-error The token is missing.
    const missing: Open = () => ({});
    // @ts-expect-error `total` stands under `data`.
    const misplaced: Guarded = () => ({ total: 1 });
    // @ts-expect-error A promise of the wrong reply is as wrong.
    const late: Guarded = async () => ({ data: { total: 'many' } });
    for (const handler of [wrongType, missing, misplaced, late]) expect(handler).toBeTypeOf('function');
  });

  it('that reads what its endpoint does not declare does not compile', () => {
    // @ts-expect-error The body has no `age`.
    const body: Open = ({ body: { age } }) => ({ token: String(age) });
    // @ts-expect-error The endpoint declares no body.
    const noBody: Guarded = ({ body }) => ({ data: { total: body.length } });
    // @ts-expect-error `page` may be missing.
    const optional: Guarded = ({ query }) => ({ data: { total: query.page } });
    for (const handler of [body, noBody, optional]) expect(handler).toBeTypeOf('function');
  });

  it('of a stream that returns a reply, and of a reply that returns pieces, does not compile', () => {
    async function* pieces() {
      yield 'one';
    }
    // @ts-expect-error A stream has pieces.
    const replying: Handler<typeof streamEndpoint> = () => ({ data: null });
    // @ts-expect-error Pieces are no reply.
    const streaming: Guarded = () => pieces();
    const fine: Handler<typeof streamEndpoint> = () => pieces();
    for (const handler of [replying, streaming, fine]) expect(handler).toBeTypeOf('function');
    expectTypeOf<Call<typeof streamEndpoint>['signal']>().toEqualTypeOf<AbortSignal>();
    expectTypeOf<Call<typeof guardedEndpoint>>().not.toHaveProperty('signal');
  });

  it('of a protected endpoint has a caller, and the types of its schemas', () => {
    expectTypeOf<Call<typeof guardedEndpoint>['caller']>().toEqualTypeOf<Caller>();
    expectTypeOf<Call<typeof openEndpoint>['params']>().toEqualTypeOf<{ id: number }>();
    expectTypeOf<Call<typeof openEndpoint>['body']>().toEqualTypeOf<{ name: string }>();
    expectTypeOf<Call<typeof guardedEndpoint>['body']>().toEqualTypeOf<undefined>();
    const fine: Guarded = async ({ caller, query }) => ({
      data: { total: caller.userId + (query.page ?? 0) },
    });
    expect(fine).toBeTypeOf('function');
  });
});

describe('an endpoint', () => {
  it('without an access, or with an unknown one, does not compile', () => {
    const rest = { method: 'GET', path: '/api/v1/x', title: 'X', reply: reply({}) } as const;
    // @ts-expect-error The access is missing.
    defineEndpoint(rest);
    // @ts-expect-error It answers either way, not both.
    defineEndpoint({ ...rest, access: 'public', stream: 'text/csv' });
    // @ts-expect-error There is no such access.
    defineEndpoint({ ...rest, access: 'anyone' });
    // @ts-expect-error Endpoints stand below /api/v1.
    expect(defineEndpoint({ ...rest, access: 'public', path: '/x' }).path).toBe('/x');
  });
});
