// A password that an administrator set, from the first login to the change: by a real Portcullis, its guard and its gateway
// listener.
import { type Endpoint, endpoints } from '@portcullis/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Request } from '../../../test/rig/http-client.ts';
import { decodeToken } from '../../../test/rig/tokens.ts';
import { ask, bearer, orders, outcome, secret, startWorld, type World } from './world.ts';

const chosen = 'lamp orbit velvet ninety';
const clerk = 2;

let world: World;
beforeAll(async () => {
  world = await startWorld({ THROTTLE_FAILURES_BEFORE_DELAY: '3' });
});
afterAll(() => world?.close());

/** Creates a clerk, who then has a password that must be changed. */
async function createClerk(username: string): Promise<{ id: number; password: string }> {
  const body = { username, name: 'New', departmentId: 1, roleId: clerk };
  return (await world.administer('POST', '/api/v1/users', body)).body.data as {
    id: number;
    password: string;
  };
}
async function logIn(username: string, password: string): Promise<string> {
  const { body, text } = await world.service.logIn(username, password);
  if (typeof body.token !== 'string') throw new Error(text);
  return body.token;
}
const send = (token: string, request: Request): Promise<Answer> =>
  world.service.send({ ...request, headers: bearer(token) });
const changePassword = (token: string, oldPassword: string, newPassword: string) =>
  send(token, { method: 'PUT', path: '/api/v1/user/password', body: { oldPassword, newPassword } });

/** The answer to a gateway, as status and X-Auth-Reason. */
async function askGateway(token: string): Promise<[status: number, reason: string | null]> {
  const { status, headers } = await fetch(`${world.url}/forward-auth`, {
    headers: {
      ...bearer(token),
      'x-portcullis-secret': secret,
      'x-forwarded-method': 'GET',
      'x-forwarded-uri': '/api/v1/orders',
    },
  });
  return [status, headers.get('x-auth-reason')];
}

async function evaluate(type: string, id: string): Promise<unknown> {
  const response = await fetch(`${world.url}/access/v1/evaluation`, {
    method: 'POST',
    headers: { ...bearer(secret), 'content-type': 'application/json' },
    body: JSON.stringify({
      subject: { type, id },
      action: { name: 'GET' },
      resource: { type: 'route', id: '/api/v1/orders' },
    }),
  });
  return await response.json();
}

describe('a user whose password was given by an administrator', () => {
  let id: number;
  let password: string;
  let token: string;
  beforeAll(async () => {
    ({ id, password } = await createClerk('newcomer'));
    token = await logIn('newcomer', password);
  });

  const closed = endpoints.filter(
    ({ access, forDuePassword }) => access !== 'public' && forDuePassword !== true,
  );
  const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`;
  it.each(closed.map((endpoint) => [nameOf(endpoint), endpoint] as const))(
    'is refused %s',
    async (_name, endpoint) => {
      const path = endpoint.path.replace(/:\w+/g, '1');
      const answer = await send(token, { method: endpoint.method, path, ...(endpoint.body && { body: {} }) });
      expect(answer).toMatchObject({ status: 200, body: { code: 403, msg: 'Change your password first.' } });
      expect(answer.headers['x-auth-reason']).toBe('password_change_required');
    },
  );

  it('is refused what the role may call of a business service', async () => {
    const answer = await send(token, { path: '/api/v1/orders' });
    expect(answer).toMatchObject({ status: 200, body: { code: 403 } });
  });

  it('is refused by the guard of a business service, with the same answer', async () => {
    const decision = await ask(world.guard, orders(token));
    expect(decision).toMatchObject({ allowed: false, kind: 'password_change_required', status: 200 });
    expect(decision).toMatchObject({ headers: { 'x-auth-reason': 'password_change_required' } });
    expect(await outcome(world.guard, { path: '/api/v1/user/password', headers: bearer(token) })).toBe(
      'password_change_required',
    );
  });

  it('is refused by a gateway, with its own status', async () => {
    expect(await askGateway(token)).toEqual([403, 'password_change_required']);
  });

  it('is denied to a service that asks, by token and by name', async () => {
    const denied = { decision: false, context: { reason: 'password_change_required' } };
    expect(await evaluate('token', token)).toEqual(denied);
    expect(await evaluate('user', String(id))).toEqual(denied);
  });

  it('can read its own account, and log out', async () => {
    expect((await send(token, { path: '/api/v1/getinfo' })).body).toMatchObject({
      data: { userName: 'newcomer' },
    });
    expect((await send(token, { path: '/api/v1/user/profile' })).body).toMatchObject({ code: 200 });
    const other = await logIn('newcomer', password);
    expect((await send(other, { method: 'POST', path: '/api/v1/logout' })).body).toMatchObject({ code: 200 });
  });

  it('changes it with the old one, logs in again, and can call everything', async () => {
    const second = await logIn('newcomer', password);
    expect(decodeToken(token).claims).toMatchObject({ due: true });
    expect((await changePassword(token, 'wrong', chosen)).headers['x-auth-reason']).toBe('credentials_wrong');
    expect((await changePassword(token, password, 'short')).headers['x-auth-reason']).toBe('password_weak');
    const changed = await changePassword(token, password, chosen);
    expect(changed.body).toMatchObject({ code: 200, data: null });
    expect(changed.headers['set-cookie']).toEqual([expect.stringMatching(/^jwt=; Max-Age=0/)]);

    for (const old of [token, second]) {
      expect((await send(old, { path: '/api/v1/getinfo' })).headers['x-auth-reason']).toBe('token_revoked');
      expect(await outcome(world.guard, orders(old))).toBe('token_revoked');
      expect(await askGateway(old)).toEqual([401, 'token_revoked']);
    }
    expect((await world.service.logIn('newcomer', password)).body).toMatchObject({ code: 400 });

    const free = await logIn('newcomer', chosen);
    expect(decodeToken(free).claims).not.toHaveProperty('due');
    expect((await send(free, { path: '/api/v1/orders' })).body).toMatchObject({ code: 200 });
    expect(await outcome(world.guard, orders(free))).toBe('allowed');
    expect(await askGateway(free)).toEqual([200, null]);
    expect(await evaluate('user', String(id))).toEqual({ decision: true });
  });

  it('must change it again after a reset, which ends all sessions', async () => {
    const free = await logIn('newcomer', chosen);
    const reset = await world.administer('PUT', `/api/v1/users/${id}/password`, {});
    const { password: made } = reset.body.data as { password: string };
    expect((await send(free, { path: '/api/v1/getinfo' })).headers['x-auth-reason']).toBe('token_revoked');
    const due = await logIn('newcomer', made);
    expect((await send(due, { path: '/api/v1/orders' })).body).toMatchObject({ code: 403 });
  });
});

it('counts wrong old passwords by person, and closes no login', async () => {
  const { password } = await createClerk('guessed');
  const token = await logIn('guessed', password);
  const captcha = await world.service.solvedCaptcha();
  const guess = async (oldPassword: string) =>
    (await changePassword(token, oldPassword, chosen)).headers['x-auth-reason'];
  for (const wrong of ['wrong 1', 'wrong 2', 'wrong 3']) expect(await guess(wrong)).toBe('credentials_wrong');
  // The first wait is over after five seconds, which a slow machine may take.
  await world.service.database.query(
    `update throttle set failed_at = failed_at + interval '1 hour', lapses_at = lapses_at + interval '1 hour'`,
  );
  const [wrong, right, login] = await Promise.all([
    guess('wrong 4'),
    guess(password),
    world.service.postLogin({ username: 'guessed', password, ...captcha }),
  ]);
  expect([wrong, right]).toEqual(['rate_limited', 'rate_limited']);
  expect(login.body).toMatchObject({ code: 200 });
});
