// A login of a service account by key has the same order of checks as every login, through the client package and over plain HTTP.
import { createMachineClient } from '@portcullis/client/machine';
import { describe, expect, it } from 'vitest';
import {
  addServiceAccount,
  audience,
  createMachineKey,
  createMachineSteps,
  machineSettings,
  signAssertion,
} from '../rig/service-account.ts';
import { useService } from '../rig/use-service.ts';
import { eventually } from './eventually.ts';
import { expectLoginRefusal } from './expect-refusal.ts';
import { modes } from './modes.ts';

describe.each(modes)('in mode %s, a service account', (mode) => {
  const service = useService({ mode, settings: machineSettings });
  const key = createMachineKey('EdDSA');
  const addAccount = () => addServiceAccount(service().database, { role: 'clerk', keys: [key] });

  it('checks the captcha before the assertion, where the mode requires a captcha [login-processing-order-3]', async () => {
    const steps = createMachineSteps(service().send);
    const captcha = await steps.fetchCaptcha();
    const nobody = { username: 'nobody' };
    const bad = (sent: { uuid?: string; code?: string }) =>
      steps.post({ ...sent, assertion: signAssertion(nobody, createMachineKey(), sent) });
    expectLoginRefusal(await steps.post({ ...captcha, assertion: 'none' }), 'params_invalid');
    const isDev = mode === 'dev';
    expectLoginRefusal(await bad({}), isDev ? 'credentials_wrong' : 'params_invalid');
    const wrong = await bad({ uuid: captcha.uuid, code: 'wrong' });
    expectLoginRefusal(wrong, isDev ? 'credentials_wrong' : 'captcha_wrong');
    expectLoginRefusal(await bad(await steps.fetchCaptcha()), 'credentials_wrong');
  });

  it('logs in, calls what its role allows, and records each login once with its key [login-processing-order-3]', async () => {
    const account = await addAccount();
    const client = createMachineClient({
      baseUrl: `http://127.0.0.1:${service().server.port}`,
      key: {
        account: account.username,
        audience,
        privateKey: { ...key.privateKey.export({ format: 'jwk' }) },
      },
    });
    expect((await client.getInfo()).data).toMatchObject({ userName: account.username, roles: ['clerk'] });
    await expect(client.listUsers()).rejects.toMatchObject({ kind: 'not_allowed' });
    await eventually(() =>
      service().database.query(
        `select outcome, reason, method, credential_id::int as "credentialId" from login_log where user_id = $1`,
        [account.id],
      ),
    ).toEqual([{ outcome: 'success', reason: 'ok', method: 'key', credentialId: account.keyIds[0] }]);
    await service().database.query('update credentials set ended_at = now() where user_id = $1', [
      account.id,
    ]);
  });
});
