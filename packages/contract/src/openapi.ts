// Builds the OpenAPI 3.1 document of declared endpoints. The schemas are JSON Schema already, so they are used unchanged.
import type { TSchema } from 'typebox';
import type { Access, Endpoint } from './endpoint.ts';
import { authReasonHeader } from './errors/error-answer.ts';
import { type ErrorKind, errorTable } from './errors/error-table.ts';
import { errorsOf } from './errors/errors-of.ts';
import { exampleOf, listPathParameters, requestExampleOf } from './example.ts';
import { ErrorReply } from './reply.ts';

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: Json;
  readonly servers: readonly Json[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: Json;
}

export interface OpenApiOperation extends Json {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Json>>;
}

interface Json {
  readonly [key: string]: unknown;
}

const description = `Every answer but a download is a JSON object with \`code\`. **A refusal is HTTP 200** with a \`code\` other than 200 in the
body: 400 for what cannot be read, 401 for a token or role that does not suffice, 404 and 409 for records, 429 for too many
requests. The header \`X-Auth-Reason\` tells refusals apart. Only faults carry their real status.

An operation with \`x-access\` \`public\` needs no token, with \`identity\` a live token, and with \`permission\` a live token
of a role that may call the path with the method.`;

/** @example createOpenApi(endpoints, '0.1.0').paths['/api/v1/login'] */
export function createOpenApi(endpoints: readonly Endpoint[], version: string): OpenApiDocument {
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operationOf(endpoint) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Portcullis',
      version,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(endpoints.map(tagOf))].sort().map((name) => ({ name })),
    paths,
    components: {
      securitySchemes,
      schemas: { Error: plain(ErrorReply) },
      headers: { AuthReason: reasonHeader },
      examples: eachError(exampleOfError),
      responses: eachError((kind) => ({
        description: errorTable[kind].text.en,
        content: jsonContent(refusalContent([kind])),
      })),
    },
  };
}

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  query: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description: 'Where a header cannot be set. URLs are logged: prefer the header.',
  },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'jwt',
    description: 'Set by login. A change that it carries must come from the same site.',
  },
};

const reasonHeader = {
  description: 'Why a request was refused. Absent on success.',
  schema: {
    type: 'string',
    enum: [...new Set(Object.values(errorTable).flatMap((row) => ('reason' in row ? [row.reason] : [])))],
  },
};

function eachError(make: (kind: ErrorKind) => Json): Json {
  return Object.fromEntries((Object.keys(errorTable) as ErrorKind[]).map((kind) => [kind, make(kind)]));
}

function exampleOfError(kind: ErrorKind): Json {
  const { code, text } = errorTable[kind];
  return { summary: kind, value: { code, msg: text.en } };
}

function operationOf(endpoint: Endpoint): OpenApiOperation {
  const { title, access, body } = endpoint;
  const example = requestExampleOf(endpoint);
  const parameters = [
    ...pathParametersOf(endpoint, example.params),
    ...queryParametersOf(endpoint, example.query),
  ];
  return {
    operationId: operationIdOf(endpoint),
    summary: title,
    tags: [tagOf(endpoint)],
    'x-access': access,
    security: securityOf(access),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: {
              [endpoint.form === true ? formContentType : 'application/json']: {
                schema: plain(body),
                example: example.body,
              },
            },
          },
        }),
    responses: responsesOf(endpoint),
  };
}

const formContentType = 'application/x-www-form-urlencoded';

function securityOf(access: Access): Json[] {
  return access === 'public' ? [] : [{ bearer: [] }, { query: [] }, { cookie: [] }];
}

function pathParametersOf(endpoint: Endpoint, example: Json = {}): Json[] {
  return listPathParameters(endpoint).map((name) => ({
    name,
    in: 'path',
    required: true,
    ...describedSchema(endpoint.params?.properties[name] ?? { type: 'string' }),
    example: example[name],
  }));
}

function queryParametersOf({ query }: Endpoint, example: Json = {}): Json[] {
  if (query === undefined) return [];
  const required = new Set((query as { required?: readonly string[] }).required);
  return Object.entries(query.properties).map(([name, property]) => ({
    name,
    in: 'query',
    required: required.has(name),
    ...describedSchema(property),
    ...(example[name] === undefined ? {} : { example: example[name] }),
  }));
}

/** The description of a parameter is beside its schema, not in it. */
function describedSchema(property: TSchema): Json {
  const { description, ...schema } = plain(property);
  return { ...(description === undefined ? {} : { description }), schema };
}

/** By HTTP status: a refusal shares 200 with the success. */
function responsesOf(endpoint: Endpoint): Record<string, Json> {
  const statusOf = (kind: ErrorKind) => errorTable[kind][endpoint.form === true ? 'code' : 'status'];
  const kinds = Map.groupBy(errorsOf(endpoint), statusOf);
  const responses: Record<string, Json> = { 200: okResponse(endpoint, kinds.get(200) ?? []) };
  for (const [status, [kind]] of kinds)
    if (status !== 200) responses[status] = { $ref: `#/components/responses/${kind}` };
  return responses;
}

function okResponse({ reply, stream }: Endpoint, kinds: readonly ErrorKind[]): Json {
  const refused = refusalContent(kinds);
  const headers = { [authReasonHeader]: { $ref: '#/components/headers/AuthReason' } };
  const description = `The success, or a refusal with its code in the body: ${textOf(kinds)}`;
  if (stream !== undefined) return { description, headers, content: streamContent(stream, refused) };
  const success = { summary: 'Success', value: exampleOf(reply) };
  const schema = { oneOf: [plain(reply), refused.schema] };
  return {
    description,
    headers,
    content: jsonContent({ schema, examples: { success, ...refused.examples } }),
  };
}

/** A refused stream answers with the envelope, also where the stream has another type. */
function streamContent(stream: string, refused: Json): Json {
  const [type = ''] = stream.split(';');
  if (type === 'application/json') return jsonContent({ schema: { type: 'object' } });
  return { [type]: { schema: { type: 'string' } }, ...jsonContent(refused) };
}

function refusalContent(kinds: readonly ErrorKind[]) {
  const codes = [...new Set(kinds.map((kind) => errorTable[kind].code))].sort();
  return {
    schema: { allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { code: { enum: codes } } }] },
    examples: Object.fromEntries(kinds.map((kind) => [kind, { $ref: `#/components/examples/${kind}` }])),
  };
}

function textOf(kinds: readonly ErrorKind[]): string {
  return kinds.map((kind) => `${errorTable[kind].code} \`${kind}\``).join(', ');
}

/** `DELETE /api/v1/users/:id/sessions` is `deleteUsersByIdSessions`. */
function operationIdOf({ method, path }: Endpoint): string {
  const words = path
    .replace('/api/v1/', '')
    .replaceAll(/:(\w+)/g, 'by-$1')
    .split(/[^A-Za-z0-9]+/);
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

const signIn = ['getCaptcha', 'captcha', 'login', 'logout', 'getinfo', 'user', 'jwks'];

/** The first segment below the version; the endpoints of signing in share one tag. */
function tagOf({ path }: Endpoint): string {
  const [noun = ''] = path.replace('/api/v1/', '').split(/[/.]/);
  return signIn.includes(noun) ? 'sign-in' : noun;
}

function jsonContent(content: Json): Json {
  return { 'application/json': content };
}

/** Without the properties that typebox keeps internally. */
function plain(schema: TSchema): Json {
  return JSON.parse(JSON.stringify(schema)) as Json;
}
