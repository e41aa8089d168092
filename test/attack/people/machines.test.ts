// Threats T220 to T234: programs with keys, against the running service. Every refusal has a control: beside it what succeeds, or in
// test/weaknesses/service-accounts.ts the service without the defence.
import { createHmac, randomBytes } from 'node:crypto';
import { endpoints } from '@portcullis/contract';
import { describe, expect, it } from 'vitest';
import { exampleRequest } from '../../conformance/example-request.ts';
import { captchaAnswer, writeCaptcha } from '../../rig/captcha.ts';
import { carriers, present } from '../../rig/carriers.ts';
import { type Answer, createHttpClient } from '../../rig/http-client.ts';
import { rulesInForce } from '../../rig/rules-in-force.ts';
import { password } from '../../rig/seed.ts';
import {
  type Account,
  addKey,
  addServiceAccount,
  audience,
  createMachineKey,
  createMachineSteps,
  type MachineKey,
  machineSettings,
  type Oddity,
  signAssertion,
} from '../../rig/service-account.ts';
import { startServer } from '../../rig/start-server.ts';
import { useService } from '../../rig/use-service.ts';
import { expectAttackFails, failIfAttackSucceeded } from '../../weaknesses/attack.ts';
import { countReasons } from '../login/count-reasons.ts';
import { addPerson, outcomeOf } from '../sign-in-methods/people.ts';
import { patience, size } from '../size.ts';

const service = useService({ mode: 'prod', settings: machineSettings });
const database = () => service().database;
const steps = () => createMachineSteps(service().send);
const wrong = 'credentials_wrong';
const secondsNow = () => Math.floor(Date.now() / 1000);

interface Machine extends Account {
  readonly key: MachineKey;
  readonly keyId: number;
}

async function addMachine(alg: MachineKey['alg'] = 'ES256', role = 'clerk'): Promise<Machine> {
  const key = createMachineKey(alg);
  const { keyIds, ...account } = await addServiceAccount(database(), { role, keys: [key] });
  return { ...account, key, keyId: keyIds[0] ?? 0 };
}

/** As the administrator; throws where it is refused. */
async function byAdmin(method: string, path: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${await service().tokenOf('ada')}` };
  const answer = await service().send({ method, path: `/api/v1${path}`, headers, ...(body && { body }) });
  if (answer.body.code !== 200) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer;
}

/** An attack whose success is a login. */
function expectRefused(outcome: string, reason = wrong): void {
  expectAttackFails(outcome, { success: 'in', failure: reason });
}

/** Refused as it is, and let in without the oddity. */
async function expectOddRefused(oddity: Oddity, alg: MachineKey['alg'] = 'ES256'): Promise<void> {
  const machine = await addMachine(alg);
  expectRefused(outcomeOf(await steps().logIn(machine, machine.key, oddity)));
  expect(outcomeOf(await steps().logIn(machine, machine.key))).toBe('in');
}

describe('T220 an assertion', () => {
  it('that was used admits no second login', async () => {
    const machine = await addMachine();
    const captcha = await steps().fetchCaptcha();
    const body = { ...captcha, assertion: signAssertion(machine, machine.key, captcha) };
    expect(outcomeOf(await steps().post(body))).toBe('in');
    expectRefused(outcomeOf(await steps().post(body)), 'captcha_wrong');
  });

  it('that was used is refused with a new captcha', async () => {
    const machine = await addMachine();
    const captcha = await steps().fetchCaptcha();
    const assertion = signAssertion(machine, machine.key, captcha);
    expect(outcomeOf(await steps().post({ ...captcha, assertion }))).toBe('in');
    expectRefused(outcomeOf(await steps().post({ ...(await steps().fetchCaptcha()), assertion })));
  });

  it('that one instance took is taken by no other, and each leaves one record', async () => {
    const machine = await addMachine();
    const captcha = await steps().fetchCaptcha();
    const body = { ...captcha, assertion: signAssertion(machine, machine.key, captcha) };
    const server = await startServer({
      databaseUrl: database().url,
      settings: { APPLICATION_MODE: 'prod', ...patience, ...machineSettings },
    });
    const client = createHttpClient(server.port);
    const second = createMachineSteps(client.send);
    const first = await second.post(body);
    const again = await steps().post(body);
    const claims = { jti: randomBytes(16).toString('base64url') };
    expect(outcomeOf(await second.logIn(machine, machine.key, { claims }))).toBe('in');
    expect(outcomeOf(await steps().logIn(machine, machine.key, { claims }))).toBe(wrong);
    client.close();
    await server.stop();
    expect([outcomeOf(first), outcomeOf(again)]).toEqual(['in', 'captcha_wrong']);
    expect(await countReasons(database(), [first, again])).toEqual({ ok: 1, captcha_wrong: 1 });
    const [record] = await database().query<Record<string, unknown>>(
      'select method, credential_id::int as "credentialId", username from login_log where request_id = $1',
      [first.headers['x-request-id']],
    );
    expect(record).toEqual({ method: 'key', credentialId: machine.keyId, username: machine.username });
  });
});

describe('T221 an assertion for another service', () => {
  it.each<[what: string, aud: unknown]>([
    ['of another name', 'https://evil.example'],
    ['with a slash more', `${audience}/`],
    ['in other letters', audience.toUpperCase()],
    ['that begins so', `${audience}.evil.example`],
    ['in a list with ours', [audience, 'https://evil.example']],
    ['in a list of ours alone', [audience]],
    ['of no name', ''],
    ['that says nothing of it', undefined],
  ])('%s is refused', async (_what, aud) => {
    await expectOddRefused({ claims: { aud } });
  });

  it('is refused whatever the headers of the request say, and one for this service is not', async () => {
    const machine = await addMachine();
    const captcha = await steps().fetchCaptcha();
    const claims = { aud: 'https://evil.example' };
    const send = (assertion: string, headers: Record<string, string>) =>
      service().send({
        method: 'POST',
        path: '/api/v1/login',
        headers,
        body: { ...captcha, assertion },
      });
    const said = { host: 'evil.example', 'x-forwarded-host': 'evil.example', origin: 'https://evil.example' };
    const lie = await send(signAssertion(machine, machine.key, captcha, { claims }), said);
    expect(outcomeOf(lie)).not.toBe('in');
    expect(outcomeOf(await steps().logIn(machine, machine.key))).toBe('in');
  });
});

describe('T222 the key of another account', () => {
  it('in the name of another person is refused', async () => {
    const [own, other] = [await addMachine(), await addMachine()];
    const sub = { claims: { sub: other.username } };
    expectRefused(outcomeOf(await steps().logIn(own, own.key, sub)));
    expect(outcomeOf(await steps().logIn(own, own.key, { claims: { sub: own.username } }))).toBe('in');
  });

  it('does not sign for the key id of another person, whose own key does', async () => {
    const [own, other] = [await addMachine(), await addMachine()];
    const foreign = { ...own.key, kid: other.key.kid };
    expect(outcomeOf(await steps().logIn(other, foreign))).toBe(wrong);
    expect(outcomeOf(await steps().logIn(other, other.key))).toBe('in');
  });

  it('named as the issuer of an assertion that another one signed is refused', async () => {
    const other = await addMachine();
    await expectOddRefused({ claims: { iss: other.key.kid } });
  });
});

describe('T223 a key that ended', () => {
  const end = ({ id, keyId }: Machine) => byAdmin('DELETE', `/users/${id}/keys/${keyId}`);

  it('is refused', async () => {
    const machine = await addMachine();
    expect(outcomeOf(await steps().logIn(machine, machine.key))).toBe('in');
    await end(machine);
    expectRefused(outcomeOf(await steps().logIn(machine, machine.key)));
  });

  it('stores no session even where nothing but the database looks at it', async () => {
    const machine = await addMachine();
    const store = () =>
      database()
        .query(
          `insert into sessions (jti, user_id, role_key, kid, epoch, issued_at, expires_at, method, factor, credential_id)
           select gen_random_uuid(), users.id, role_key, kid, epoch, now(), now() + interval '1 hour', 'key', 3, $2
           from keys, users join roles on roles.id = role_id where signing and users.id = $1`,
          [machine.id, machine.keyId],
        )
        .then(
          () => 'stored',
          ({ code }) => code,
        );
    expect(await store()).toBe('stored');
    await end(machine);
    expectAttackFails(await store(), { success: 'stored', failure: 'PF001' });
  });

  it('leaves the others of the account as they are, so that keys rotate without a gap', async () => {
    const old = await addMachine();
    const next = createMachineKey('EdDSA');
    const { body } = await byAdmin('POST', `/users/${old.id}/keys`, {
      name: 'next',
      publicKey: next.publicKey,
    });
    expect((body.data as { kid: string }).kid).toBe(next.kid);
    expect(outcomeOf(await steps().logIn(old, old.key))).toBe('in');
    const byNext = await steps().logIn(old, next);
    await end(old);
    expect(outcomeOf(await steps().logIn(old, old.key))).toBe(wrong);
    expect(outcomeOf(await steps().logIn(old, next))).toBe('in');
    const own = { path: '/api/v1/getinfo', headers: { authorization: `Bearer ${byNext.body.token}` } };
    expect((await service().send(own)).body.code).toBe(200);
  });

  it('is added to no account again, and a new one is', async () => {
    const machine = await addMachine();
    await end(machine);
    const add = (key: MachineKey) =>
      byAdmin('POST', `/users/${machine.id}/keys`, { name: 'again', publicKey: key.publicKey });
    await expect(add(machine.key)).rejects.toThrow('409');
    expect((await add(createMachineKey())).body.code).toBe(200);
  });

  it('with its account, which was deleted, is refused', async () => {
    const machine = await addMachine();
    expect(outcomeOf(await steps().logIn(machine, machine.key))).toBe('in');
    await byAdmin('DELETE', `/users/${machine.id}`);
    expect(outcomeOf(await steps().logIn(machine, machine.key))).toBe(wrong);
  });
});

describe('T224 the captcha', () => {
  it.each<[what: string, reason: string, odd: (own: { uuid: string; code: string }) => Promise<object>]>([
    ['of another login', wrong, async () => await steps().fetchCaptcha()],
    ['with another text', 'captcha_wrong', async (own) => ({ ...own, code: 'AAAAAAAAAAAAAAAA' })],
    ['that was not issued', 'captcha_wrong', async (own) => ({ ...own, uuid: 'A'.repeat(22) })],
    ['that is a picture', 'captcha_wrong', async () => await pictureCaptcha()],
  ])('%s is refused', async (_what, reason, odd) => {
    const machine = await addMachine();
    const own = await steps().fetchCaptcha();
    const assertion = signAssertion(machine, machine.key, own);
    expectRefused(outcomeOf(await steps().post({ ...(await odd(own)), assertion })), reason);
  });

  it('that is missing is refused, and what is signed with it', async () => {
    const machine = await addMachine();
    const { uuid, code } = await steps().fetchCaptcha();
    const assertion = signAssertion(machine, machine.key, { uuid, code });
    for (const body of [{ assertion }, { uuid, assertion }, { code, assertion }])
      expect(outcomeOf(await steps().post(body))).toBe('params_invalid');
    expect(outcomeOf(await steps().post({ uuid, code, assertion }))).toBe('in');
  });

  it('that is a picture is refused also where it is signed', async () => {
    const machine = await addMachine();
    const picture = await pictureCaptcha();
    const assertion = signAssertion(machine, machine.key, picture);
    expectRefused(outcomeOf(await steps().post({ ...picture, assertion })), 'captcha_wrong');
  });

  it('of a program stands for no password', async () => {
    const { username } = await addPerson(database());
    const answer = await steps().post({ ...(await steps().fetchCaptcha()), username, password });
    expectRefused(outcomeOf(answer), 'captcha_wrong');
  });

  it('of a program begins no login', async () => {
    const body = await steps().fetchCaptcha();
    const begun = await service().send({ method: 'POST', path: '/api/v1/login/begin', body });
    expectAttackFails(begun.body.code, { success: 200, failure: 400 });
  });

  it('is spent by a wrong assertion, so that one stands for one try', async () => {
    const [machine, other] = [await addMachine(), createMachineKey()];
    const captcha = await steps().fetchCaptcha();
    const foreign = signAssertion(machine, { ...other, kid: machine.key.kid }, captcha);
    expect(outcomeOf(await steps().post({ ...captcha, assertion: foreign }))).toBe(wrong);
    const right = signAssertion(machine, machine.key, captcha);
    expectRefused(outcomeOf(await steps().post({ ...captcha, assertion: right })), 'captcha_wrong');
  });

  async function pictureCaptcha() {
    return { uuid: await writeCaptcha(database()), code: captchaAnswer };
  }
});

describe('T225 an assertion', () => {
  it.each<[what: string, times: () => Readonly<Record<string, number>>]>([
    ['of a minute ago', () => ({ iat: secondsNow() - 61, exp: secondsNow() - 1 })],
    ['that ends now', () => ({ iat: secondsNow() - 60, exp: secondsNow() })],
    ['of later', () => ({ iat: secondsNow() + 30, exp: secondsNow() + 60 })],
    ['that lives for an hour', () => ({ iat: secondsNow(), exp: secondsNow() + 3600 })],
    ['that lives for 61 seconds', () => ({ iat: secondsNow() - 1, exp: secondsNow() + 60 })],
    ['that ends before it begins', () => ({ iat: secondsNow() + 4, exp: secondsNow() + 3 })],
  ])('%s is refused', async (_what, times) => {
    await expectOddRefused({ claims: times() });
  });

  it.each<[what: string, claims: object]>([
    ['without an end', { exp: undefined }],
    ['without a beginning', { iat: undefined }],
    ['with an end in words', { exp: 'never' }],
    ['with a beginning of half a second', { iat: secondsNow() + 0.5 }],
    ['without an id', { jti: undefined }],
    ['with a short id', { jti: 'one' }],
    ['with a claim that was not requested', { rolekey: 'admin' }],
  ])('%s is refused, and a whole one is not', async (_what, claims) => {
    const machine = await addMachine();
    expect(outcomeOf(await steps().logIn(machine, machine.key, { claims: { ...claims } }))).toBe(wrong);
    expect(outcomeOf(await steps().logIn(machine, machine.key))).toBe('in');
  });
});

describe('T226 the algorithm', () => {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  /** The assertion with another header, signed in another way. */
  async function logInSigned(
    machine: Machine,
    header: object,
    signature: (content: string) => Buffer,
  ): Promise<string> {
    const captcha = await steps().fetchCaptcha();
    const [, claims] = signAssertion(machine, machine.key, captcha).split('.');
    const content = `${encode({ typ: 'portcullis-login+jwt', kid: machine.key.kid, ...header })}.${claims}`;
    const assertion = `${content}.${signature(content).toString('base64url')}`;
    return outcomeOf(await steps().post({ ...captcha, assertion }));
  }

  it('none is refused, with an empty signature and with any', async () => {
    const machine = await addMachine();
    const any = () => randomBytes(64);
    expect(await logInSigned(machine, { alg: 'none' }, () => Buffer.of())).toBe('params_invalid');
    for (const alg of ['none', 'None', 'NONE', '']) expectRefused(await logInSigned(machine, { alg }, any));
  });

  it('HS256 with the public key as its secret is refused', async () => {
    const machine = await addMachine();
    const byPublicKey = (content: string) =>
      Buffer.concat([
        createHmac('sha256', machine.key.publicKey.x ?? '')
          .update(content)
          .digest(),
        Buffer.alloc(32),
      ]);
    expectRefused(await logInSigned(machine, { alg: 'HS256' }, byPublicKey));
  });

  it.each<[alg: MachineKey['alg'], said: string]>([
    ['ES256', 'EdDSA'],
    ['EdDSA', 'ES256'],
    ['ES256', 'ES384'],
    ['EdDSA', 'Ed25519'],
  ])('of a key of %s that is called %s is refused, and by its name it is not', async (alg, said) => {
    const machine = await addMachine(alg);
    expect(outcomeOf(await steps().logIn(machine, machine.key, { header: { alg: said } }))).toBe(wrong);
    expect(outcomeOf(await steps().logIn(machine, machine.key))).toBe('in');
  });

  it('of a key that the assertion brings itself is refused', async () => {
    const machine = await addMachine();
    const own = { ...createMachineKey(), kid: machine.key.kid };
    const header = { jwk: own.publicKey };
    expectRefused(outcomeOf(await steps().logIn(machine, own, { header })));
  });

  it.each([
    { crit: ['exp'] },
    { b64: false },
    { x5u: 'https://evil.example' },
    { jku: 'https://evil.example' },
  ])('with a header that says %j is refused', async (header) => {
    await expectOddRefused({ header });
  });

  it('of a signature that another encoding stands for is refused, and the signature itself is not', async () => {
    const machine = await addMachine();
    const captcha = await steps().fetchCaptcha();
    const assertion = signAssertion(machine, machine.key, captcha);
    const last = assertion.at(-1) ?? '';
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const twin = alphabet[alphabet.indexOf(last) + 1] ?? '';
    expect(Buffer.from(`${assertion.slice(0, -1)}${twin}`, 'base64url')).toEqual(
      Buffer.from(assertion, 'base64url'),
    );
    const body = { ...captcha, assertion: `${assertion.slice(0, -1)}${twin}` };
    expect(outcomeOf(await steps().post(body))).toBe(wrong);
    expect(outcomeOf(await steps().logIn(machine, machine.key))).toBe('in');
  });
});

describe('T227 another JWT', () => {
  it.each(['JWT', 'at+jwt', 'portcullis-login', 'PORTCULLIS-LOGIN+JWT', undefined])(
    'of the type %s is no assertion',
    async (typ) => {
      await expectOddRefused({ header: { typ } });
    },
  );

  it('that is a token of the service is no assertion', async () => {
    const machine = await addMachine();
    const { body } = await steps().logIn(machine, machine.key);
    const captcha = await steps().fetchCaptcha();
    expect(outcomeOf(await steps().post({ ...captcha, assertion: String(body.token) }))).toBe(wrong);
    expect(outcomeOf(await steps().logIn(machine, machine.key))).toBe('in');
  });

  it.each(carriers)(
    'that is an assertion is no token in the carrier %s, and a token is one',
    async (carrier) => {
      const machine = await addMachine();
      const assertion = signAssertion(machine, machine.key, await steps().fetchCaptcha());
      for (const endpoint of endpoints.filter(({ access }) => access !== 'public')) {
        const answer = await service().send(present(assertion, carrier, exampleRequest(endpoint)));
        expect(answer.body.code, endpoint.path).toBe(401);
      }
      const { body } = await steps().logIn(machine, machine.key);
      const own = present(String(body.token), carrier, { path: '/api/v1/getinfo' });
      expect((await service().send(own)).body.code).toBe(200);
    },
  );
});

describe('T228 one assertion id', () => {
  it('is good once, also for another captcha', async () => {
    const machine = await addMachine();
    const claims = { jti: randomBytes(16).toString('base64url') };
    expect(outcomeOf(await steps().logIn(machine, machine.key, { claims }))).toBe('in');
    expectRefused(outcomeOf(await steps().logIn(machine, machine.key, { claims })));
  });

  it('of twenty logins at once lets one in', async () => {
    const many = size({ small: 20, full: 500 });
    const machine = await addMachine();
    const claims = { jti: randomBytes(16).toString('base64url') };
    const answers = [];
    for (let left = many; left > 0; left -= 20)
      answers.push(
        ...(await Promise.all(
          Array.from({ length: 20 }, () => steps().logIn(machine, machine.key, { claims })),
        )),
      );
    const letIn = answers.filter((answer) => outcomeOf(answer) === 'in').length;
    failIfAttackSucceeded(letIn > 1, `one assertion id lets in ${letIn} logins`);
    expect(letIn).toBe(1);
  });

  it('of one key is free for another', async () => {
    const claims = { jti: randomBytes(16).toString('base64url') };
    for (const machine of [await addMachine(), await addMachine()])
      expect(outcomeOf(await steps().logIn(machine, machine.key, { claims }))).toBe('in');
  });
});

describe('T229 an account', () => {
  /** As any other, with its reason in the log. */
  async function expectRefusedAsAny(machine: Machine, reason: string): Promise<void> {
    const refused = await steps().logIn(machine, machine.key);
    failIfAttackSucceeded(outcomeOf(refused) === 'in', 'the account is let in');
    const other = await steps().logIn(machine, { ...createMachineKey(), kid: machine.key.kid });
    expect([outcomeOf(refused), refused.body]).toEqual([wrong, other.body]);
    expect(await countReasons(database(), [refused])).toEqual({ [reason]: 1 });
  }

  it('that was disabled is refused as any other, with its reason in the log', async () => {
    const machine = await addMachine();
    expect(outcomeOf(await steps().logIn(machine, machine.key))).toBe('in');
    await byAdmin('PUT', `/users/${machine.id}/enabled`, { enabled: false });
    await expectRefusedAsAny(machine, 'user_disabled');
  });

  it('whose role was disabled is refused as any other', async () => {
    const machine = await addMachine('ES256', 'retired');
    await expectRefusedAsAny(machine, 'role_disabled');
    await database().query('update roles set enabled = true where role_key = $1', ['retired']);
    expect(outcomeOf(await steps().logIn(machine, machine.key))).toBe('in');
    await database().query('update roles set enabled = false where role_key = $1', ['retired']);
  });
});

describe('T230 a service account', () => {
  const logIn = async (username: string, typed: string) =>
    outcomeOf(
      await steps().post({
        username,
        password: typed,
        uuid: await writeCaptcha(database()),
        code: captchaAnswer,
      }),
    );
  /** As the password of a person who is let in by it. */
  const givePassword = (id: number) =>
    database().query(
      `update users set password_hash = (select password_hash from users where username = 'carl') where id = $1`,
      [id],
    );

  it('logs in with no password, and without the constraint and the trigger with one that it was given', async () => {
    const { id, username, key } = await addMachine();
    for (const typed of ['!', '', '*', password, 'null', 'undefined'])
      expect(['credentials_wrong', 'params_invalid']).toContain(await logIn(username, typed));
    await expect(givePassword(id)).rejects.toThrow('users_service_password');
    await database().query('alter table users drop constraint users_service_password');
    await givePassword(id);
    expect(await logIn(username, password)).toBe('factor_required');
    await database().query('alter table sessions disable trigger sessions_guard_service');
    await database().query('update credentials set ended_at = now() where user_id = $1', [id]);
    expect(await logIn(username, password)).toBe('in');
    await database().query('alter table sessions enable trigger sessions_guard_service');
    await database().query(`update users set password_hash = '!' where id = $1`, [id]);
    await database().query(
      `alter table users add constraint users_service_password
       check (kind = 'person' or (password_hash = '!' and not password_due)) not valid`,
    );
    expect(key.alg).toBe('ES256');
  });

  it('is given no password and no factor, neither by an administrator nor by the account itself, and a person is', async () => {
    const machine = await addMachine();
    const person = await addPerson(database());
    const { body } = await steps().logIn(machine, machine.key);
    const authorization = `Bearer ${body.token}`;
    const refused = byAdmin('PUT', `/users/${machine.id}/password`, {
      password: 'seven-otters-carry-lanterns',
    });
    await expect(refused).rejects.toThrow('409');
    await expect(byAdmin('DELETE', `/users/${machine.id}/factors`)).rejects.toThrow('409');
    for (const [path, fields] of [
      ['/user/factors/totp', { oldPassword: '!' }],
      ['/user/recovery-codes', { oldPassword: '!' }],
      ['/user/factors/passkey/begin', { oldPassword: '!' }],
    ] as const) {
      const request = { method: 'POST', path: `/api/v1${path}`, headers: { authorization }, body: fields };
      expect((await service().send(request)).body.code, path).not.toBe(200);
    }
    const totp = `insert into credentials (user_id, kind, factor, confirmed_at) values ($1, 'totp', 2, now())`;
    await expect(database().query(totp, [machine.id])).rejects.toThrow('Service accounts have keys');
    await database().query(totp, [person.id]);
    const given = await byAdmin('PUT', `/users/${person.id}/password`, {});
    expect(given.body.code).toBe(200);
    expect(outcomeOf(await steps().logIn(machine, machine.key))).toBe('in');
  });

  it('stays one, and a person stays a person', async () => {
    const [machine, person] = [await addMachine(), await addPerson(database())];
    for (const [id, kind] of [
      [machine.id, 'person'],
      [person.id, 'service'],
    ])
      await expect(
        database().query('update users set kind = $2 where id = $1', [id, kind]),
      ).rejects.toThrow();
    expect(outcomeOf(await steps().logIn(machine, machine.key))).toBe('in');
  });
});

describe('T231 a key', () => {
  const add = (authorization: string, userId: number, publicKey: object) =>
    service().send({
      method: 'POST',
      path: `/api/v1/users/${userId}/keys`,
      headers: { authorization },
      body: { name: 'key', publicKey },
    });
  const adminHeader = async () => `Bearer ${await service().tokenOf('ada')}`;

  it('is added to no person, not even by the database, and to a service account it is', async () => {
    const [machine, person] = [await addMachine(), await addPerson(database())];
    const key = createMachineKey();
    expect((await add(await adminHeader(), person.id, key.publicKey)).body.code).toBe(409);
    await expect(addKey(database(), person.id, key)).rejects.toThrow('Service accounts have keys');
    expect((await add(await adminHeader(), machine.id, key.publicKey)).body.code).toBe(200);
  });

  it('that a person has is added to no other account', async () => {
    const [one, other] = [await addMachine(), await addMachine()];
    expect((await add(await adminHeader(), other.id, one.key.publicKey)).body.code).toBe(409);
    expect((await add(await adminHeader(), other.id, createMachineKey().publicKey)).body.code).toBe(200);
  });

  it('with its private part is refused, and kept nowhere', async () => {
    const machine = await addMachine();
    const key = createMachineKey();
    const whole = key.privateKey.export({ format: 'jwk' });
    const refused = await add(await adminHeader(), machine.id, whole);
    expect(outcomeOf(refused)).toBe('params_invalid');
    expect(refused.text).not.toContain(whole.d);
    const kept = await database().query('select 1 from credentials where public_part::text like $1', [
      `%${whole.d}%`,
    ]);
    expect(kept).toEqual([]);
    expect((await add(await adminHeader(), machine.id, key.publicKey)).body.code).toBe(200);
  });

  it.each<[what: string, publicKey: object]>([
    ['off its curve', { kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'A'.repeat(43) }],
    ['of another curve', { kty: 'EC', crv: 'P-384', x: 'A'.repeat(64), y: 'A'.repeat(64) }],
    ['of RSA', { kty: 'RSA', n: 'AQAB', e: 'AQAB' }],
    ['that is a secret', { kty: 'oct', k: 'AAAA' }],
    ['without a half', { kty: 'EC', crv: 'P-256', x: 'A'.repeat(43) }],
  ])('%s is refused, and a good one is not', async (_what, publicKey) => {
    const machine = await addMachine();
    expect(outcomeOf(await add(await adminHeader(), machine.id, publicKey))).toBe('params_invalid');
    expect((await add(await adminHeader(), machine.id, createMachineKey().publicKey)).body.code).toBe(200);
  });

  it('is added neither by the account itself nor by a caller of less reach, and by an administrator it is', async () => {
    const mighty = await addMachine('ES256', 'admin');
    const { body } = await steps().logIn(mighty, mighty.key);
    const { publicKey } = createMachineKey();
    const { code } = (await add(`Bearer ${body.token}`, mighty.id, publicKey)).body;
    expectAttackFails(code, { success: 200, failure: 409 });
    const role = await byAdmin('POST', '/roles', {
      roleKey: 'keeper',
      name: 'keeper',
      dataScope: '1',
    });
    const { id: roleId } = role.body.data as { id: number };
    const rules = rulesInForce([{ method: 'POST', path: '/api/v1/users/:id/keys' }]);
    await byAdmin('POST', `/roles/${roleId}/rules`, rules);
    const keeper = await addMachine('ES256', 'keeper');
    const small = await addMachine('ES256', 'keeper');
    const token = `Bearer ${(await steps().logIn(keeper, keeper.key)).body.token}`;
    expect(outcomeOf(await add(token, mighty.id, publicKey))).toBe('permission_denied');
    expect(outcomeOf(await add(token, small.id, publicKey))).toBe('200');
    expect((await add(await adminHeader(), mighty.id, createMachineKey().publicKey)).body.code).toBe(200);
  });

  it('is one of ten at most', async () => {
    const machine = await addMachine();
    for (let count = 1; count < 10; count += 1)
      expect((await add(await adminHeader(), machine.id, createMachineKey().publicKey)).body.code).toBe(200);
    expect((await add(await adminHeader(), machine.id, createMachineKey().publicKey)).body.code).toBe(409);
  });
});

describe('T232 wrong assertions', () => {
  it('without end keep neither the program out nor the people of its network', async () => {
    const machine = await addMachine();
    const foreign = { ...createMachineKey(), kid: machine.key.kid };
    for (let count = 0; count < 60; count += 1)
      expect(outcomeOf(await steps().logIn(machine, foreign))).toBe(wrong);
    expect(outcomeOf(await steps().logIn(machine, machine.key))).toBe('in');
    expect(outcomeOf(await service().logIn('gina'))).toBe('in');
    // Wrong passwords of one name do.
    const outcomes = new Set<string>();
    for (let count = 0; count < 25; count += 1)
      outcomes.add(outcomeOf(await service().logIn(machine.username, 'wrong')));
    expect(outcomes).toContain('rate_limited');
    expect(outcomeOf(await steps().logIn(machine, machine.key))).toBe('in');
  });
});

describe('T232 captchas of programs', () => {
  const few = useService({ mode: 'prod', settings: { ...machineSettings, LIMIT_CAPTCHAS_PER_MINUTE: '5' } });

  it('spend a budget of their own, and leave that of people as it is', async () => {
    const fetch = async (query: string) => {
      const { body, headers } = await few().send({ path: `/api/v1/getCaptcha${query}` });
      return body.code === 200 ? 'given' : String(headers['x-auth-reason']);
    };
    const outcomes: string[] = [];
    for (let count = 0; count < 8; count += 1) outcomes.push(await fetch('?for=key'));
    expect(outcomes).toContain('rate_limited');
    expect(await fetch('')).toBe('given');
  });
});

describe('T233 where no audience is set', () => {
  const off = useService({ mode: 'prod' });

  it('there is no captcha for keys, no key and no login, and where one is set there is each', async () => {
    const key = createMachineKey();
    const machine = await addServiceAccount(off().database, { keys: [key] });
    const captcha = await off().send({ path: '/api/v1/getCaptcha?for=key' });
    expect([captcha.body.code, captcha.body.data]).toEqual([409, undefined]);
    const headers = { authorization: `Bearer ${await off().tokenOf('ada')}` };
    const body = { name: 'key', publicKey: createMachineKey().publicKey };
    const path = `/api/v1/users/${machine.id}/keys`;
    expect((await off().send({ method: 'POST', path, headers, body })).body.code).toBe(409);
    const picture = { uuid: await writeCaptcha(off().database), code: captchaAnswer };
    for (const aud of ['', audience]) {
      const assertion = signAssertion(machine, key, picture, { claims: { aud } });
      const answer = await off().postLogin({ ...picture, assertion });
      expect(outcomeOf(answer)).toBe('params_invalid');
    }
    const other = await addMachine();
    expect(outcomeOf(await steps().logIn(other, other.key))).toBe('in');
  });
});

describe('T234 a token', () => {
  const ask = async (token: unknown) =>
    (await service().send({ path: '/api/v1/getinfo', headers: { authorization: `Bearer ${token}` } })).body
      .code;

  it('of a key that ended is refused when the call returns, and of another key it is not', async () => {
    const machine = await addMachine();
    const next = createMachineKey();
    await addKey(database(), machine.id, next);
    const [ofOld, ofNext] = [await steps().logIn(machine, machine.key), await steps().logIn(machine, next)];
    expect([await ask(ofOld.body.token), await ask(ofNext.body.token)]).toEqual([200, 200]);
    await byAdmin('DELETE', `/users/${machine.id}/keys/${machine.keyId}`);
    expectAttackFails(await ask(ofOld.body.token), { success: 200, failure: 401 });
    expect(await ask(ofNext.body.token)).toBe(200);
    // A second call is answered as the first one was.
    await byAdmin('DELETE', `/users/${machine.id}/keys/${machine.keyId}`);
  });

  it('of a program lives for minutes, and of a person for as long as is set', async () => {
    const machine = await addMachine();
    const lifetime = (token: unknown) => {
      const { iat, exp } = JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString());
      return exp - iat;
    };
    expect(lifetime((await steps().logIn(machine, machine.key)).body.token)).toBe(600);
    expect(lifetime((await service().logIn('gina')).body.token)).toBe(3600);
  });
});
