// A second factor, from its setup to its loss, against the running service: which role requires it, and what a
// login answers at each step.
import { type Client, ClientError, createClient } from '@portcullis/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { codesOf, secretOf } from '../rig/authenticator.ts';
import { password, type Username, users } from '../rig/seed.ts';
import { useService } from '../rig/use-service.ts';
import { eventually } from './eventually.ts';

const service = useService({ mode: 'prod' });
const idOf = (username: Username) => users.findIndex((user) => user.username === username) + 1;
const guestRole = 5;
const [adminRole] = [1];

const clientOf = () => createClient({ baseUrl: `http://127.0.0.1:${service().server.port}` });
async function signedIn(username: Username): Promise<Client> {
  const client = clientOf();
  await client.login({ body: { username, password, ...(await service().solvedCaptcha()) } });
  return client;
}

/** Begins a login with the right password. */
async function begin(username: Username) {
  const client = clientOf();
  const captcha = await service().solvedCaptcha();
  const { data } = await client.beginLogin({ body: captcha });
  const step = { flowId: data.flowId, ...captcha };
  const refusal = await failureOf(client.login({ body: { ...step, username, password } }));
  return { client, step, refusal, details: refusal.nextStep };
}

async function failureOf(call: Promise<unknown>): Promise<ClientError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ClientError)) throw new Error(`This was no refusal: ${error}`);
  return error;
}

const reasonOf = async (call: Promise<unknown>) => (await failureOf(call)).reason;

describe('a user who sets up an authenticator app', () => {
  let secret = '';
  let codes: [string, string];
  let proven: Client;
  let recoveryCodes: string[] = [];

  it('proves the password once more first [authentication-7.1]', async () => {
    const carl = await signedIn('carl');
    expect(await reasonOf(carl.addTotp({ body: { oldPassword: 'wrong' } }))).toBe('credentials_wrong');
  });

  it('confirms it by a code, gets ten recovery codes, and the other sessions end [authentication-7.1]', async () => {
    const other = await signedIn('carl');
    const carl = await signedIn('carl');
    const { data } = await carl.addTotp({ body: { oldPassword: password } });
    secret = data.secret;
    codes = await codesOf(secret);
    const params = { id: data.id };
    expect(await reasonOf(carl.confirmTotp({ params, body: { otp: '000000' } }))).toBe('credentials_wrong');
    expect((await carl.listOwnFactors()).data.items).toEqual([]);
    const confirmed = await carl.confirmTotp({ params, body: { otp: codes[0] } });
    recoveryCodes = confirmed.data.recoveryCodes ?? [];
    expect(new Set(recoveryCodes).size).toBe(10);
    expect((await carl.listOwnFactors()).data).toMatchObject({
      items: [{ kind: 'totp' }],
      recoveryCodesLeft: 10,
      requiredFactor: 1,
    });
    expect(await reasonOf(other.listOwnFactors())).toBe('token_revoked');
  });

  it('is no longer let in by the four fields alone, and the answer says what to do [authentication-7.1]', async () => {
    const { body, headers } = await service().logIn('carl');
    expect(body).toMatchObject({ code: 400, msg: expect.stringContaining('second step') });
    expect(headers['x-auth-reason']).toBe('factor_required');
    expect(body).not.toHaveProperty('token');
  });

  it('completes a login with the next code, which works once [authentication-7.1]', async () => {
    const first = await begin('carl');
    expect(first.details).toEqual({ methods: ['totp', 'recovery'], enrol: [], codeRequired: false });
    expect(await reasonOf(first.client.login({ body: { ...first.step, otp: codes[0] } }))).toBe(
      'credentials_wrong',
    );
    await first.client.login({ body: { ...first.step, otp: codes[1] } });
    proven = first.client;
    expect((await proven.getInfo()).data.userName).toBe('carl');
    const second = await begin('carl');
    expect(await reasonOf(second.client.login({ body: { ...second.step, otp: codes[1] } }))).toBe(
      'credentials_wrong',
    );
  });

  it('completes a login with a recovery code, which works once, in any spelling [authentication-7.1]', async () => {
    const recoveryCode = (recoveryCodes[0] ?? '').toLowerCase().replaceAll('-', ' ');
    const { client, step } = await begin('carl');
    await client.login({ body: { ...step, recoveryCode } });
    expect((await client.listOwnFactors()).data.recoveryCodesLeft).toBe(9);
    const again = await begin('carl');
    expect(await reasonOf(again.client.login({ body: { ...again.step, recoveryCode } }))).toBe(
      'credentials_wrong',
    );
  });

  it('is recorded with the method, once per answer [authentication-7.1]', async () => {
    const count = async () =>
      await service().database.query(
        `select method, reason, count(*)::int as n from login_log where user_id = $1 and reason <> 'logout'
         group by method, reason order by method, reason`,
        [idOf('carl')],
      );
    await eventually(count).toEqual([
      { method: 'password', reason: 'factor_required', n: 5 },
      { method: 'password', reason: 'ok', n: 3 },
      { method: 'recovery', reason: 'credentials_wrong', n: 1 },
      { method: 'recovery', reason: 'ok', n: 1 },
      { method: 'totp', reason: 'credentials_wrong', n: 2 },
      { method: 'totp', reason: 'ok', n: 1 },
    ]);
  });

  it('removes the app with the password, which ends its sessions, and logs in by the password again [authentication-7.1]', async () => {
    const { client, step } = await begin('carl');
    await client.login({ body: { ...step, recoveryCode: recoveryCodes[1] ?? '' } });
    const { data } = await client.listOwnFactors();
    const params = { id: data.items[0]?.id ?? 0 };
    expect(await reasonOf(client.endOwnFactor({ params, body: { oldPassword: 'wrong' } }))).toBe(
      'credentials_wrong',
    );
    await client.endOwnFactor({ params, body: { oldPassword: password } });
    expect(await reasonOf(proven.getInfo())).toBe('token_revoked');
    expect((await (await signedIn('carl')).listOwnFactors()).data).toMatchObject({
      items: [],
      recoveryCodesLeft: 0,
    });
  });
});

describe('a role that requires a second factor', () => {
  let ada: Client;
  beforeAll(async () => {
    ada = await signedIn('ada');
  });
  const demand = (factor: 1 | 2 | 3, id = guestRole) =>
    ada.setRequiredFactor({ params: { id }, body: { requiredFactor: factor } });

  it('ends every session without a second factor before the call returns [authentication-7.1]', async () => {
    const gina = await signedIn('gina');
    const seen = await ada.getRequiredFactor({ params: { id: guestRole }, query: { requiredFactor: 2 } });
    expect(seen.data).toMatchObject({ requiredFactor: 1, sessions: 1 });
    expect(seen.data.users).toBeGreaterThan(0);
    await demand(2);
    expect(await reasonOf(gina.getInfo())).toBe('token_revoked');
  });

  it('lets a user without a factor set one up during the login [authentication-7.1]', async () => {
    const { client, step, details } = await begin('gina');
    expect(details).toEqual({ methods: [], enrol: ['totp'], codeRequired: false });
    const { data } = await client.enrolAtLogin({ body: { ...step, kind: 'totp' } });
    const [code] = await codesOf(secretOf(data));
    const answer = await client.login({ body: { ...step, otp: code } });
    expect(answer.recoveryCodes).toHaveLength(10);
    const { data: factors } = await client.listOwnFactors();
    expect(factors).toMatchObject({ items: [{ kind: 'totp' }], requiredFactor: 2 });
    const [factor] = factors.items;
    const ending = client.endOwnFactor({
      params: { id: factor?.id ?? 0 },
      body: { oldPassword: password },
    });
    expect((await failureOf(ending)).kind).toBe('conflict');
  });

  it('accepts a code of an administrator once from a user who lost the factor [authentication-7.1]', async () => {
    const { data } = await ada.resetUserFactors({ params: { id: idOf('gina') } });
    const first = await begin('gina');
    expect(first.details).toEqual({ methods: [], enrol: ['totp'], codeRequired: true });
    const body = { ...first.step, kind: 'totp' } as const;
    expect(await reasonOf(first.client.enrolAtLogin({ body }))).toBe('credentials_wrong');
    const { enrolmentCode } = data;
    const enrolled = await first.client.enrolAtLogin({ body: { ...body, enrolmentCode } });
    const [code] = await codesOf(secretOf(enrolled.data));
    await first.client.login({ body: { ...first.step, otp: code } });
    await ada.resetUserFactors({ params: { id: idOf('gina') } });
    expect(await reasonOf(first.client.getInfo())).toBe('token_revoked');
    const second = await begin('gina');
    const again = second.client.enrolAtLogin({ body: { ...second.step, kind: 'totp', enrolmentCode } });
    expect(await reasonOf(again)).toBe('credentials_wrong');
  });

  it('can be admin, and the call ends the session of its caller [authentication-7.1]', async () => {
    await demand(1);
    await demand(2, adminRole);
    expect(await reasonOf(ada.getInfo())).toBe('token_revoked');
    const { client, step } = await begin('ada');
    const { data } = await client.enrolAtLogin({ body: { ...step, kind: 'totp' } });
    const [code] = await codesOf(secretOf(data));
    await client.login({ body: { ...step, otp: code } });
    await client.setRequiredFactor({ params: { id: adminRole }, body: { requiredFactor: 1 } });
  });
});
