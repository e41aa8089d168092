// Spec, Endpoints: login, captcha, logout and own profile.
import { describe, expect, it } from 'vitest';
import { carriers, present } from '../rig/carriers.ts';
import type { Request } from '../rig/http-client.ts';
import { password } from '../rig/seed.ts';
import { useService } from '../rig/use-service.ts';
import { expectLoginRefusal, expectRefusal, expectSuccess } from './expect-refusal.ts';
import { modes } from './modes.ts';

/** As a browser sends it: by cookie, a call that changes something must come from our own site. */
const logout: Request = {
  method: 'POST',
  path: '/api/v1/logout',
  headers: { 'sec-fetch-site': 'same-origin' },
};
const profile: Request = { path: '/api/v1/user/profile' };
const context: Request = { path: '/api/v1/context' };

describe.each(modes)('in mode %s', (mode) => {
  const service = useService({ mode });

  it('answers a failed login with HTTP 200 and code 400, never 401 [endpoints-login]', async () => {
    expectLoginRefusal(await service().logIn('carl', 'wrong'), 'credentials_wrong');
  });

  it('answers a login by POST with a JSON body with token and expire [endpoints-login]', async () => {
    const answer = await service().logIn('carl');
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ code: 200, token: expect.any(String), expire: expect.any(String) });
  });

  it('accepts no login from the query, from a form or from text [endpoints-login]', async () => {
    const fields = new URLSearchParams({ username: 'carl', password, ...(await service().solvedCaptcha()) });
    const path = '/api/v1/login';
    expectLoginRefusal(
      await service().send({ method: 'POST', path: `${path}?${fields}`, text: '{}' }),
      'params_invalid',
    );
    for (const type of [
      'application/x-www-form-urlencoded',
      'text/plain',
      'multipart/form-data; boundary=x',
    ]) {
      const headers = { 'content-type': type };
      const { status, body } = await service().send({ method: 'POST', path, headers, text: `${fields}` });
      expect([status, body]).toEqual([415, { code: 415, msg: expect.any(String) }]);
    }
  });

  it.each(['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])(
    'does not serve login by %s [endpoints-login]',
    async (method) => {
      expect((await service().send({ method, path: '/api/v1/login' })).status).toBe(404);
    },
  );

  it.each(['/api/v1/getCaptcha', '/api/v1/captcha'])(
    'returns a captcha identifier and a picture at %s, without a token [endpoints-getcaptcha]',
    async (path) => {
      const answer = await service().send({ path });
      expect(answer.status).toBe(200);
      expect(answer.body).toStrictEqual({
        code: 200,
        id: expect.stringMatching(/^[\w-]{22}$/),
        data: expect.stringMatching(/^data:image\/png;base64,/),
        ...(mode === 'dev' ? { skipped: true } : {}),
        msg: 'success',
        requestId: expect.any(String),
      });
      const picture = Buffer.from(String(answer.body.data).split(',')[1] ?? '', 'base64');
      expect(picture.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
    },
  );

  it.each(['HEAD', 'OPTIONS'])(
    'does not serve %s at any endpoint [endpoints-getcaptcha] [endpoints-s1]',
    async (method) => {
      const token = await service().tokenOf('ada');
      for (const path of ['getCaptcha', 'captcha', 'login', 'logout', 'user/profile', 'getinfo', 'orders'])
        expect(
          (await service().send(present(token, 'header', { method, path: `/api/v1/${path}` }))).status,
        ).toBe(404);
    },
  );

  it('issues another captcha at every call and stores no readable answer [endpoints-getcaptcha]', async () => {
    const ids = [];
    for (let count = 0; count < 5; count += 1)
      ids.push((await service().send({ path: '/api/v1/getCaptcha' })).body.id);
    expect(new Set(ids).size).toBe(5);
    const rows = await service().database.query<{ answer_hmac: Buffer }>(
      'select answer_hmac from captchas where id = any($1)',
      [ids],
    );
    expect(rows.map(({ answer_hmac }) => answer_hmac.length)).toEqual([32, 32, 32, 32, 32]);
  });

  it.each([logout, profile])(
    'refuses $path without a token, although it is on the exclusion list [endpoints-s1] [permission-exclusion-list-s2]',
    async (request) => {
      await expectRefusal(service(), request, 'token_missing');
    },
  );

  it('shows the profile of the caller to a role without any rule [endpoints-s1] [permission-exclusion-list-s2]', async () => {
    const answer = await service().send(present(await service().tokenOf('gina'), 'header', profile));
    expectSuccess(answer);
    expect(answer.body.data).toMatchObject({
      user: { username: 'gina', dept: { deptName: 'Head office' } },
      roles: [{ roleKey: 'guest', dataScope: '5' }],
      posts: [],
    });
  });

  it('keeps login, logout, captcha and own profile on the exclusion list where the settings have none [permission-exclusion-list-s2]', async () => {
    const list = await service().send(
      present(await service().tokenOf('ada'), 'header', { path: '/api/v1/exclusions' }),
    );
    expectSuccess(list);
    const { items } = list.body.data as { items: { method: string; path: string }[] };
    expect(items.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /api/v1/getCaptcha',
      'GET /api/v1/captcha',
      'GET /api/v1/login/methods',
      'POST /api/v1/login/begin',
      'POST /api/v1/login',
      'POST /api/v1/login/enrol',
      'POST /api/v1/logout',
      'GET /api/v1/user/profile',
      'POST /api/v1/providers/:key/logout',
      'POST /api/v1/password/forgot',
      'POST /api/v1/password/reset',
    ]);
    const { body } = await service().logIn('gina');
    expect(body.code).toBe(200);
    for (const request of [{ path: '/api/v1/getCaptcha' }, profile, logout])
      expectSuccess(await service().send(present(String(body.token), 'header', request)));
  });

  it.each(carriers)(
    'ends the token that logout was called with by %s, for every carrier, before it answers [endpoints-s1] [permission-exclusion-list-s2]',
    async (carrier) => {
      const token = String((await service().logIn('gina')).body.token);
      expectSuccess(await service().send(present(token, carrier, context)));
      expectSuccess(await service().send(present(token, carrier, logout)));
      for (const other of carriers)
        await expectRefusal(service(), present(token, other, context), 'token_revoked');
    },
  );

  it('ends one token by logout and keeps the other tokens of the same user [endpoints-s1]', async () => {
    const [ended, kept] = [await service().logIn('carl'), await service().logIn('carl')];
    await service().send(present(String(ended.body.token), 'header', logout));
    expectSuccess(await service().send(present(String(kept.body.token), 'header', context)));
  });

  it('clears the cookie jwt at logout [endpoints-s1]', async () => {
    const token = String((await service().logIn('gina')).body.token);
    const { headers } = await service().send(present(token, 'cookie', logout));
    expect(headers['set-cookie']).toEqual([expect.stringMatching(/^jwt=; Max-Age=0; /)]);
  });

  it('returns the identity of a logged-in caller of any role [authentication-5c]', async () => {
    const answer = await service().send(
      present(await service().tokenOf('gina'), 'header', { path: '/api/v1/getinfo' }),
    );
    expectSuccess(answer);
    expect(answer.body.data).toMatchObject({ userName: 'gina', roles: ['guest'] });
  });

  it('sets no-store, nosniff, no-referrer and the request id on every answer [what-the-service-does-s1]', async () => {
    const token = await service().tokenOf('carl');
    const answers = [
      await service().send({ path: '/api/v1/greeting' }),
      await service().send(profile),
      await service().send({ path: '/api/v1/nothing' }),
      await service().logIn('carl'),
      await service().logIn('carl', 'wrong'),
      await service().send({ method: 'POST', path: '/api/v1/login', text: '{' }),
      await service().send({
        method: 'POST',
        path: '/api/v1/login',
        text: 'a',
        headers: { 'content-type': 'text/plain' },
      }),
      await service().send(present(token, 'header', { method: 'POST', path: '/api/v1/faults', body: {} })),
    ];
    for (const { headers } of answers)
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-request-id': expect.stringMatching(/^[\w-]{8,}$/),
      });
    expect(new Set(answers.map(({ headers }) => headers['x-request-id'])).size).toBe(answers.length);
  });
});
