// Every endpoint with every kind of caller, and with fields that no caller can set. Both tables come from the declarations, so
// they include every added endpoint.
import { type Endpoint, endpoints, errorsOf, errorTable, webhookEndpoints } from '@portcullis/contract';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { present } from '../rig/carriers.ts';
import type { Request } from '../rig/http-client.ts';
import { rulesInForce } from '../rig/rules-in-force.ts';
import { password, type Username } from '../rig/seed.ts';
import type { Service } from '../rig/start-service.ts';
import { decodeToken, expiredClaims } from '../rig/tokens.ts';
import { useService } from '../rig/use-service.ts';
import { currentToken } from './current-token.ts';
import { restoreExampleRecords } from './example-records.ts';
import { exampleRequest } from './example-request.ts';
import { expectRefusalBody } from './expect-refusal.ts';

const service = useService({ mode: 'prod' });
const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`;
const table = endpoints.map((endpoint) => [nameOf(endpoint), endpoint] as const);
const excluded = ['POST /api/v1/logout', 'GET /api/v1/user/profile'];

interface Outcome {
  readonly status: number;
  readonly code: number;
  readonly reason: string | undefined;
}

/** Of an endless stream, waits only for the beginning. */
async function outcomeOf({ server, send }: Service, endpoint: Endpoint, request: Request): Promise<Outcome> {
  if (endpoint.stream === 'text/event-stream') {
    const stop = new AbortController();
    const headers = request.headers as Record<string, string> | undefined;
    const response = await fetch(`http://127.0.0.1:${server.port}${request.path}`, {
      ...(headers === undefined ? {} : { headers }),
      signal: stop.signal,
    });
    const isOpen = response.headers.get('content-type') === endpoint.stream;
    const code = isOpen ? 200 : ((await response.json()) as { code: number }).code;
    stop.abort();
    return { status: response.status, code, reason: response.headers.get('x-auth-reason') ?? undefined };
  }
  const { status, headers, body } = await send(request);
  const reason = headers['x-auth-reason'];
  return {
    status,
    code: typeof body.code === 'number' ? body.code : status,
    reason: typeof reason === 'string' ? reason : undefined,
  };
}

/** A success, or an error that its document has and that is none of the checks. */
function expectServed(endpoint: Endpoint, outcome: Outcome): void {
  const documented = errorsOf(endpoint).map((kind) => errorTable[kind].code);
  expect(
    outcome.code === 200 || documented.some((code) => code === outcome.code),
    JSON.stringify(outcome),
  ).toBe(true);
  expect(outcome.code).not.toBe(401);
  expect(outcome.status).toBeLessThan(500);
}

const asked = async (endpoint: Endpoint, username: Username) =>
  await outcomeOf(
    service(),
    endpoint,
    present(await currentToken(service(), username), 'header', exampleRequest(endpoint)),
  );

/** Role 4 can call everything, with every data scope: a refusal has another reason then. */
beforeAll(async () => {
  for (const [method, path, body] of [
    ['PUT', '/api/v1/roles/4/data-scope', { dataScope: '1' }],
    ['POST', '/api/v1/roles/4/rules', rulesInForce([{ method: '*', path: '/*' }])],
  ] as const) {
    const answer = await service().send(
      present(await currentToken(service(), 'ada'), 'header', { method, path, body }),
    );
    expect(answer.body.code).toBe(200);
  }
});

beforeEach(() => restoreExampleRecords(service().database));

describe('without a token', () => {
  it.each(table)(
    '%s is refused unless it is public [authentication-3] [errors-1]',
    async (_name, endpoint) => {
      const request = exampleRequest(endpoint);
      if (endpoint.access === 'public') expectServed(endpoint, await outcomeOf(service(), endpoint, request));
      else {
        const answer = await service().send(request);
        expectRefusalBody(answer);
        expect(answer.headers['x-auth-reason']).toBe('token_missing');
      }
    },
  );
});

describe('with an expired token of admin', () => {
  it.each(table)(
    '%s is refused unless it is public [authentication-3] [errors-1]',
    async (_name, endpoint) => {
      const token = await currentToken(service(), 'ada', expiredClaims);
      const request = present(token, 'header', exampleRequest(endpoint));
      if (endpoint.access === 'public') expectServed(endpoint, await outcomeOf(service(), endpoint, request));
      else {
        const answer = await service().send(request);
        expectRefusalBody(answer);
        expect(answer.headers['x-auth-reason']).toBe('token_expired');
      }
    },
  );
});

describe('with a role without rules', () => {
  it.each(table)(
    '%s is refused where it requires a permission and is not excluded [authentication-5d] [authentication-5b] [errors-1]',
    async (name, endpoint) => {
      const outcome = await asked(endpoint, 'gina');
      if (endpoint.access === 'permission' && !excluded.includes(name))
        expect(outcome).toEqual({ status: 200, code: 401, reason: 'permission_denied' });
      else expectServed(endpoint, outcome);
    },
  );
});

/** They also end the sessions of admin, show what admin does, or decide by which provider people sign in: no other role reaches so far. */
const ofAdminAlone = [
  'DELETE /api/v1/sessions',
  'POST /api/v1/keys/:kid/emergency-retire',
  ...webhookEndpoints.map(nameOf),
  'POST /api/v1/providers',
  'PUT /api/v1/providers/:id',
  'POST /api/v1/providers/:id/check',
  'PUT /api/v1/providers/:id/enabled',
  'DELETE /api/v1/providers/:id',
  'POST /api/v1/providers/:id/recheck',
  'POST /api/v1/providers/:id/mappings/plan',
  'PUT /api/v1/providers/:id/mappings',
];

describe('with a role whose rule covers it', () => {
  it.each(table.filter(([name]) => !ofAdminAlone.includes(name)))(
    '%s is served [authentication-5d] [authentication-5]',
    async (_name, endpoint) => {
      expectServed(endpoint, await asked(endpoint, 'bela'));
    },
  );

  it.each(table.filter(([name]) => ofAdminAlone.includes(name)))(
    '%s is left to admin, because it reaches admin [authentication-5a]',
    async (_name, endpoint) => {
      const outcome = await asked(endpoint, 'bela');
      expect(outcome).toEqual({ status: 200, code: 401, reason: 'permission_denied' });
    },
  );
});

describe('with the role admin', () => {
  it.each(table)('%s is served [authentication-5a]', async (_name, endpoint) => {
    expectServed(endpoint, await asked(endpoint, 'ada'));
  });
});

describe('the explanation', () => {
  it.each(table)('of %s agrees with what the checks do [authentication-5]', async (name, endpoint) => {
    const [path = ''] = exampleRequest(endpoint).path.split('?');
    const token = await currentToken(service(), 'ada');
    for (const [roleKey, mayAll] of [
      ['guest', false],
      ['branch', true],
      ['admin', true],
    ] as const) {
      const query = new URLSearchParams({ roleKey, method: endpoint.method, path });
      const request = { path: `/api/v1/explain?${query}` };
      const { body } = await service().send(present(token, 'header', request));
      const isOpen = endpoint.access !== 'permission' || excluded.includes(name);
      expect(body.data).toMatchObject({
        decision: mayAll || isOpen ? 'allow' : 'deny',
        endpoint: { path: endpoint.path },
      });
    }
  });
});

/** They change nothing that the audit log records. */
const unrecorded = [
  'POST /api/v1/login',
  'POST /api/v1/logout',
  'POST /api/v1/roles/:id/rules/compare',
  'POST /api/v1/providers/:id/check',
  'POST /api/v1/providers/:id/mappings/plan',
];
const writes = table.filter(([name, { method }]) => method !== 'GET' && !unrecorded.includes(name));

describe('a change', () => {
  it.each(writes)(
    'by %s leaves one record in the audit log, and a refused one none [what-the-service-does-2]',
    async (_name, endpoint) => {
      const { database, send } = service();
      const token = await currentToken(service(), 'ada');
      const { headers, body } = await send(present(token, 'header', exampleRequest(endpoint)));
      const records = await database.query('select actor_name from audit_log where request_id = $1', [
        headers['x-request-id'],
      ]);
      expect(records).toEqual(body.code === 200 ? [{ actor_name: 'ada' }] : []);
    },
  );
});

const forbidden = {
  roleId: 1,
  dataScope: '1',
  epoch: 1,
  id: 1,
  enabled: true,
  passwordHash: 'x',
  password_due: false,
};
/** Their bodies accept other fields: go-admin front ends send more than login reads, and a document and a provider's form have fields of any name. */
const open = ['POST /api/v1/login', 'PUT /api/v1/routes/:service', 'POST /api/v1/providers/:key/logout'];
const fields = endpoints.flatMap((endpoint) => {
  const { body } = endpoint;
  if (body === undefined || open.includes(nameOf(endpoint))) return [];
  const known = Object.keys((body as { properties?: object }).properties ?? {});
  return Object.entries(forbidden)
    .filter(([field]) => !known.includes(field))
    .map(([field, value]) => [nameOf(endpoint), field, value, endpoint] as const);
});

describe('a field that its schema lacks', () => {
  it.each(fields)('is refused in %s: %s [what-the-service-does-2]', async (_name, field, value, endpoint) => {
    const request = exampleRequest(endpoint);
    const body = { ...(request.body as object), [field]: value };
    const token = await currentToken(service(), 'ada');
    const {
      status,
      headers,
      body: answered,
    } = await service().send(present(token, 'header', { ...request, body }));
    expect([status, answered.code, headers['x-auth-reason']]).toEqual([200, 400, 'params_invalid']);
  });

  it('is ignored by login, which reads four fields and no more [token-payload-s1] [what-the-service-does-2]', async () => {
    const captcha = await service().solvedCaptcha();
    const { body } = await service().postLogin({ ...forbidden, username: 'gina', password, ...captcha });
    expect(decodeToken(String(body.token)).claims).toMatchObject({ rolekey: 'guest', datascope: '5' });
  });
});
