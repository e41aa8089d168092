// Builds an example request of an endpoint, for the documents. Fields that the declaration does not give come from the schemas:
// by the name of a field, then by its type.
import type { TSchema } from 'typebox';
import type { Endpoint, EndpointExample } from './endpoint.ts';

/** The example of a field with this name. */
const byName: Readonly<Record<string, unknown>> = {
  id: 7,
  jti: 'yPb3sVQ0R2mXk1uTz9aLdw',
  kid: 'k2026a',
  service: 'orders',
  username: 'mei',
  name: 'Mei Lin',
  password: 'seven-otters-carry-lanterns',
  oldPassword: 'seven-otters-carry-lanterns',
  newPassword: 'eight-herons-follow-rivers',
  roleKey: 'editor',
  roleId: 2,
  departmentId: 1,
  parentId: 1,
  method: 'GET',
  path: '/api/v1/orders',
  code: 200,
  msg: 'success',
  requestId: '0f8a1c5e2b7d4936',
};

const byFormat: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T09:30:00.000Z',
  date: '2026-01-31',
  uuid: '0197f3a0-5c1e-7b2d-9e4f-3a6b8c0d1e2f',
};

/** The part of JSON Schema that the declarations use. */
interface JsonSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly minimum?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

export function requestExampleOf(endpoint: Endpoint): EndpointExample {
  const { query, body, example = {} } = endpoint;
  const names = listPathParameters(endpoint);
  const params = Object.fromEntries(names.map((name) => [name, pathExample(endpoint, name)]));
  return {
    ...(names.length === 0 ? {} : { params: { ...params, ...example.params } }),
    ...(query === undefined ? {} : { query: { ...recordOf(query), ...example.query } }),
    ...(body === undefined ? {} : { body: example.body ?? exampleOf(body) }),
  };
}

/** With the required fields only. */
export function exampleOf(schema: TSchema, name = ''): unknown {
  return sampleOf(schema as JsonSchema, name);
}

/** The names in the path, also of parameters that the declaration does not describe. */
export function listPathParameters({ path }: Pick<Endpoint, 'path'>): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
}

function pathExample({ params }: Endpoint, name: string): unknown {
  return exampleOf(params?.properties[name] ?? { type: 'string' }, name);
}

function recordOf(schema: TSchema): Readonly<Record<string, unknown>> {
  return exampleOf(schema) as Readonly<Record<string, unknown>>;
}

function sampleOf(schema: JsonSchema, name: string): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.examples !== undefined) return schema.examples[0];
  if (schema.enum !== undefined) return schema.enum[0];
  const [first] = schema.anyOf ?? [];
  if (first !== undefined) return sampleOf(first, name);
  return ofType(schema, name);
}

function ofType(
  { type, format = '', minimum, items, properties = {}, required = [] }: JsonSchema,
  name: string,
) {
  const named = byName[name];
  switch (type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(properties)
          .filter(([key]) => required.includes(key))
          .map(([key, property]) => [key, sampleOf(property, key)]),
      );
    case 'array':
      return items === undefined ? [] : [sampleOf(items, name.replace(/s$/, ''))];
    case 'integer':
      return typeof named === 'number' ? named : Math.max(minimum ?? 1, 1);
    case 'boolean':
      return true;
    case 'string':
      return byFormat[format] ?? (typeof named === 'string' ? named : name || 'text');
    default:
      return null;
  }
}
