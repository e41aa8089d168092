// Threats T150 to T163: passkeys, against the running service, with a device that lies. Every refusal has a control beside
// it that succeeds.
import { type Client, ClientError } from '@portcullis/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { codesOf, secretOf } from '../rig/authenticator.ts';
import { createPasskeyDevice, type Saying } from '../rig/passkey-device.ts';
import { openPasskeyPage, type Passkey, passkeySettings } from '../rig/passkey-page.ts';
import { password, type Username, users } from '../rig/seed.ts';
import { useService } from '../rig/use-service.ts';
import { expectAttackFails, failIfAttackSucceeded } from '../weaknesses/attack.ts';
import { size } from './size.ts';

const service = useService({ mode: 'prod', settings: passkeySettings });
const { begin, clientOf, logIn, make, register, signedIn } = openPasskeyPage(service);
/** Of each step. */
const races = size({ small: 1, full: 1000 });
const idOf = (username: Username) => users.findIndex((user) => user.username === username) + 1;

async function outcomeOf(call: Promise<unknown>): Promise<string> {
  return await call.then(
    () => 'ok',
    (error: unknown) => {
      if (!(error instanceof ClientError)) throw error;
      return `${error.code} ${error.reason ?? ''}`.trim();
    },
  );
}
const wrong = '400 credentials_wrong';
/** An attack whose success is a call that succeeds. */
function expectRefused(outcome: string, failure = wrong): void {
  expectAttackFails(outcome, { success: 'ok', failure });
}
const whoIs = async (client: Client) => (await client.getInfo()).data.userName;

/** Carl has one with a counter, and Alba one without; both since before the tests. */
let carls: Passkey;
let albas: Passkey;
let counter = 0;
const nextCounter = () => {
  counter += 1;
  return counter;
};
beforeAll(async () => {
  carls = await register(await signedIn('carl'), createPasskeyDevice(), { counter: nextCounter() });
  albas = await register(await signedIn('alba'));
});

/** A login by Carl's passkey that is right but for the lie, and one that is right. */
async function expectLieRefused(lie: Partial<Saying>): Promise<void> {
  const told = await begin();
  expectRefused(await outcomeOf(told.send(told.sign(carls, { counter: nextCounter(), ...lie }))));
  expect(await whoIs(await logIn(carls, { counter: nextCounter() }))).toBe('carl');
}

describe('T150: what was signed elsewhere', () => {
  it.each([
    ['on a false site', { origin: 'https://example.test.evil.example' }],
    ['on a host below the domain that is not listed', { origin: 'https://blog.example.test' }],
    ['for another domain', { rpId: 'evil.example' }],
    ['in a frame of another site', { crossOrigin: true }],
  ])('T150: %s is refused, and made there too', async (_where, lie) => {
    await expectLieRefused(lie);
    const client = await logIn(albas);
    expectRefused(await outcomeOf(register(client, createPasskeyDevice(), lie)));
  });

  it('T150: is refused with any host and origin in the headers of the request', async () => {
    const origin = 'https://evil.example';
    const headers = { host: 'evil.example', origin, 'x-forwarded-host': 'evil.example' };
    const login = await begin();
    for (const [lie, code] of [
      [{ origin, rpId: 'evil.example' }, 400],
      [{}, 200],
    ] as const) {
      const { step, sign } = code === 400 ? login : await begin();
      const body = { ...step, passkey: sign(carls, { counter: nextCounter(), ...lie }) };
      const answer = await service().send({ method: 'POST', path: '/api/v1/login', headers, body });
      expect(answer.body.code).toBe(code);
    }
  });
});

describe('T151: an authenticator that did not verify its user', () => {
  it('T151: completes no login, and registers no passkey', async () => {
    await expectLieRefused({ userVerified: false });
    const client = await logIn(albas);
    expectRefused(await outcomeOf(register(client, createPasskeyDevice(), { userVerified: false })));
  });
});

describe('T152: what was signed once', () => {
  it('T152: works for one login, also without a counter', async () => {
    const login = await begin();
    const signed = login.sign(albas);
    expect(await outcomeOf(login.send(signed))).toBe('ok');
    expectRefused(await outcomeOf(login.send(signed)), '400 captcha_wrong');
    const other = await begin();
    expectRefused(await outcomeOf(other.send(signed)));
  });

  it('T152: is refused by another attempt, which began before it or after', async () => {
    const before = await begin();
    const login = await begin();
    const after = await begin();
    for (const other of [before, after]) {
      const passkey = login.sign(albas);
      expectRefused(await outcomeOf(other.send(passkey)));
    }
    expect(await outcomeOf(login.send(login.sign(albas)))).toBe('ok');
  });

  it('T152: ends an attempt when it is wrong', async () => {
    const login = await begin();
    expectRefused(await outcomeOf(login.send(login.sign(albas, { rpId: 'evil.example' }))));
    expectRefused(await outcomeOf(login.send(login.sign(albas))), '400 captcha_wrong');
  });

  it.each(['first', 'second'])(
    'T152: is won once by twenty that send it at once as the %s step',
    async (step) => {
      const sessions = async () =>
        (await service().database.query('select jti from sessions where user_id = $1', [idOf('alba')]))
          .length;
      for (let race = 0; race < races; race += 1) {
        const login = await begin();
        if (step === 'second') expect(await outcomeOf(login.prove('alba'))).toBe('400 factor_required');
        const before = await sessions();
        const signed = login.sign(albas);
        const outcomes = await Promise.all(Array.from({ length: 20 }, () => outcomeOf(login.send(signed))));
        failIfAttackSucceeded((await sessions()) - before > 1, 'one signature opens two sessions');
        expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(1);
        expect((await sessions()) - before).toBe(1);
      }
    },
  );
});

describe('T153: a counter', () => {
  const records = () =>
    service().database.query(
      `select after->>'counter' as sent from audit_log where action = 'user.passkey_counter' and target = $1`,
      [`user ${idOf('carl')}`],
    );

  it('T153: that goes back or stays is refused and recorded, and one that grows is accepted', async () => {
    const stayed = counter;
    for (const told of [stayed, stayed - 1, 0]) {
      const login = await begin();
      expectRefused(await outcomeOf(login.send(login.sign(carls, { counter: told }))));
    }
    expect(await records()).toEqual([stayed, stayed - 1, 0].map((sent) => ({ sent: String(sent) })));
    await logIn(carls, { counter: nextCounter() });
  });

  it('T153: of which nothing was signed is not recorded', async () => {
    const before = (await records()).length;
    const login = await begin();
    const signed = login.sign({ ...carls, device: createPasskeyDevice() }, { counter: 0 });
    const forged = { ...signed, id: carls.device.id, rawId: carls.device.id };
    expectRefused(await outcomeOf(login.send(forged)));
    expect((await records()).length).toBe(before);
  });
});

describe('T154: a passkey', () => {
  it('T154: that was removed is refused, and what it proved has ended', async () => {
    const client = await logIn(albas);
    const spare = await register(client);
    const proven = await logIn(spare);
    expect(await whoIs(proven)).toBe('alba');
    await client.endOwnFactor({ params: { id: spare.id }, body: { oldPassword: password } });
    expectRefused(await outcomeOf(proven.getInfo()), '401 token_revoked');
    expectRefused(await outcomeOf(logIn(spare)));
    expect(await outcomeOf(logIn(albas))).toBe('ok');
  });

  it.each([
    ['user', `update users set enabled = $2 where id = $1`, idOf('bela'), 'user_disabled'],
    ['role', `update roles set enabled = $2 where id = $1`, 4, 'role_disabled'],
  ])(
    'T154: of a disabled %s is refused, with the reason in the log alone',
    async (_who, change, id, reason) => {
      const belas = await register(await signedIn('bela'));
      const { query } = service().database;
      await query(change, [id, false]);
      const login = await begin();
      expectRefused(await outcomeOf(login.send(login.sign(belas))));
      const logged = () => query('select reason from login_log where user_id = $1', [idOf('bela')]);
      await expect.poll(logged).toContainEqual({ reason });
      await query(change, [id, true]);
      const back = await logIn(belas);
      await back.endOwnFactor({ params: { id: belas.id }, body: { oldPassword: password } });
    },
  );
});

describe('T155: a user handle', () => {
  it('T155: of another user is refused, and so is an unknown one', async () => {
    for (const userHandle of [albas.userHandle, 'AAAA', carls.userHandle.slice(0, -1)])
      await expectLieRefused({ userHandle });
  });

  it('T155: reveals no id or name, and is the same for all passkeys of a user', async () => {
    const bytes = Buffer.from(albas.userHandle, 'base64url');
    expect(bytes).toHaveLength(32);
    expect(bytes.toString('latin1')).not.toContain('alba');
    const client = await logIn(albas);
    const spare = await register(client);
    expect(spare.userHandle).toBe(albas.userHandle);
    expect(carls.userHandle).not.toBe(albas.userHandle);
    await client.endOwnFactor({ params: { id: spare.id }, body: { oldPassword: password } });
  });
});

describe('T156: after a password', () => {
  it('T156: the passkey of another user is refused, and the user’s own completes the login', async () => {
    const login = await begin();
    expect(await outcomeOf(login.prove('carl'))).toBe('400 factor_required');
    expectRefused(await outcomeOf(login.send(login.sign(albas))));
    expect(await outcomeOf(login.send(login.sign(carls, { counter: nextCounter() })))).toBe('ok');
    expect(await whoIs(login.client)).toBe('carl');
  });
});

describe('T157: a passkey of another algorithm', () => {
  it.each([-35, -36, -37, -65535])('T157: %d is refused', async (algorithm) => {
    const client = await logIn(albas);
    expectRefused(await outcomeOf(register(client, createPasskeyDevice(), { algorithm })));
    expect((await client.listOwnFactors()).data.items).toHaveLength(1);
  });

  it('T157: is not among those that a browser is asked for', async () => {
    const client = await logIn(albas);
    const { data } = await client.beginPasskey({ body: { oldPassword: password } });
    expect(data.passkey).toMatchObject({
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [{ id: albas.device.id, type: 'public-key' }],
    });
  });
});

describe('T158: a registration challenge', () => {
  const beginOwn = async (client: Client) =>
    (await client.beginPasskey({ body: { oldPassword: password } })).data;
  const add = (client: Client, response: ReturnType<typeof make>) =>
    outcomeOf(client.addPasskey({ body: { response, name: 'Spare' } }));

  it('T158: registers one passkey, and no second one', async () => {
    const client = await signedIn('gina');
    const begun = await beginOwn(client);
    const response = make(createPasskeyDevice(), begun);
    expect(await add(client, response)).toBe('ok');
    expectRefused(await add(client, response));
    expectRefused(await add(client, make(createPasskeyDevice(), begun)));
  });

  it('T158: belongs to the caller: another user registers none with it', async () => {
    const [carl, alba] = [await logIn(carls, { counter: nextCounter() }), await logIn(albas)];
    const begun = await beginOwn(carl);
    await beginOwn(alba);
    const response = make(createPasskeyDevice(), begun);
    expectRefused(await add(alba, response));
    expect(await add(carl, response)).toBe('ok');
    for (const { id } of (await carl.listOwnFactors()).data.items)
      if (id !== carls.id) await carl.endOwnFactor({ params: { id }, body: { oldPassword: password } });
  });

  it('T158: expires after five minutes', async () => {
    const client = await logIn(albas);
    const begun = await beginOwn(client);
    const age = (seconds: number) =>
      service().database.query(
        `update credentials set created_at = clock_timestamp() - make_interval(secs => $2) where id = $1`,
        [begun.id, seconds],
      );
    const response = make(createPasskeyDevice(), begun);
    await age(301);
    expectRefused(await add(client, response));
    await age(290);
    expect(await add(client, response)).toBe('ok');
  });

  it('T158: registers one passkey where twenty send it at once', async () => {
    const client = await logIn(albas);
    const before = (await client.listOwnFactors()).data.items.length;
    const begun = await beginOwn(client);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => add(client, make(createPasskeyDevice(), begun))),
    );
    const added = outcomes.filter((outcome) => outcome === 'ok').length;
    failIfAttackSucceeded(added > 1, 'one challenge makes two passkeys');
    expect(added).toBe(1);
    expect((await client.listOwnFactors()).data.items).toHaveLength(before + 1);
  });
});

describe('T159: the id of a passkey', () => {
  it('T159: of one user is refused to all others, and free again after its removal', async () => {
    const carl = await logIn(carls, { counter: nextCounter() });
    const bytes = Buffer.from('an id of sixteen');
    const alba = await logIn(albas);
    const spare = await register(alba, createPasskeyDevice(bytes));
    expectRefused(await outcomeOf(register(carl, createPasskeyDevice(bytes))), '409');
    expect(await whoIs(await logIn(spare))).toBe('alba');
    await alba.endOwnFactor({ params: { id: spare.id }, body: { oldPassword: password } });
    const taken = await register(carl, createPasskeyDevice(bytes));
    expect(await whoIs(await logIn(taken))).toBe('carl');
    await carl.endOwnFactor({ params: { id: taken.id }, body: { oldPassword: password } });
  });
});

describe('T160: a passkey', () => {
  /** Bela, whose role demands a second factor, never had one. */
  async function beginAnew(): Promise<void> {
    const { query } = service().database;
    for (const table of ['credentials', 'recovery_codes'])
      await query(`delete from ${table} where user_id = $1`, [idOf('bela')]);
    await query('update roles set factor = 2 where id = 4');
  }

  it('T160: is not added without the password of the caller', async () => {
    const client = await logIn(albas);
    expectRefused(await outcomeOf(client.beginPasskey({ body: { oldPassword: 'wrong' } })));
    const response = make(createPasskeyDevice(), { passkey: { challenge: 'AAAA' } });
    expectRefused(await outcomeOf(client.addPasskey({ body: { response, name: 'Key' } })));
    expect(await outcomeOf(register(client))).toBe('ok');
  });

  it('T160: is not added during a login where no factor is required, or one exists', async () => {
    for (const username of ['bela', 'alba'] as const) {
      const login = await begin();
      await login.prove(username).catch(() => {});
      const body = { ...login.step, kind: 'passkey' } as const;
      expect(await outcomeOf(login.client.enrolAtLogin({ body }))).not.toBe('ok');
    }
  });

  it('T160: is not completed during a login after the owner has set up a factor', async () => {
    const { query } = service().database;
    await beginAnew();
    const [thief, owner] = [await begin(), await begin()];
    for (const { prove } of [thief, owner])
      expect(await outcomeOf(prove('bela'))).toBe('400 factor_required');
    const enrol = async ({ client, step }: typeof thief) => {
      const { data } = await client.enrolAtLogin({ body: { ...step, kind: 'passkey' } });
      if (!('passkey' in data)) throw new Error('This sets up no passkey.');
      return { response: make(createPasskeyDevice(), data), name: 'Key' };
    };
    const registration = await enrol(thief);
    const app = await owner.client.enrolAtLogin({ body: { ...owner.step, kind: 'totp' } });
    const [otp] = await codesOf(secretOf(app.data));
    expect(await outcomeOf(owner.client.login({ body: { ...owner.step, otp } }))).toBe('ok');
    expectRefused(await outcomeOf(thief.client.login({ body: { ...thief.step, registration } })));
    expectRefused(await outcomeOf(enrol(thief)), '400 factor_required');
    expect((await owner.client.listOwnFactors()).data.items).toMatchObject([{ kind: 'totp' }]);
    await query('update roles set factor = 1 where id = 4');
  });

  it('T160: invalidates the setup of an authenticator app that another person began before it', async () => {
    await beginAnew();
    const [thief, owner] = [await begin(), await begin()];
    for (const { prove } of [thief, owner])
      expect(await outcomeOf(prove('bela'))).toBe('400 factor_required');
    const app = await thief.client.enrolAtLogin({ body: { ...thief.step, kind: 'totp' } });
    const { data } = await owner.client.enrolAtLogin({ body: { ...owner.step, kind: 'passkey' } });
    if (!('passkey' in data)) throw new Error('This sets up no passkey.');
    const registration = { response: make(createPasskeyDevice(), data), name: 'Key' };
    expect(await outcomeOf(owner.client.login({ body: { ...owner.step, registration } }))).toBe('ok');
    const [otp] = await codesOf(secretOf(app.data));
    expectRefused(await outcomeOf(thief.client.login({ body: { ...thief.step, otp } })), '400 captcha_wrong');
    expect((await owner.client.listOwnFactors()).data.items).toMatchObject([{ kind: 'passkey' }]);
  });

  it('T160: is completed during a login where no factor was set up meanwhile', async () => {
    const { query } = service().database;
    await beginAnew();
    const login = await begin();
    expect(await outcomeOf(login.prove('bela'))).toBe('400 factor_required');
    const { data } = await login.client.enrolAtLogin({ body: { ...login.step, kind: 'passkey' } });
    if (!('passkey' in data)) throw new Error('This sets up no passkey.');
    const registration = { response: make(createPasskeyDevice(), data), name: 'Key' };
    expect(await outcomeOf(login.client.login({ body: { ...login.step, registration } }))).toBe('ok');
    await query('update roles set factor = 1 where id = 4');
  });
});

describe('T161: wrong passkeys', () => {
  it('T161: without end lock no user out', async () => {
    for (let n = 0; n < 150; n += 1) {
      const login = await begin();
      expect(
        await outcomeOf(login.send(login.sign({ device: createPasskeyDevice(), userHandle: 'AAAA' }))),
      ).toBe(wrong);
    }
    expect(await outcomeOf(logIn(albas))).toBe('ok');
    expect(await outcomeOf(signedIn('ada'))).toBe('ok');
  });

  it('T161: cost a captcha each', async () => {
    const login = await begin();
    expect(await outcomeOf(login.client.beginLogin({ body: { uuid: 'none', code: 'WRONG' } }))).toBe(
      '400 captcha_wrong',
    );
    const body = { ...login.step, code: 'WRONG', passkey: login.sign(albas) };
    expectRefused(await outcomeOf(login.client.login({ body })), '400 captcha_wrong');
    expect(await outcomeOf(login.send(login.sign(albas)))).toBe('ok');
  });
});

describe('T163: passkeys without end', () => {
  it('T163: are twenty at most', async () => {
    const client = await logIn(albas);
    for (let n = (await client.listOwnFactors()).data.items.length; n < 20; n += 1) await register(client);
    expectRefused(await outcomeOf(register(client)), '409');
    expect((await client.listOwnFactors()).data.items).toHaveLength(20);
  });
});

describe('T162: where passkeys are off', () => {
  const off = useService({ mode: 'prod' });
  const offPage = openPasskeyPage(off);

  it('T162: there is no challenge, no passkey, and no role that requires one', async () => {
    expect((await clientOf().loginMethods()).data.methods).toContain('passkey');
    const client = await offPage.signedIn('ada');
    expect((await client.loginMethods()).data.methods).toEqual(['password', 'totp', 'recovery']);
    const login = await offPage.begin();
    expect(login.options).toBeUndefined();
    expectRefused(await outcomeOf(login.send(login.sign(carls))), '400 params_invalid');
    expectRefused(await outcomeOf(offPage.register(client)), '409');
    const demand = (factor: 2 | 3) =>
      outcomeOf(client.setRequiredFactor({ params: { id: 5 }, body: { requiredFactor: factor } }));
    expectRefused(await demand(3), '409');
    expect(await demand(2)).toBe('ok');
    const gina = await offPage.begin();
    await gina.prove('gina').catch(() => {});
    const body = { ...gina.step, kind: 'passkey' } as const;
    expectRefused(await outcomeOf(gina.client.enrolAtLogin({ body })), '400 factor_required');
  });
});
