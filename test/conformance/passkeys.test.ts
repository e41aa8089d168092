// Passkeys against the running service: adding one, logging in with it without a username and as a second step, and setting
// one up during a login. test/attack/passkeys.test.ts tests what must not work.
import { type Client, ClientError } from '@portcullis/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { codesOf, secretOf } from '../rig/authenticator.ts';
import { createPasskeyDevice } from '../rig/passkey-device.ts';
import { domain, openPasskeyPage, type Passkey, passkeySettings } from '../rig/passkey-page.ts';
import { password, type Username, users } from '../rig/seed.ts';
import { decodeToken } from '../rig/tokens.ts';
import { useService } from '../rig/use-service.ts';
import { eventually } from './eventually.ts';

const service = useService({ mode: 'prod', settings: passkeySettings });
const { begin, clientOf, logIn, make, register, signedIn } = openPasskeyPage(service);
const idOf = (username: Username) => users.findIndex((user) => user.username === username) + 1;
const [auditorRole, branchRole, guestRole] = [3, 4, 5];
type Login = Awaited<ReturnType<typeof begin>>;

async function failureOf(call: Promise<unknown>): Promise<ClientError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ClientError)) throw new Error(`This was no refusal: ${error}`);
  return error;
}

/** Sets a passkey up during a login. */
async function enrol({ client, step }: Login, enrolmentCode?: string) {
  const code = enrolmentCode === undefined ? {} : { enrolmentCode };
  const { data } = await client.enrolAtLogin({ body: { ...step, kind: 'passkey', ...code } });
  if (!('passkey' in data)) throw new Error('This sets up no passkey.');
  const device = createPasskeyDevice();
  const registration = { response: make(device, data), name: 'Key' };
  const answer = await client.login({ body: { ...step, registration } });
  return { answer, passkey: { device, userHandle: data.passkey.user.id, id: data.id, recoveryCodes: null } };
}

describe('a passkey', () => {
  let carls: Passkey;

  it('is offered where the settings have a domain [authentication-7.1]', async () => {
    expect((await clientOf().loginMethods()).data.methods).toEqual([
      'password',
      'totp',
      'recovery',
      'passkey',
    ]);
    const { options } = await begin();
    expect(options).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      rpId: domain,
      userVerification: 'required',
      timeout: 300_000,
    });
  });

  it('is added by a logged-in user, ends the other sessions, and comes with ten recovery codes [authentication-7.1]', async () => {
    const other = await signedIn('carl');
    const carl = await signedIn('carl');
    carls = await register(carl);
    expect(new Set(carls.recoveryCodes).size).toBe(10);
    expect((await failureOf(other.getInfo())).reason).toBe('token_revoked');
    expect((await carl.listOwnFactors()).data).toMatchObject({
      items: [{ id: carls.id, kind: 'passkey', name: 'Key' }],
      recoveryCodesLeft: 10,
    });
  });

  it('logs in without a username or a password, with the claims of any login [authentication-7.1]', async () => {
    const login = await begin();
    const { token } = await login.send(login.sign(carls));
    expect((await login.client.getInfo()).data.userName).toBe('carl');
    const { claims } = decodeToken(token);
    const { claims: others } = decodeToken(await service().tokenOf('ada'));
    expect(Object.keys(claims).toSorted()).toEqual(Object.keys(others).toSorted());
  });

  it('completes a login after the password, and is listed among the second factors [authentication-7.1]', async () => {
    const login = await begin();
    const { nextStep } = await failureOf(login.prove('carl'));
    expect(nextStep).toEqual({ methods: ['passkey', 'recovery'], enrol: [], codeRequired: false });
    await login.send(login.sign(carls));
    expect((await login.client.getInfo()).data.userName).toBe('carl');
  });

  it('is recorded with the method and the account, once per answer [authentication-7.1]', async () => {
    const refused = await begin();
    await failureOf(refused.send(refused.sign(carls, { userVerified: false })));
    const count = () =>
      service().database.query(
        `select method, reason, credential_id::int, count(*)::int as n from login_log
         where user_id = $1 and method = 'passkey' group by method, reason, credential_id order by reason`,
        [idOf('carl')],
      );
    await eventually(count).toEqual([
      { method: 'passkey', reason: 'credentials_wrong', credential_id: null, n: 1 },
      { method: 'passkey', reason: 'ok', credential_id: carls.id, n: 2 },
    ]);
  });

  it('is named and removed by its owner, with records of both [authentication-7.1]', async () => {
    const carl = await logIn(carls);
    const params = { id: carls.id };
    await carl.renameOwnFactor({ params, body: { name: 'Laptop' } });
    expect((await carl.listOwnFactors()).data.items).toMatchObject([{ name: 'Laptop' }]);
    const alba = await signedIn('alba');
    expect((await failureOf(alba.renameOwnFactor({ params, body: { name: 'Mine' } }))).kind).toBe(
      'not_found',
    );
    await carl.endOwnFactor({ params, body: { oldPassword: password } });
    expect((await failureOf(logIn(carls))).reason).toBe('credentials_wrong');
    await signedIn('carl');
    const records = await service().database.query(
      `select action from audit_log where target = $1 order by id`,
      [`user ${idOf('carl')}`],
    );
    expect(records.map(({ action }) => action)).toEqual([
      'user.factor_add',
      'user.factor_name',
      'user.factor_end',
    ]);
  });
});

describe('set up during a login', () => {
  let ada: Client;
  beforeAll(async () => {
    ada = await signedIn('ada');
  });
  const demand = (id: number, factor: 1 | 2 | 3) =>
    ada.setRequiredFactor({ params: { id }, body: { requiredFactor: factor } });

  it('a role that requires a second factor accepts a new passkey instead of an app [authentication-7.1]', async () => {
    await demand(guestRole, 2);
    const login = await begin();
    const { nextStep } = await failureOf(login.prove('gina'));
    expect(nextStep).toEqual({ methods: [], enrol: ['totp', 'passkey'], codeRequired: false });
    const { answer, passkey } = await enrol(login);
    expect(answer.recoveryCodes).toHaveLength(10);
    expect((await (await logIn(passkey)).getInfo()).data.userName).toBe('gina');
  });

  it('a user who lost the factor needs the code of an administrator [authentication-7.1]', async () => {
    const { data } = await ada.resetUserFactors({ params: { id: idOf('gina') } });
    const login = await begin();
    const { nextStep } = await failureOf(login.prove('gina'));
    expect(nextStep).toEqual({ methods: [], enrol: ['totp', 'passkey'], codeRequired: true });
    expect((await failureOf(enrol(login))).reason).toBe('credentials_wrong');
    const { passkey } = await enrol(login, data.enrolmentCode);
    await logIn(passkey);
  });

  it('a role that requires a passkey lets a user without a factor set one up [authentication-7.1]', async () => {
    const weak = await signedIn('bela');
    await demand(branchRole, 3);
    expect((await failureOf(weak.getInfo())).reason).toBe('token_revoked');
    const login = await begin();
    const { nextStep } = await failureOf(login.prove('bela'));
    expect(nextStep).toEqual({ methods: [], enrol: ['passkey'], codeRequired: false });
    const { passkey } = await enrol(login);
    const client = await logIn(passkey);
    expect((await client.listOwnFactors()).data.requiredFactor).toBe(3);
    const ending = client.endOwnFactor({ params: { id: passkey.id }, body: { oldPassword: password } });
    expect((await failureOf(ending)).kind).toBe('conflict');
  });

  it('a role that requires a passkey asks for the code of an existing app first [authentication-7.1]', async () => {
    await demand(auditorRole, 2);
    const first = await begin();
    await failureOf(first.prove('alba'));
    const totp = await first.client.enrolAtLogin({ body: { ...first.step, kind: 'totp' } });
    const [now, next] = await codesOf(secretOf(totp.data));
    await first.client.login({ body: { ...first.step, otp: now } });
    await demand(auditorRole, 3);
    const login = await begin();
    const asked = await failureOf(login.prove('alba'));
    expect(asked.nextStep).toEqual({ methods: ['totp', 'recovery'], enrol: [], codeRequired: false });
    const early = login.client.enrolAtLogin({ body: { ...login.step, kind: 'passkey' } });
    expect((await failureOf(early)).reason).toBe('factor_required');
    const more = await failureOf(login.client.login({ body: { ...login.step, otp: next } }));
    expect(more.nextStep).toEqual({ methods: [], enrol: ['passkey'], codeRequired: false });
    const { answer, passkey } = await enrol(login);
    expect(answer.recoveryCodes).toBeUndefined();
    await logIn(passkey);
    const again = await begin();
    const { nextStep } = await failureOf(again.prove('alba'));
    expect(nextStep).toEqual({ methods: ['passkey'], enrol: [], codeRequired: false });
    await again.send(again.sign(passkey));
  });
});
