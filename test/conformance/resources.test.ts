// Spec, Resources and their fields: the login request, the login success result, and the token payload.
import { describe, expect, it } from 'vitest';
import { captchaAnswer } from '../rig/captcha.ts';
import { type Carrier, carriers, present } from '../rig/carriers.ts';
import { password, roles, type Username, users } from '../rig/seed.ts';
import { decodeToken } from '../rig/tokens.ts';
import { useService } from '../rig/use-service.ts';
import { expectIssued } from './expect-issued.ts';
import { expectLoginRefusal, expectSuccess } from './expect-refusal.ts';
import { modes } from './modes.ts';

const whole = { username: 'carl', password, uuid: 'AAAAAAAAAAAAAAAAAAAAAA', code: captchaAnswer };
const without = (field: keyof typeof whole) =>
  Object.fromEntries(Object.entries(whole).filter(([name]) => name !== field));
const badValues = (tooLong: number) => ['', 'x'.repeat(tooLong), 7, true, null, ['carl'], { a: 1 }];

describe.each(modes)('in mode %s', (mode) => {
  const service = useService({ mode });

  it.each(['username', 'password'] as const)(
    'refuses a login without %s [login-request-username] [login-request-password] [login-processing-order-1]',
    async (field) => {
      expectLoginRefusal(await service().postLogin(without(field)), 'params_invalid');
    },
  );

  it.each([
    { field: 'username', limit: 64 },
    { field: 'password', limit: 256 },
    { field: 'uuid', limit: 64 },
    { field: 'code', limit: 16 },
  ])(
    'refuses a $field that is empty, longer than $limit characters or no text [login-request-username] [login-request-password] [login-request-uuid] [login-request-code] [login-processing-order-1]',
    async ({ field, limit }) => {
      for (const value of badValues(limit + 1))
        expectLoginRefusal(await service().postLogin({ ...whole, [field]: value }), 'params_invalid');
    },
  );

  it('refuses a body that is no JSON object [endpoints-login] [login-processing-order-1]', async () => {
    for (const text of ['', 'null', '[]', '"carl"', '{"username":', 'username=carl&password=x'])
      expectLoginRefusal(
        await service().send({ method: 'POST', path: '/api/v1/login', text }),
        'params_invalid',
      );
  });

  it('reads the account from username and password alone [login-request-username] [login-request-password]', async () => {
    const { body } = await service().postLogin({
      username: 'gina',
      password,
      ...(await service().solvedCaptcha()),
      rolekey: 'admin',
      roleId: 1,
    });
    expect(decodeToken(String(body.token)).claims).toMatchObject({ nice: 'gina', rolekey: 'guest' });
  });

  it('answers a login with token and expire at the top level of the envelope, and sets the cookie jwt as HttpOnly and SameSite [login-success-result-token] [login-success-result-expire] [authentication-cookie]', async () => {
    expectIssued(await service().logIn('carl'), mode);
  });

  it('writes expire in RFC 3339 in UTC, and it equals the claim exp [login-success-result-expire]', async () => {
    const { body } = await service().logIn('carl');
    expect(body.expire).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
    expect(Date.parse(String(body.expire))).toBe(Number(decodeToken(String(body.token)).claims.exp) * 1000);
  });

  it('issues a token that identifies the account, another one at every login [login-success-result-token]', async () => {
    const [first, second] = [
      (await service().logIn('carl')).body.token,
      (await service().logIn('carl')).body.token,
    ];
    expect(decodeToken(String(first)).claims.jti).not.toBe(decodeToken(String(second)).claims.jti);
    const context = await service().send(present(String(first), 'header', { path: '/api/v1/context' }));
    expect(context.body.data).toMatchObject({ username: 'carl' });
  });

  const live = users.filter(({ username }) => !['dora', 'otto'].includes(username));

  it.each(live)(
    'carries user ID, role ID, role key, username and data scope of $username [token-payload-s1]',
    async ({ username, role }) => {
      const [row] = await service().database.query<{ id: string; role_id: string }>(
        'select id, role_id from users where username = $1',
        [username],
      );
      expect(await service().claimsOf(username)).toMatchObject({
        identity: Number(row?.id),
        roleid: Number(row?.role_id),
        rolekey: role,
        nice: username,
        datascope: roles.find(({ key }) => key === role)?.dataScope,
      });
    },
  );

  const pairs: { username: Username; carrier: Carrier }[] = carriers.map((carrier, index) => ({
    username: live[index + 1]?.username ?? 'ada',
    carrier,
  }));

  it.each(pairs)(
    'hands the five items of a token by $carrier to the handler in the request context [token-payload-s2]',
    async ({ username, carrier }) => {
      const claims = await service().claimsOf(username);
      const answer = await service().send(
        present(await service().tokenOf(username), carrier, { path: '/api/v1/context' }),
      );
      expectSuccess(answer);
      expect(answer.body.data).toStrictEqual({
        userId: claims.identity,
        roleId: claims.roleid,
        roleKey: claims.rolekey,
        username: claims.nice,
        dataScope: claims.datascope,
      });
    },
  );
});
