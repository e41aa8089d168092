// Every endpoint that asks for a token, as a caller whose role may call everything and whose data scope is one department:
// the call neither shows nor changes a person of another department. The same call about the same person in the caller's department
// shows or changes something, so that nothing but the data scope refuses it.
import { type Endpoint, endpoints } from '@portcullis/contract';
import { beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { present } from '../rig/carriers.ts';
import { rulesInForce } from '../rig/rules-in-force.ts';
import { password } from '../rig/seed.ts';
import { machineSettings } from '../rig/service-account.ts';
import { useService } from '../rig/use-service.ts';
import { currentToken } from './current-token.ts';
import { exampleRequest, requestOf } from './example-request.ts';
import {
  addAuditRecords,
  canary,
  leaveIdsFree,
  moveInside,
  readOutside,
  restoreOutsideRecords,
  serviceAccount,
  serviceKey,
} from './outside-records.ts';

const service = useService({
  mode: 'prod',
  settings: { ...machineSettings, MAIL_PASSWORD_PAGE: 'https://admin.example.com/new-password' },
});
const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`;

/** Calls that show and change nothing of the person even in the caller's department, by the beginning of their name. */
const aboutNoPerson: readonly (readonly [names: RegExp, reason: string])[] = [
  [/^(POST \S+\/logout|GET \S+\/getinfo)$/, 'it is about the caller'],
  [/ \/api\/v1\/user\//, 'it is about the caller, whose records alone it finds by an id'],
  [
    /^DELETE \/api\/v1\/sessions$/,
    'it ends the sessions of everyone, and is left to callers who reach everyone',
  ],
  [/^POST \/api\/v1\/users$/, 'it creates a person; where it may is tested below'],
  [
    /^GET \/api\/v1\/login-logs\/counts$/,
    'it counts logins without names; the test of the login log has its data scope',
  ],
  [
    / \/api\/v1\/(roles|departments)(\/|$)/,
    'roles and departments are no people; who may change them is a matter of reach',
  ],
  [/ \/api\/v1\/routes($|\/report$|\/:service$)/, 'it is about routes of services'],
  [/^GET \/api\/v1\/(matrix|exclusions|instances|openapi\.json)$/, 'it is about the service'],
  [/ \/api\/v1\/keys(\/|$)/, 'it is about the keys that sign tokens'],
  [
    / \/api\/v1\/(providers|webhooks)(\/|$)/,
    'it is about other systems, and is left to callers who reach everyone',
  ],
];
const reasonOf = (endpoint: Endpoint) => aboutNoPerson.find(([names]) => names.test(nameOf(endpoint)))?.[1];

/** Calls leave records in the audit log, which the caller sees; an erasure removes the name from all records, for good. */
const orderOf = ({ method, path }: Endpoint) => (path.endsWith('/erase') ? 2 : method === 'GET' ? 0 : 1);
const table = endpoints
  .filter(({ access }) => access !== 'public')
  .toSorted((one, other) => orderOf(one) - orderOf(other))
  .map((endpoint) => [nameOf(endpoint), endpoint] as const);

/** Its example, with the caller's right password; for keys with the service account; an example that enables, disables. */
function requestFor(endpoint: Endpoint) {
  const { method, path } = endpoint;
  const { body, ...request } = exampleRequest(endpoint);
  const isOfKeys = path.startsWith('/api/v1/users/:id/keys');
  const params = { id: serviceAccount, keyId: serviceKey };
  const instead = { oldPassword: password, enabled: false };
  const changed = Object.entries(instead).filter(([field]) =>
    Object.hasOwn((body as object | undefined) ?? {}, field),
  );
  return {
    ...(isOfKeys ? requestOf(method, path, { params }) : request),
    ...(body === undefined ? {} : { body: { ...(body as object), ...Object.fromEntries(changed) } }),
  };
}

/** The text of the answer; of a stream, up to a login of the caller's own department. */
async function textOf(endpoint: Endpoint): Promise<string> {
  const request = present(await currentToken(service(), 'bela'), 'header', requestFor(endpoint));
  if (endpoint.stream !== 'text/event-stream') return (await service().send(request)).text;
  const stop = new AbortController();
  const response = await fetch(`http://127.0.0.1:${service().server.port}${request.path}`, {
    headers: request.headers as Record<string, string>,
    signal: stop.signal,
  });
  await service().logIn(canary, 'wrong');
  await service().logIn('alba', 'wrong');
  let text = '';
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    if (text.includes('alba')) break;
  }
  stop.abort();
  return text;
}

/** Whether the call shows or changes anything of those outside. */
async function reaches(endpoint: Endpoint): Promise<string> {
  const before = await readOutside(service().database);
  const text = await textOf(endpoint);
  const after = await readOutside(service().database);
  return [text.includes(canary) ? 'shows' : '', before === after ? '' : 'changes']
    .filter(Boolean)
    .join(' and ');
}

beforeAll(async () => {
  const { database, send } = service();
  for (const [method, path, body] of [
    ['PUT', '/api/v1/roles/4/data-scope', { dataScope: '4' }],
    ['POST', '/api/v1/roles/4/rules', rulesInForce([{ method: '*', path: '/*' }])],
  ] as const) {
    const answer = await send(
      present(await currentToken(service(), 'ada'), 'header', { method, path, body }),
    );
    expect(answer.body.code === 200 || answer.body.code === 409, answer.text).toBe(true);
  }
  await leaveIdsFree(database);
  await restoreOutsideRecords(database);
  await addAuditRecords(database);
  await service().logIn(canary, 'wrong');
  const findLogin = () => database.query(`select id from login_log where username = '${canary}'`);
  await vi.waitUntil(async () => (await findLogin()).length > 0, { timeout: 60_000 });
});
beforeEach(() => restoreOutsideRecords(service().database));

it.each(table)(
  '%s shows and changes nothing of a person outside the data scope [token-payload-s2]',
  async (_name, endpoint) => {
    expect(await reaches(endpoint)).toBe('');
    await restoreOutsideRecords(service().database);
    await moveInside(service().database);
    const inside = await reaches(endpoint);
    if (reasonOf(endpoint) === undefined) expect(inside).not.toBe('');
    else expect(inside, 'it is about people: remove it from the list').toBe('');
  },
);

it('lists exceptions only for endpoints that exist [token-payload-s2]', () => {
  const names = endpoints.map(nameOf);
  expect(aboutNoPerson.filter(([pattern]) => !names.some((name) => pattern.test(name)))).toEqual([]);
});

it('creates a person only inside the data scope [token-payload-s2]', async () => {
  const { send, database } = service();
  const create = async (departmentId: number) => {
    const body = { username: `new-${departmentId}`, name: 'New', departmentId, roleId: 3 };
    const request = { method: 'POST', path: '/api/v1/users', body };
    return (await send(present(await currentToken(service(), 'bela'), 'header', request))).body.code;
  };
  expect(await create(7)).not.toBe(200);
  expect(await create(1)).toBe(200);
  expect(await database.query(`select department_id::int from users where username like 'new-%'`)).toEqual([
    { department_id: 1 },
  ]);
});
