// The document is complete and its examples are what the schemas take. A linter reads it in test/conformance.
import {
  createOpenApi,
  dataReply,
  defineEndpoint,
  endpoints,
  errorTable,
  requestExampleOf,
} from '@portcullis/contract';
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import { describe, expect, it } from 'vitest';

const document = createOpenApi(endpoints, '1.2.3');
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

describe.each(endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  'the example of %s',
  (_name, endpoint) => {
    it.each(['params', 'query', 'body'] as const)('has %s that the schema takes', (part) => {
      const schema = endpoint[part];
      const value = requestExampleOf(endpoint)[part];
      expect(schema === undefined ? value === undefined : Check(schema, value), JSON.stringify(value)).toBe(
        true,
      );
    });
  },
);

it('has one operation for every endpoint, each with a unique operationId', () => {
  expect(operations).toHaveLength(endpoints.length);
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(endpoints.length);
});

it('has every error of the error table', () => {
  const kinds = Object.keys(errorTable);
  expect(Object.keys(document.components.examples as object)).toEqual(kinds);
  expect(Object.keys(document.components.responses as object)).toEqual(kinds);
});

it('demands one of the three carriers, but for what is public', () => {
  for (const operation of operations) {
    const carriers = operation['x-access'] === 'public' ? [] : ['bearer', 'query', 'cookie'];
    expect((operation.security as object[]).flatMap(Object.keys)).toEqual(carriers);
  }
});

it('separates a success from its refusals, which share HTTP 200', () => {
  const { responses } = document.paths['/api/v1/users/{id}/sessions']?.delete ?? {};
  expect(responses?.[200]).toMatchObject({
    content: {
      'application/json': {
        schema: { oneOf: [{ properties: { code: { const: 200 } } }, {}] },
        examples: {
          success: { value: { code: 200 } },
          permission_denied: { $ref: '#/components/examples/permission_denied' },
        },
      },
    },
  });
});

it('describes a path parameter also where the endpoint does not', () => {
  const endpoint = defineEndpoint({
    method: 'GET',
    path: '/api/v1/reports/:year',
    access: 'public',
    title: 'Show a report',
    reply: dataReply(Type.Null()),
  });
  const { paths } = createOpenApi([endpoint], '1.0.0');
  expect(paths['/api/v1/reports/{year}']?.get?.parameters).toEqual([
    { name: 'year', in: 'path', required: true, schema: { type: 'string' }, example: 'year' },
  ]);
});
