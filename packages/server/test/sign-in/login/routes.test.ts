import { createSecretKey } from 'node:crypto';
import {
  AppError,
  type Call,
  type Caller,
  captchaEndpoint,
  type LoginAttempt,
  loginEndpoint,
  logoutEndpoint,
  type Route,
} from '@portcullis/contract';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { createTokenCookie } from '../../../src/sign-in/login/cookie.ts';
import { createDeviceCookie } from '../../../src/sign-in/login/device-cookie.ts';
import { loginRoutes } from '../../../src/sign-in/login/routes.ts';
import { handlerOf, routeOf } from '../../handler-of.ts';
import { createOneStep } from './one-step.ts';

const account = {
  userId: 7,
  username: 'mei',
  roleId: 2,
  roleKey: 'editor',
  dataScope: '3',
  epoch: 1,
} as const;
const caller: Caller = { ...account, jti: 'j', expiresAt: 3600 };

const admitted = {
  prefetched: { result: undefined, milliseconds: 0 },
  settleBySession: () => sql``,
  isSettled: false,
  keepAsWrong: () => async () => {},
};

interface World {
  captchaRequired?: boolean;
  revokeToken?: () => Promise<number>;
  /** What storing an attempt waits for, or fails with. */
  stored?: Promise<void>;
}

function createWorld(world: World = {}) {
  const { captchaRequired = false, revokeToken = async () => 5, stored = Promise.resolve() } = world;
  const seen: unknown[] = [];
  const routes = loginRoutes({
    captchaRequired,
    captcha: { issue: async () => ({ id: 'id', picture: Buffer.from('png') }), isSolvedBy: async () => true },
    captchaLimit: ({ ip }) => {
      if (ip === '192.0.2.9') throw new AppError('rate_limited');
    },
    textCaptchaLimit: () => {},
    knownNetworks: { has: () => true, add: () => {} },
    slots: { run: (_from, work) => work() },
    throttle: { attempt: (_guess, verify) => verify(admitted) },
    ...createOneStep({
      verify: async ({ password }) => (password === 'right' ? { account } : { refused: 'user_disabled' }),
    }),
    listProviders: async () => [],
    enrol: () => Promise.reject(new Error('This is not called.')),
    issueToken: async () => ({ token: 'a.b.c', jti: 'j', expiresAt: new Date(5_000_000) }),
    cookie: createTokenCookie({ enabled: true, secure: true }),
    deviceCookie: createDeviceCookie({
      secure: true,
      key: createSecretKey(Buffer.alloc(32, 7)),
      randomBytes: (size) => Buffer.alloc(size, 7),
    }),
    findDevice: () => undefined,
    revokeToken: async () => {
      const revision = await revokeToken();
      seen.push('revoked');
      return revision;
    },
    record: (attempt: LoginAttempt) => {
      seen.push(attempt);
      return stored;
    },
    isResetOffered: false,
    now: () => 2_000_000,
  });
  const callWith = (parts: object) => ({
    ip: '192.0.2.1',
    userAgent: 'curl/8',
    requestId: 'r-1',
    setHeader: (name: string, value: string) => void seen.push(`${name}: ${value}`),
    ...parts,
  });
  const loginCall = (password: string) =>
    callWith({ body: { username: 'mei', password } }) as unknown as Call<typeof loginEndpoint>;
  const logoutCall = () => callWith({ caller }) as unknown as Call<typeof logoutEndpoint>;
  return {
    seen,
    fetchCaptcha: handlerOf(routes, captchaEndpoint),
    login: routeOf(routes, loginEndpoint) as LoginRoute,
    logout: handlerOf(routes, logoutEndpoint),
    loginCall,
    logoutCall,
  };
}

type LoginRoute = Required<Route>;

function away(): Promise<void> {
  const rejected = Promise.reject(new AppError('unavailable'));
  rejected.catch(() => {});
  return rejected;
}

describe('logout', () => {
  it('that cannot revoke fails, and keeps the cookie and the log as they are', async () => {
    const { logout, seen, logoutCall } = createWorld({
      revokeToken: () => Promise.reject(new Error('away')),
    });
    await expect(logout(logoutCall())).rejects.toThrow('away');
    expect(seen).toEqual([]);
  });

  it('that cannot be logged has ended the token all the same', async () => {
    const { logout, seen, logoutCall } = createWorld({ stored: away() });
    expect(await logout(logoutCall())).toEqual({ data: null });
    expect(seen).toContain('revoked');
  });

  it('revokes first, then clears the cookie and is logged', async () => {
    const { logout, seen, logoutCall } = createWorld();
    expect(await logout(logoutCall())).toEqual({ data: null });
    expect(seen).toEqual([
      'revoked',
      'x-policy-revision: 5',
      expect.stringMatching(/^set-cookie: jwt=; Max-Age=0;/),
      expect.objectContaining({ reason: 'logout', outcome: 'success', username: 'mei', userId: 7, jti: 'j' }),
    ]);
  });
});

describe('login', () => {
  it('that cannot be logged is answered with that, and this answer counts as no attempt', async () => {
    const { login, seen, loginCall } = createWorld({ stored: away() });
    const call = loginCall('right');
    const state = login.begin(call);
    await login.handle(call, state);
    await expect(login.onAnswer(call, state, undefined)).rejects.toMatchObject({ kind: 'unavailable' });
    await login.onAnswer(call, state, 'unavailable');
    expect(seen.filter((one) => typeof one === 'object')).toEqual([
      expect.objectContaining({ outcome: 'success', reason: 'ok' }),
    ]);
  });

  it('is not answered before it is logged', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { login, loginCall } = createWorld({ stored: promise });
    const call = loginCall('right');
    const state = login.begin(call);
    await login.handle(call, state);
    let isTold = false;
    const told = Promise.resolve(login.onAnswer(call, state, undefined)).then(() => {
      isTold = true;
    });
    await new Promise(setImmediate);
    expect(isTold).toBe(false);
    resolve();
    await told;
  });

  it('that is refused sets no cookie, and is logged with its true reason once it is answered', async () => {
    const { login, seen, loginCall } = createWorld();
    const call = loginCall('wrong');
    const state = login.begin(call);
    await expect(login.handle(call, state)).rejects.toMatchObject({ kind: 'credentials_wrong' });
    expect(seen).toEqual([]);
    await login.onAnswer(call, state, 'credentials_wrong');
    expect(seen).toEqual([
      expect.objectContaining({ outcome: 'failure', reason: 'user_disabled', username: 'mei' }),
    ]);
  });

  it('that never reached its handler is logged too', async () => {
    const { login, seen, loginCall } = createWorld();
    await login.onAnswer(loginCall('right'), undefined, 'rate_limited');
    expect(seen).toEqual([
      expect.objectContaining({ outcome: 'failure', reason: 'throttled', username: 'mei' }),
    ]);
  });

  it('answers token and expiry, and sets a cookie that lives no longer', async () => {
    const { login, seen, loginCall } = createWorld();
    const call = loginCall('right');
    const state = login.begin(call);
    expect(await login.handle(call, state)).toEqual({ token: 'a.b.c', expire: '1970-01-01T01:23:20.000Z' });
    await login.onAnswer(call, state, undefined);
    expect(seen).toEqual([
      expect.stringMatching(/^set-cookie: jwt=a\.b\.c; Max-Age=3000;/),
      expect.stringMatching(
        /^set-cookie: __Host-device=[\w-]{54}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
      ),
      expect.objectContaining({ outcome: 'success', reason: 'ok', userId: 7, roleKey: 'editor', jti: 'j' }),
    ]);
  });
});

it('a network that fetches too many captchas gets none', async () => {
  const { fetchCaptcha } = createWorld();
  await expect(fetchCaptcha({ ip: '192.0.2.9', query: {} } as never)).rejects.toMatchObject({
    kind: 'rate_limited',
  });
});

it('a captcha is answered as its id and a picture in the page', async () => {
  const { fetchCaptcha } = createWorld({ captchaRequired: true });
  expect(await fetchCaptcha({ query: {} } as never)).toEqual({
    id: 'id',
    data: 'data:image/png;base64,cG5n',
  });
});

it('a captcha says so where login skips it', async () => {
  const { fetchCaptcha } = createWorld({ captchaRequired: false });
  expect(await fetchCaptcha({ query: {} } as never)).toMatchObject({ id: 'id', skipped: true });
});
