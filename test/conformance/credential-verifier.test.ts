// Spec, Authentication 7: another login method replaces the credential step and changes nothing else.
import { describe, expect, it } from 'vitest';
import { present } from '../rig/carriers.ts';
import { smsCode } from '../rig/code-verifier.ts';
import { password, roles } from '../rig/seed.ts';
import { decodeToken } from '../rig/tokens.ts';
import { useService } from '../rig/use-service.ts';
import { eventually } from './eventually.ts';
import { expectIssued } from './expect-issued.ts';
import { expectLoginRefusal, expectRefusal, expectSuccess } from './expect-refusal.ts';
import { modes } from './modes.ts';

describe.each(modes)('with another CredentialVerifier in mode %s', (mode) => {
  const service = useService({ mode, settings: { RIG_VERIFIER: 'code' } });
  const tokenOf = async (username: string) => String((await service().logIn(username, smsCode)).body.token);

  it('refuses what the other method refuses, with the answer of wrong credentials [authentication-7.1]', async () => {
    for (const secret of [password, 'wrong'])
      expectLoginRefusal(await service().logIn('carl', secret), 'credentials_wrong');
    expectLoginRefusal(await service().logIn('nobody', smsCode), 'credentials_wrong');
  });

  if (mode !== 'dev')
    it('verifies the captcha before the other method [authentication-7.1] [login-processing-order-2.1]', async () => {
      const { uuid } = await service().solvedCaptcha();
      const answer = await service().postLogin({ username: 'carl', password: smsCode, uuid, code: 'WRONG' });
      expectLoginRefusal(answer, 'captcha_wrong');
    });

  it('never reads the stored users [authentication-7.1]', async () => {
    const captcha = await service().solvedCaptcha();
    const unlock = await service().database.lock('users');
    try {
      const { body } = await service().postLogin({ username: 'carl', password: smsCode, ...captcha });
      expect(body.code).toBe(200);
    } finally {
      await unlock();
    }
  });

  it('issues the same answer, header, claims and cookie as with a password [authentication-7.2] [authentication-7.3]', async () => {
    const answer = await service().logIn('carl', smsCode);
    expectIssued(answer, mode);
  });

  it('puts the user and role that it yields into the token payload [authentication-7.2]', async () => {
    const { claims } = decodeToken(await tokenOf('carl'));
    const dataScope = roles.find(({ key }) => key === 'clerk')?.dataScope;
    expect(claims).toMatchObject({
      identity: 2,
      roleid: 2,
      rolekey: 'clerk',
      nice: 'carl',
      datascope: dataScope,
    });
  });

  it('refuses a role without the permission [authentication-7.3]', async () => {
    const request = present(await tokenOf('gina'), 'header', { path: '/api/v1/orders' });
    await expectRefusal(service(), request, 'permission_denied');
  });

  it('lets a rule, admin and the exclusion list pass [authentication-7.3]', async () => {
    const passing = [
      { username: 'carl', path: '/api/v1/orders' },
      { username: 'ada', path: '/api/v1/reports/2026/11' },
      { username: 'gina', path: '/api/v1/user/profile' },
    ];
    for (const { username, path } of passing)
      expectSuccess(await service().send(present(await tokenOf(username), 'header', { path })));
  });

  it('ends its tokens by logout [authentication-7.3]', async () => {
    const token = await tokenOf('gina');
    expectSuccess(await service().send(present(token, 'header', { method: 'POST', path: '/api/v1/logout' })));
    await expectRefusal(service(), present(token, 'header', { path: '/api/v1/context' }), 'token_revoked');
  });

  it('writes its attempts to the login log [authentication-7.3] [events-s1]', async () => {
    const { headers } = await service().logIn('carl', smsCode);
    const refused = await service().logIn('carl', 'wrong');
    const find = async (requestId: unknown) =>
      (
        await service().database.query('select username, reason from login_log where request_id = $1', [
          requestId,
        ])
      )[0];
    await eventually(() => find(headers['x-request-id'])).toEqual({ username: 'carl', reason: 'ok' });
    await eventually(() => find(refused.headers['x-request-id'])).toEqual({
      username: 'carl',
      reason: 'credentials_wrong',
    });
  });
});
