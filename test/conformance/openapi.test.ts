// The OpenAPI document, as the service gives it: a linter finds nothing, and every operation answers to its own example
// with what the document says.

import { endpoints, type OpenApiDocument, type OpenApiOperation } from '@portcullis/contract';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { present } from '../rig/carriers.ts';
import type { Answer } from '../rig/http-client.ts';
import { useService } from '../rig/use-service.ts';
import { currentToken } from './current-token.ts';
import { restoreExampleRecords } from './example-records.ts';
import { requestOf } from './example-request.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly example?: unknown;
}

const service = useService({ mode: 'prod' });
let document: OpenApiDocument;
let schemas: Ajv2020;

beforeAll(async () => {
  const token = await service().tokenOf('gina');
  const answer = await service().send(present(token, 'header', { path: '/api/v1/openapi.json' }));
  document = JSON.parse(answer.text) as OpenApiDocument;
  schemas = addFormats.default(new Ajv2020({ strict: false })).addSchema({ $id: 'openapi', ...document });
});

beforeEach(() => restoreExampleRecords(service().database));

function operationOf(method: string, path: string): OpenApiOperation {
  const operation = document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`The document has no ${method} ${path}.`);
  return operation;
}

/** The example in the document. */
function exampleIn(operation: OpenApiOperation) {
  const parameters = (operation.parameters ?? []) as readonly Parameter[];
  const of = (place: string) =>
    Object.fromEntries(
      parameters.flatMap((parameter) =>
        parameter.in === place && parameter.example !== undefined
          ? [[parameter.name, parameter.example]]
          : [],
      ),
    );
  const { content } = (operation.requestBody ?? {}) as { content?: Record<string, { example: unknown }> };
  return { params: of('path'), query: of('query'), body: content?.['application/json']?.example };
}

function expectDocumented(method: string, path: string, { status, headers, body, text }: Answer): void {
  const { responses } = operationOf(method, path);
  expect(Object.keys(responses), text).toContain(String(status));
  const type = String(headers['content-type']).split(';')[0] ?? '';
  const place = ['paths', path.replaceAll(/:(\w+)/g, '{$1}'), method.toLowerCase(), 'responses', status];
  const content = [...place, 'content', type, 'schema'].map((part) =>
    encodeURIComponent(String(part).replaceAll('~', '~0').replaceAll('/', '~1')),
  );
  const validate = schemas.compile({ $ref: `openapi#/${content.join('/')}` });
  const isValid = validate(type === 'application/json' ? body : text);
  expect(isValid, `${text.slice(0, 500)}\n${JSON.stringify(validate.errors)}`).toBe(true);
}

it('passes a linter [versioning-s1]', async () => {
  const validator = new Validator();
  expect(await validator.validate(structuredClone(document) as unknown as Record<string, unknown>)).toEqual({
    valid: true,
  });
  expect(validator.version).toBe('3.1');
});

it('has every endpoint of the service, and those of the business service [versioning-s1]', () => {
  for (const { method, path, title } of endpoints)
    expect(operationOf(method, path).summary, `${method} ${path}`).toBe(title);
  expect(operationOf('GET', '/api/v1/orders/:id').summary).toBe('Show an order');
});

it('is not served without a token [authentication-3]', async () => {
  const { body } = await service().send({ path: '/api/v1/openapi.json' });
  expect(body).toEqual({ code: 401, msg: expect.any(String) });
});

/** Examples that cannot succeed: they need a captcha, the caller's password, a key with a generated name, or a history; passkeys and keys are off, and user 7 is a person. */
const refused: Readonly<Record<string, number>> = {
  'POST /api/v1/login/begin': 400,
  'POST /api/v1/login': 400,
  'POST /api/v1/login/enrol': 400,
  'POST /api/v1/password/forgot': 409,
  'POST /api/v1/password/reset': 400,
  'POST /api/v1/users/:id/password-link': 409,
  'POST /api/v1/mails/:id/retry': 404,
  'POST /api/v1/user/factors/totp': 400,
  'PUT /api/v1/user/factors/:id/confirmed': 404,
  'PUT /api/v1/user/factors/:id/ended': 400,
  'POST /api/v1/user/recovery-codes': 400,
  'PUT /api/v1/user/password': 400,
  'POST /api/v1/user/factors/passkey/begin': 409,
  'POST /api/v1/user/factors/passkey': 409,
  'PUT /api/v1/user/factors/:id/name': 404,
  'GET /api/v1/users/:id/keys': 409,
  'POST /api/v1/users/:id/keys': 409,
  'DELETE /api/v1/users/:id/keys/:keyId': 409,
  'POST /api/v1/user/provider-links/begin': 400,
  'POST /api/v1/user/provider-links': 400,
  'PUT /api/v1/user/provider-links/:id/ended': 400,
  'DELETE /api/v1/users/:id/provider-links/:linkId': 404,
  'POST /api/v1/users/:id/link-invitations': 404,
  'DELETE /api/v1/users/:id/link-invitations/:providerId': 404,
  'GET /api/v1/providers/:id': 404,
  'PUT /api/v1/providers/:id': 404,
  'POST /api/v1/providers/:id/check': 404,
  'PUT /api/v1/providers/:id/enabled': 404,
  'DELETE /api/v1/providers/:id': 404,
  'POST /api/v1/providers/:id/recheck': 404,
  'GET /api/v1/providers/:id/mappings': 404,
  'POST /api/v1/providers/:id/mappings/plan': 404,
  'PUT /api/v1/providers/:id/mappings': 404,
  'POST /api/v1/user/provider-links/directory': 400,
  'POST /api/v1/keys/:kid/activate': 404,
  'POST /api/v1/keys/:kid/retire': 404,
  'POST /api/v1/keys/:kid/emergency-retire': 404,
  'POST /api/v1/roles/:id/rules/rollback': 409,
  // No request is needed for what admin can do.
  'POST /api/v1/user/access-requests': 409,
  'DELETE /api/v1/user/access-requests/:id': 404,
  // The user of the examples is disabled.
  'POST /api/v1/webhooks/:id/test': 409,
  'POST /api/v1/access-requests/:id/decision': 404,
};

/** The tail of the login log never ends: test/conformance/login-log-read.test.ts tests it, and providers.test.ts the endpoints with forms. */
const ending = endpoints.filter(({ stream, form }) => stream !== 'text/event-stream' && form !== true);

describe('answers as documented', () => {
  it.each(ending.map(({ method, path }) => [method, path] as const))(
    'to admin with the example of %s %s [authentication-5a]',
    async (method, path) => {
      const request = requestOf(method, path, exampleIn(operationOf(method, path)));
      const answer = await service().send(present(await currentToken(service(), 'ada'), 'header', request));
      expectDocumented(method, path, answer);
      const code = answer.body.code ?? answer.status;
      expect(code, answer.text).toBe(refused[`${method} ${path}`] ?? 200);
    },
  );

  it.each(
    ending.filter(({ access }) => access !== 'public').map(({ method, path }) => [method, path] as const),
  )('without a token with the example of %s %s [authentication-3]', async (method, path) => {
    const request = requestOf(method, path, exampleIn(operationOf(method, path)));
    const answer = await service().send(request);
    expectDocumented(method, path, answer);
    expect(answer.body.code).toBe(401);
  });
});
