import { dataReply, type Endpoint, endpoints } from '@portcullis/contract';
import { type TSchema, Type } from 'typebox';
import { expect, it } from 'vitest';
import { lintSchemas } from '../../src/http/lint-schemas.ts';

const sound: Endpoint = {
  method: 'PUT',
  path: '/api/v1/orders/:id',
  access: 'public',
  title: 'Change an order',
  params: Type.Object({ id: Type.Integer() }),
  query: Type.Object({ dry: Type.Boolean() }),
  body: Type.Object({ count: Type.Integer() }),
  reply: dataReply(Type.Null()),
};
/** Typebox makes no such schema: these were written or changed by hand. */
const unknownType = { type: 'object', properties: { a: { type: 'whole' } } } as TSchema as never;
const badPattern = {
  type: 'object',
  properties: { a: { type: 'string', pattern: '(' } },
} as TSchema as never;
const lostReference = { type: 'object', properties: { a: { $ref: 'nowhere' } } } as TSchema as never;

it.each([
  ['path parameters of an unknown type', { params: unknownType }],
  ['a query of an unknown type', { query: unknownType }],
  ['a query with a pattern that is none', { query: badPattern }],
  ['a body of an unknown type', { body: unknownType }],
  ['a body with a reference to nowhere', { body: lostReference }],
  ['a reply of an unknown type', { reply: unknownType }],
  ['a reply with a reference to nowhere', { reply: lostReference }],
])('says which route has %s', (_what, change) => {
  expect(lintSchemas([sound, { ...sound, ...change } as Endpoint])).toEqual([
    expect.stringMatching(
      /^The route PUT \/api\/v1\/orders\/:id has an invalid schema: .+\. Correct the schema\.$/,
    ),
  ]);
});

it('has nothing against any schema of the contract', () => {
  expect(endpoints.length).toBeGreaterThan(0);
  expect(lintSchemas(endpoints)).toEqual([]);
});
