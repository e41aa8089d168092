// The shapes of AuthZEN Authorization API 1.0 (final, January 2026), against the whole service.
import { connect } from 'node:net';
import { AppError } from '@portcullis/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDecisionStandIn, secret as otherSecret } from './decision-stand-in.ts';
import { secret, startDecisionWorld } from './decision-world.ts';
import { listening } from './listening.ts';

let world: Awaited<ReturnType<typeof startDecisionWorld>>;
let token: string;
let ended: string;
beforeAll(async () => {
  world = await startDecisionWorld();
  token = await world.logIn('mei');
  ended = await world.logIn('kim');
  expect(await world.call('POST', '/api/v1/logout', ended)).toMatchObject({ code: 200 });
});
afterAll(() => world?.stop());

interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly text?: string;
}
async function send(path: string, body: unknown, { method = 'POST', headers = {}, text }: Sent = {}) {
  const response = await fetch(world.origin + path, {
    method,
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
    ...(method === 'GET' ? {} : { body: text ?? JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as unknown };
}
const evaluation = '/access/v1/evaluation';
const evaluations = '/access/v1/evaluations';

const subject = (type: string, id: unknown) => ({ type, id });
const mei = subject('user', '7');
const get = { name: 'GET' };
const orders = { type: 'route', id: '/api/v1/orders' };
const users = { type: 'route', id: '/api/v1/users' };
const whole = { subject: mei, action: get, resource: orders };
const permit = { decision: true };
const deny = (reason: string) => ({ decision: false, context: { reason } });
const failed = (message: string) => ({ decision: false, context: { error: { status: 400, message } } });
/** A token stands for its text once the tests run. */
const fill = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll('<token>', token).replaceAll('<ended>', ended));

describe('a request that is malformed is an error and no decision', () => {
  it.each<[string, unknown, string]>([
    ['no object', [], 'The body is not a JSON object.'],
    ['null', null, 'The body is not a JSON object.'],
    ['nothing in it', {}, '`subject` is missing.'],
    ['no subject', { action: get, resource: orders }, '`subject` is missing.'],
    ['no action', { subject: mei, resource: orders }, '`action` is missing.'],
    ['no resource', { subject: mei, action: get }, '`resource` is missing.'],
    ['a subject that is text', { ...whole, subject: 'user:7' }, '`subject` is not a JSON object.'],
    ['a subject that is null', { ...whole, subject: null }, '`subject` is not a JSON object.'],
    ['a subject without a type', { ...whole, subject: { id: '7' } }, '`subject.type` is missing.'],
    ['a subject without an id', { ...whole, subject: { type: 'user' } }, '`subject.id` is missing.'],
    ['an id that is a number', { ...whole, subject: subject('user', 7) }, '`subject.id` is not a string.'],
    ['an id that is null', { ...whole, subject: subject('user', null) }, '`subject.id` is not a string.'],
    ['an action without a name', { ...whole, action: {} }, '`action.name` is missing.'],
    ['a resource without a type', { ...whole, resource: { id: '/' } }, '`resource.type` is missing.'],
    ['a resource without an id', { ...whole, resource: { type: 'route' } }, '`resource.id` is missing.'],
    [
      'properties that are a list',
      { ...whole, action: { name: 'GET', properties: [] } },
      '`action.properties` is not a JSON object.',
    ],
    ['a context that is text', { ...whole, context: 'x' }, '`context` is not a JSON object.'],
  ])('%s', async (_name, body, error) => {
    expect(await send(evaluation, body)).toMatchObject({ status: 400, body: { error } });
    // Without `evaluations` the other endpoint is the same.
    expect(await send(evaluations, body)).toMatchObject({ status: 400, body: { error } });
  });

  it.each<[string, unknown, string]>([
    ['evaluations that are no list', { ...whole, evaluations: {} }, '`evaluations` is not an array.'],
    ['evaluations that are null', { ...whole, evaluations: null }, '`evaluations` is not an array.'],
    [
      'options that are no object',
      { ...whole, evaluations: [{}], options: 'execute_all' },
      '`options` is not a JSON object.',
    ],
    [
      'an unknown semantic',
      { ...whole, evaluations: [{}], options: { evaluations_semantic: 'any' } },
      '`options.evaluations_semantic` is not one of execute_all, deny_on_first_deny, permit_on_first_permit.',
    ],
    [
      'a semantic that is null',
      { ...whole, evaluations: [{}], options: { evaluations_semantic: null } },
      '`options.evaluations_semantic` is not one of execute_all, deny_on_first_deny, permit_on_first_permit.',
    ],
    [
      'more than 1000 evaluations',
      { ...whole, evaluations: Array(1001).fill({}) },
      'There are more than 1000 evaluations.',
    ],
  ])('%s', async (_name, body, error) => {
    expect(await send(evaluations, body)).toMatchObject({ status: 400, body: { error } });
  });

  it.each<[string, Sent, number, string]>([
    ['no JSON', { text: '{' }, 400, 'The body is not JSON in UTF-8.'],
    ['no body', { text: '' }, 400, 'The body is not JSON in UTF-8.'],
    [
      'another content type',
      { headers: { 'content-type': 'text/plain' } },
      415,
      'Send the body as application/json.',
    ],
    [
      'a content type that only begins so',
      { headers: { 'content-type': 'application/jsonx' } },
      415,
      'Send the body as application/json.',
    ],
    [
      'a body above 64 kB',
      { text: JSON.stringify({ ...whole, context: { x: 'x'.repeat(65_536) } }) },
      413,
      'The body is larger than 65536 bytes.',
    ],
    ['another method', { method: 'PUT' }, 405, 'This address does not take this method.'],
    [
      'a request id that is too long',
      { headers: { 'x-request-id': 'x'.repeat(257) } },
      400,
      'X-Request-ID is too long or not ASCII.',
    ],
  ])('%s', async (_name, sent, status, error) => {
    expect(await send(evaluation, whole, sent)).toMatchObject({ status, body: { error } });
  });

  it('a batch above 1 MB', async () => {
    const body = { ...whole, evaluations: [{ context: { x: 'x'.repeat(1_048_576) } }] };
    expect(await send(evaluations, body)).toMatchObject({ status: 413 });
  });

  it('bytes that are no UTF-8', async () => {
    const response = await fetch(world.origin + evaluation, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: Buffer.from([0x7b, 0xff, 0x7d]),
    });
    expect(response.status).toBe(400);
  });
});

describe('a caller without the secret learns nothing', () => {
  it.each<[string, Record<string, string>]>([
    ['none', { authorization: '' }],
    ['a wrong one', { authorization: `Bearer ${secret}x` }],
    ['another scheme', { authorization: `Basic ${secret}` }],
    ['two', { authorization: `Bearer ${secret}, Bearer ${secret}` }],
    ['that of gateways', { authorization: '', 'x-portcullis-secret': secret }],
  ])('%s', async (_name, headers) => {
    for (const path of [evaluation, evaluations, '/access/v1/scope?userId=7', '/nothing']) {
      const answer = await send(path, whole, { headers });
      expect(answer).toMatchObject({
        status: 401,
        body: { error: 'Send the secret of this listener as Authorization: Bearer.' },
      });
      expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="portcullis"');
    }
    expect((await send('/.well-known/authzen-configuration', {}, { method: 'GET', headers })).status).toBe(
      401,
    );
  });

  it('two Authorization headers', async () => {
    const { hostname, port } = new URL(world.origin);
    const socket = connect(Number(port), hostname);
    const line = `Authorization: Bearer ${secret}\r\n`;
    socket.write(
      `GET /access/v1/scope?userId=7 HTTP/1.1\r\nHost: x\r\n${line}${line}Connection: close\r\n\r\n`,
    );
    expect(String((await socket.toArray())[0])).toMatch(/^HTTP\/1\.1 401 /);
  });
});

describe('one evaluation', () => {
  it.each<[string, unknown, unknown]>([
    // Denied: unknown words.
    [
      'an unknown type of subject',
      { ...whole, subject: subject('machine', '7') },
      deny('subject_type_unknown'),
    ],
    [
      'a type of subject in another case',
      { ...whole, subject: subject('User', '7') },
      deny('subject_type_unknown'),
    ],
    [
      'an unknown type of resource',
      { ...whole, resource: { type: 'order', id: '7' } },
      deny('resource_type_unknown'),
    ],
    ['an action that is no method', { ...whole, action: { name: 'can_read' } }, deny('route_not_found')],
    ['a method in lower case', { ...whole, action: { name: 'get' } }, deny('route_not_found')],
    [
      'a path that is not canonical',
      { ...whole, resource: { type: 'route', id: '/api/v1//orders' } },
      deny('route_not_found'),
    ],
    [
      'a path with a query',
      { ...whole, resource: { type: 'route', id: '/api/v1/orders?x' } },
      deny('route_not_found'),
    ],
    ['no path', { ...whole, resource: { type: 'route', id: '' } }, deny('route_not_found')],
    // Denied: users.
    ['a user whose role may not', { ...whole, resource: users }, deny('permission_denied')],
    ['an unknown user', { ...whole, subject: subject('user', '4711') }, deny('subject_unknown')],
    ['a user by name', { ...whole, subject: subject('user', 'mei') }, deny('subject_unknown')],
    ['a user id with a sign', { ...whole, subject: subject('user', '+7') }, deny('subject_unknown')],
    [
      'a user id with a zero before it',
      { ...whole, subject: subject('user', '07') },
      deny('subject_unknown'),
    ],
    [
      'a user id beyond every one',
      { ...whole, subject: subject('user', '9999999999999999') },
      deny('subject_unknown'),
    ],
    ['a user of a disabled role', { ...whole, subject: subject('user', '9') }, deny('subject_unknown')],
    ['a disabled user', { ...whole, subject: subject('user', '10') }, deny('subject_unknown')],
    ['a deleted user', { ...whole, subject: subject('user', '11') }, deny('subject_unknown')],
    // Denied: roles and tokens.
    [
      'a role that may not',
      { ...whole, subject: subject('role', 'editor'), resource: users },
      deny('permission_denied'),
    ],
    ['a disabled role', { ...whole, subject: subject('role', 'former') }, deny('subject_unknown')],
    ['an unknown role', { ...whole, subject: subject('role', 'nobody') }, deny('subject_unknown')],
    ['a role by its number', { ...whole, subject: subject('role', '2') }, deny('subject_unknown')],
    ['an empty token', { ...whole, subject: subject('token', '') }, deny('token_malformed')],
    ['a text that is no token', { ...whole, subject: subject('token', 'x.y.z') }, deny('token_malformed')],
    [
      'a token with its scheme',
      { ...whole, subject: subject('token', 'Bearer <token>') },
      deny('token_malformed'),
    ],
    ['a token that was ended', { ...whole, subject: subject('token', '<ended>') }, deny('token_revoked')],
    [
      'a token whose role may not',
      { ...whole, subject: subject('token', '<token>'), resource: users },
      deny('permission_denied'),
    ],
    // Permitted.
    ['a user whose role may', whole, permit],
    ['a user who is administrator', { ...whole, subject: subject('user', '12'), resource: users }, permit],
    ['a role that may', { ...whole, subject: subject('role', 'editor') }, permit],
    ['the role admin', { ...whole, subject: subject('role', 'admin'), resource: users }, permit],
    ['a token whose role may', { ...whole, subject: subject('token', '<token>') }, permit],
    [
      'a rule with a parameter',
      { ...whole, action: { name: 'DELETE' }, resource: { type: 'route', id: '/api/v1/orders/17' } },
      permit,
    ],
    [
      'with every optional field, and unknown fields',
      {
        subject: { ...mei, properties: { department: 'Sales' }, other: 1 },
        action: { ...get, properties: { method: 'GET' } },
        resource: { ...orders, properties: {} },
        context: { time: '2026-11-15T13:22-07:00' },
        other: [],
      },
      permit,
    ],
  ])('%s', async (_name, body, answer) => {
    const single = await send(evaluation, fill(body));
    expect([single.status, single.body]).toEqual([200, answer]);
    // No `evaluations`, or an empty list of them: a single evaluation.
    expect((await send(evaluations, fill(body))).body).toEqual(answer);
    expect((await send(evaluations, { ...(fill(body) as object), evaluations: [] })).body).toEqual(answer);
    // Inside a batch it is the same.
    expect((await send(evaluations, { evaluations: [fill(body)] })).body).toEqual({ evaluations: [answer] });
  });

  it('is answered as JSON, never kept by a cache, with the id of the caller', async () => {
    const { headers } = await send(evaluation, whole, { headers: { 'x-request-id': 'bfe9eb29-ab87-4ca3' } });
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-request-id')).toBe('bfe9eb29-ab87-4ca3');
  });

  it('gets a new id where the caller sends none, also for an error', async () => {
    expect((await send(evaluation, whole)).headers.get('x-request-id')).toMatch(/^[0-9a-f]{16}-/);
    const failure = await send(evaluation, {}, { headers: { 'x-request-id': 'mine' } });
    expect(failure.headers.get('x-request-id')).toBe('mine');
  });

  it('uses the current role of a user', async () => {
    const body = { ...whole, subject: subject('user', '8') };
    const admin = await world.logIn('ada');
    expect((await send(evaluation, body)).body).toEqual(permit);
    await world.call('PUT', '/api/v1/users/8/enabled', admin, { enabled: false });
    expect((await send(evaluation, body)).body).toEqual(deny('subject_unknown'));
    await world.call('PUT', '/api/v1/users/8/enabled', admin, { enabled: true });
    expect((await send(evaluation, body)).body).toEqual(permit);
  });
});

describe('many evaluations', () => {
  const item = (id: string) => ({ resource: { type: 'route', id } });
  const three = [item('/api/v1/orders'), item('/api/v1/users'), item('/api/v1/orders/17')];
  const base = { subject: mei, action: get };
  const semantic = (evaluations_semantic: string) => ({
    options: { evaluations_semantic, another: 'value' },
  });

  it.each<[string, unknown, unknown[]]>([
    [
      'an item that lacks what no default gives',
      { subject: mei, evaluations: [{ action: get }, { action: get, resource: orders }] },
      [failed('`resource` is missing.'), permit],
    ],
    [
      'items that are malformed',
      {
        ...base,
        evaluations: [
          null,
          'x',
          [],
          { resource: 'x' },
          { resource: { type: 'route' } },
          item('/api/v1/orders'),
        ],
      },
      [
        failed('An evaluation is not a JSON object.'),
        failed('An evaluation is not a JSON object.'),
        failed('An evaluation is not a JSON object.'),
        failed('`resource` is not a JSON object.'),
        failed('`resource.id` is missing.'),
        permit,
      ],
    ],
    [
      'a malformed default that an item overrides',
      { subject: 'x', action: get, evaluations: [{ ...whole }, { resource: orders }] },
      [permit, failed('`subject` is not a JSON object.')],
    ],
    [
      'an item that overrides a default with null',
      { ...whole, evaluations: [{ subject: null }] },
      [failed('`subject` is not a JSON object.')],
    ],
    ['all of them, by default', { ...base, evaluations: three }, [permit, deny('permission_denied'), permit]],
    [
      'all of them',
      { ...base, ...semantic('execute_all'), evaluations: three },
      [permit, deny('permission_denied'), permit],
    ],
    [
      'up to the first denied',
      { ...base, ...semantic('deny_on_first_deny'), evaluations: three },
      [permit, deny('permission_denied')],
    ],
    [
      'up to the first error, which is denied',
      { ...base, ...semantic('deny_on_first_deny'), evaluations: [...three.slice(0, 1), {}, ...three] },
      [permit, failed('`resource` is missing.')],
    ],
    [
      'up to the first permitted',
      { ...base, ...semantic('permit_on_first_permit'), evaluations: three },
      [permit],
    ],
    [
      'none permitted',
      { ...base, ...semantic('permit_on_first_permit'), evaluations: [{ resource: users }, {}] },
      [deny('permission_denied'), failed('`resource` is missing.')],
    ],
    ['nothing but defaults', { ...whole, evaluations: [{}, {}] }, [permit, permit]],
    [
      'a default that one item overrides',
      {
        ...base,
        resource: orders,
        evaluations: [
          {},
          { action: { name: 'DELETE' } },
          { subject: subject('role', 'admin'), resource: users },
        ],
      },
      [permit, deny('permission_denied'), permit],
    ],
    [
      'subjects of each kind',
      {
        action: get,
        resource: orders,
        evaluations: ['<token>', '<ended>'].map((id) => ({ subject: subject('token', id) })),
      },
      [permit, deny('token_revoked')],
    ],
  ])('%s', async (_name, body, answers) => {
    const { status, body: answer } = await send(evaluations, fill(body));
    expect([status, answer]).toEqual([200, { evaluations: answers }]);
  });

  it('up to 1000', async () => {
    const body = { ...whole, evaluations: Array(1000).fill({}) };
    const { body: answer } = await send(evaluations, body);
    expect(answer).toEqual({ evaluations: Array(1000).fill(permit) });
  });
});

describe('the metadata', () => {
  const read = (headers = {}) => send('/.well-known/authzen-configuration', {}, { method: 'GET', headers });

  it('names the decision point as it was asked, and its endpoints', async () => {
    const { status, headers, body } = await read();
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(body).toEqual({
      policy_decision_point: world.origin,
      access_evaluation_endpoint: `${world.origin}${evaluation}`,
      access_evaluations_endpoint: `${world.origin}${evaluations}`,
    });
  });

  it('names https where TLS ends in front of it', async () => {
    const { body } = await read({ 'x-forwarded-proto': 'https' });
    expect(body).toMatchObject({ policy_decision_point: world.origin.replace('http:', 'https:') });
  });

  it('is read with GET', async () => {
    const answer = await send('/.well-known/authzen-configuration', {});
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET']);
  });
});

describe('no decision is taken', () => {
  async function ask(options: Parameters<typeof createDecisionStandIn>[0], path = evaluation, isLive = true) {
    const { listener, state } = createDecisionStandIn(options);
    state.isLive = isLive;
    const port = await listening(listener);
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${otherSecret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...whole, evaluations: [whole, whole] }),
    });
    listener.close();
    return { status: response.status, body: await response.json(), faults: state.faults.length };
  }
  const none = { status: 503, body: { error: 'No decision is possible now. Try again shortly.' } };
  const findUserRole = async () => ({ roleId: 2, roleKey: 'editor', dataScope: '3' }) as const;

  it.each([evaluation, evaluations])('without a lease, at %s', async (path) => {
    expect(await ask({ findUserRole }, path, false)).toEqual({ ...none, faults: 0 });
    // Nor where every subject is unknown: then nothing asks the checks.
    expect(await ask({}, path, false)).toEqual({ ...none, faults: 0 });
  });

  it.each([evaluation, evaluations])('where the database does not answer, at %s', async (path) => {
    const away = async () => {
      throw new Error('Postgres is away.');
    };
    expect(await ask({ findUserRole: away }, path)).toEqual({ ...none, faults: 1 });
  });

  it.each([evaluation, evaluations])('where a check fails, at %s', async (path) => {
    const decideNamed = (_: unknown, done: (error: Error) => void) => done(new AppError('internal'));
    expect(await ask({ findUserRole, decideNamed }, path)).toEqual({ ...none, faults: 1 });
  });

  it('while access changes: a lookup from before a change is repeated', async () => {
    let asked = 0;
    const { listener, state } = createDecisionStandIn({
      async findUserRole() {
        asked += 1;
        if (asked === 1) state.generation += 1;
        return asked === 1 ? await findUserRole() : undefined;
      },
    });
    const port = await listening(listener);
    const response = await fetch(`http://127.0.0.1:${port}${evaluation}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${otherSecret}`, 'content-type': 'application/json' },
      body: JSON.stringify(whole),
    });
    listener.close();
    expect(await response.json()).toEqual(deny('subject_unknown'));
    expect(asked).toBe(2);
  });
});
