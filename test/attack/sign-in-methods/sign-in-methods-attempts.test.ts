// Threats, sign-in methods: the handle of an attempt, its captcha, and what the first step tells. The controls of these attacks are in
// test/weaknesses/factors.ts.
import { createHmac, randomBytes } from 'node:crypto';
import { endpoints } from '@portcullis/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { exampleRequest } from '../../conformance/example-request.ts';
import { expectLoginRefusal } from '../../conformance/expect-refusal.ts';
import { captchaAnswer } from '../../rig/captcha.ts';
import { carriers, present } from '../../rig/carriers.ts';
import type { Answer, Request } from '../../rig/http-client.ts';
import { password } from '../../rig/seed.ts';
import { expectAttackFails } from '../../weaknesses/attack.ts';
import { countReasons } from '../login/count-reasons.ts';
import { type ArmedPerson, addArmed, addPerson, outcomeOf, type Step } from './people.ts';
import { codeAt, wrongCode } from './totp-clock.ts';
import { useWorld } from './world.ts';

const world = useWorld();
const query = (text: string, values: readonly unknown[] = []) => world().service.database.query(text, values);
const arm = (role?: string) => addArmed(world().service.database, role);
const expire = (handle: string) =>
  query(`update login_attempts set expires_at = now() where handle_hash = sha256($1)`, [handle]);

describe('T125 the handle of an attempt', () => {
  it.each(carriers)(
    'in the carrier %s is a token for no endpoint, and a token there is one',
    async (carrier) => {
      const { service, steps } = world();
      const person = await arm();
      const step = await steps.prove(person);
      let refused = 0;
      for (const endpoint of endpoints) {
        const request = exampleRequest(endpoint);
        const answer = await service.send(present(step.flowId, carrier, request));
        if (endpoint.access === 'public') expect(answer.body.token, request.path).toBeUndefined();
        else {
          expect([answer.body.code, outcomeOf(answer)], request.path).toEqual([401, 'token_malformed']);
          refused += 1;
        }
      }
      expect(refused).toBeGreaterThan(40);
      const { body } = await steps.logIn({ ...step, otp: codeAt(person.secret) });
      const own = present(String(body.token), carrier, { path: '/api/v1/user/factors' });
      expect((await service.send(own)).body.code).toBe(200);
    },
  );

  it('in a carrier completes no login, and in the body it does', async () => {
    const { service, steps } = world();
    const person = await arm();
    const { flowId, ...captcha } = await steps.prove(person);
    const body = { ...captcha, otp: codeAt(person.secret) };
    for (const carrier of carriers) {
      const request = { method: 'POST', path: '/api/v1/login', body };
      expectLoginRefusal(await service.send(present(flowId, carrier, request)), 'params_invalid');
    }
    expect(outcomeOf(await steps.logIn({ flowId, ...body }))).toBe('in');
  });
});

describe('T126 an attempt', () => {
  /** Each gives the step to send instead of the own one. */
  const misuses: [what: string, misuse: (own: Step) => Promise<Partial<Step>>][] = [
    [
      'with another captcha that is solved',
      async ({ flowId }) => ({ flowId, ...(await world().steps.solve()) }),
    ],
    ['with another text of its captcha', async (own) => ({ ...own, code: 'AAAAA' })],
    [
      'with the captcha of another attempt',
      async ({ flowId }) => ({ ...(await world().steps.begin()), flowId }),
    ],
    ['without its captcha', async ({ flowId }) => ({ flowId })],
    [
      'of another person, with the own captcha',
      async (own) => ({ ...own, flowId: (await world().steps.prove(await arm())).flowId }),
    ],
    ['of another person, all of it', async () => await world().steps.prove(await arm())],
    ['that was not begun', async (own) => ({ ...own, flowId: randomBytes(32).toString('base64url') })],
    [
      'that is the own one but for a letter',
      async (own) => ({
        ...own,
        flowId: own.flowId.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A')),
      }),
    ],
  ];

  const refusals = ['captcha_wrong', 'credentials_wrong', 'params_invalid'];

  it.each(misuses)('%s takes no code, and the own one does', async (_what, misuse) => {
    const { steps } = world();
    const person = await arm();
    const own = await steps.prove(person);
    const body = { ...(await misuse(own)), otp: codeAt(person.secret) };
    expectAttackFails(outcomeOf(await steps.logIn(body)), { success: 'in', failure: refusals });
    expect(outcomeOf(await steps.logIn({ ...own, otp: body.otp }))).toBe('in');
  });

  it('that expired takes no code', async () => {
    const { steps } = world();
    const person = await arm();
    const own = await steps.prove(person);
    await expire(own.flowId);
    const outcome = outcomeOf(await steps.logIn({ ...own, otp: codeAt(person.secret) }));
    expectAttackFails(outcome, { success: 'in', failure: 'captcha_wrong' });
  });

  it('that is over gives no second token', async () => {
    const { steps } = world();
    const { secret, recoveryCodes, ...person } = await arm();
    const step = await steps.prove(person);
    expect(outcomeOf(await steps.logIn({ ...step, otp: codeAt(secret) }))).toBe('in');
    const second = outcomeOf(await steps.logIn({ ...step, recoveryCode: recoveryCodes[0] }));
    expectAttackFails(second, { success: 'in', failure: 'captcha_wrong' });
  });
});

describe('T127 what the database holds of attempts', () => {
  it('is no handle, and the handle is what it takes to try captchas on it', async () => {
    const { steps } = world();
    const person = await arm();
    const step = await steps.prove(person);
    const otp = codeAt(person.secret);
    const rows = await world().service.database.query<{ hash: Buffer; mac: Buffer }>(
      'select handle_hash as hash, captcha_mac as mac from login_attempts where user_id = $1',
      [person.id],
    );
    expect(rows).toHaveLength(1);
    const { hash, mac } = rows[0] ?? { hash: Buffer.of(), mac: Buffer.of() };
    for (const stored of [hash, mac].map((bytes) => bytes.toString('base64url'))) {
      const outcome = outcomeOf(await steps.logIn({ ...step, flowId: stored, otp }));
      expectAttackFails(outcome, { success: 'in', failure: 'captcha_wrong' });
    }
    const macWith = (key: string | Buffer) =>
      createHmac('sha256', key)
        .update(JSON.stringify([step.uuid, step.code]))
        .digest();
    expect([macWith(''), macWith(hash), macWith(hash.toString('base64url'))]).not.toContainEqual(mac);
    expect(macWith(step.flowId)).toEqual(mac);
    expect(outcomeOf(await steps.logIn({ ...step, otp }))).toBe('in');
  });
});

describe('T128 one captcha', () => {
  it('stands for one password', async () => {
    const { steps } = world();
    const { username } = await arm();
    const step = await steps.begin();
    expectLoginRefusal(await steps.logIn({ ...step, username, password: 'wrong' }), 'credentials_wrong');
    const again = outcomeOf(await steps.logIn({ ...step, username, password }));
    expectAttackFails(again, { success: 'factor_required', failure: 'captcha_wrong' });
  });

  it('stands for one name: no other person logs in with what is left of it', async () => {
    const { steps } = world();
    const [one, other] = [await arm(), await addPerson(world().service.database)];
    const step = await steps.prove(one);
    const mixed = { ...step, username: other.username, password };
    expectLoginRefusal(await steps.logIn(mixed), 'captcha_wrong');
    expect(outcomeOf(await steps.logInPlainly(other))).toBe('in');
  });

  it('is spent when a login begins, and begins one', async () => {
    const { service, steps } = world();
    const captcha = await steps.solve();
    await steps.begin(captcha);
    const again = await service.send({ method: 'POST', path: '/api/v1/login/begin', body: captcha });
    expectLoginRefusal(again, 'captcha_wrong');
    const person = await addPerson(service.database);
    const { username } = person;
    expectLoginRefusal(await steps.logIn({ username, password, ...captcha }), 'captcha_wrong');
    expect(outcomeOf(await steps.logInPlainly(person))).toBe('in');
  });

  it('that is wrong begins nothing, is spent and is in the login log; one that is right leaves no record', async () => {
    const { service, steps } = world();
    const begin = (body: object) => service.send({ method: 'POST', path: '/api/v1/login/begin', body });
    const { uuid } = await steps.solve();
    const wrong = await begin({ uuid, code: 'AAAAA' });
    expectLoginRefusal(wrong, 'captcha_wrong');
    const right = await begin({ uuid, code: captchaAnswer });
    expectLoginRefusal(right, 'captcha_wrong');
    const missing = await begin({ uuid });
    expectLoginRefusal(missing, 'params_invalid');
    expect(await countReasons(service.database, [wrong, right, missing])).toEqual({
      captcha_wrong: 2,
      params_invalid: 1,
    });
    const begun = await begin(await steps.solve());
    expect(begun.body.code).toBe(200);
    const records = await query('select 1 from login_log where request_id = $1', [
      begun.headers['x-request-id'],
    ]);
    expect(records).toEqual([]);
  });
});

describe('T129 without the password', () => {
  it('no code, no recovery code and no enrolment is taken, and after it each is', async () => {
    const { steps, strict } = world();
    const [person, other] = [await arm(), await addPerson(world().service.database, strict.key)];
    const proofs = () => [{ otp: codeAt(person.secret) }, { recoveryCode: person.recoveryCodes[0] }];
    for (const username of [undefined, person.username]) {
      const step = await steps.begin();
      if (username !== undefined) await steps.logIn({ ...step, username, password: 'wrong' });
      for (const proof of proofs())
        expectLoginRefusal(await steps.logIn({ ...step, ...proof }), 'captcha_wrong');
      expectLoginRefusal(await steps.enrol(step), 'captcha_wrong');
    }
    for (const proof of proofs())
      expect(outcomeOf(await steps.logIn({ ...(await steps.prove(person)), ...proof }))).toBe('in');
    expect((await steps.enrol(await steps.prove(other))).body.code).toBe(200);
  });
});

describe('T133 a password', () => {
  it('stands for five codes', async () => {
    const { steps } = world();
    const person = await arm();
    const step = await steps.prove(person);
    const otp = wrongCode(person.secret);
    for (let tries = 0; tries < 5; tries += 1)
      expectLoginRefusal(await steps.logIn({ ...step, otp }), 'credentials_wrong');
    const sixth = outcomeOf(await steps.logIn({ ...step, otp: codeAt(person.secret) }));
    expectAttackFails(sixth, { success: 'in', failure: 'captcha_wrong' });
  });
});

describe('T147 a body', () => {
  const odd = [
    '',
    ' ',
    '00000',
    '0000000',
    '٠١٢٣٤٥',
    '１２３４５６',
    '12345a',
    '0x1234',
    '-12345',
    '1e5   ',
    '\u0000'.repeat(6),
  ];
  const types: unknown[] = [null, 0, 123456, true, [], {}, ['000000'], { length: 6 }, { toString: '000000' }];
  let person: ArmedPerson;
  beforeAll(async () => {
    person = await arm();
  });

  it('whose code is no code is refused before it is looked at, and the attempt goes on', async () => {
    const { steps, service } = world();
    const step = await steps.prove(person);
    const answers: Answer[] = [];
    for (const otp of [...odd, ...types, `' or 1=1`, '1 or 1', `0';--`])
      answers.push(await steps.logIn({ ...step, otp }));
    for (const recoveryCode of [...odd, ...types]) answers.push(await steps.logIn({ ...step, recoveryCode }));
    for (const answer of answers) expectLoginRefusal(answer, 'params_invalid');
    expect(await countReasons(service.database, answers)).toEqual({ params_invalid: answers.length });
    expect(outcomeOf(await steps.logIn({ ...step, otp: codeAt(person.secret) }))).toBe('in');
  });

  it('with SQL or an odd text for a recovery code or an enrolment code is a wrong code, and changes nothing', async () => {
    const { steps, strict } = world();
    const texts = [
      `' or '1'='1' -- xxxx`,
      `%%%%%%%%%%%%%%%%%%%%`,
      `$1$1$1$1$1$1$1$1$1$1`,
      `'; delete from users;`,
      '\u0000'.repeat(20),
      '\ud800'.repeat(20),
      '����������������',
      'ﬀﬀﬀﬀﬀﬀﬀﬀﬀﬀﬀﬀﬀﬀﬀﬀ',
    ];
    const lost = await arm(strict.key);
    await world().byAdmin('DELETE', `/users/${lost.id}/factors`);
    for (const text of texts) {
      const outcome = outcomeOf(await steps.logIn({ ...(await steps.prove(person)), recoveryCode: text }));
      expect(['credentials_wrong', 'params_invalid'], text).toContain(outcome);
      const enrolled = await steps.enrol(await steps.prove(lost), { enrolmentCode: text });
      expect(['credentials_wrong', 'params_invalid'], text).toContain(outcomeOf(enrolled));
    }
    const left = await query('select 1 from recovery_codes where user_id = $1 and used_at is null', [
      person.id,
    ]);
    expect(left).toHaveLength(person.recoveryCodes.length);
    const recoveryCode = person.recoveryCodes[0];
    expect(outcomeOf(await steps.logIn({ ...(await steps.prove(person)), recoveryCode }))).toBe('in');
  });

  it('with more than a step has is refused, and what is beside a password proves nothing', async () => {
    const { steps } = world();
    const armed = await arm();
    const { username, secret, recoveryCodes } = armed;
    const [otp, recoveryCode] = [codeAt(secret), recoveryCodes[0]];
    const step = await steps.prove(armed);
    for (const more of [
      { userId: 1 },
      { username: 'ada' },
      { factor: 3 },
      { method: 'passkey' },
      { passed: ['totp'] },
      { credentialId: 1 },
      { enrolmentCode: recoveryCode },
      { recoveryCode },
    ])
      expectLoginRefusal(await steps.logIn({ ...step, otp, ...more }), 'params_invalid');
    // Login itself is open for more fields, as go-admin's front ends send them: none of them counts.
    const extra = { otp, recoveryCode, factor: 3, passed: ['totp'], method: 'totp', credentialId: 1 };
    const { body } = await steps.logIn({ ...(await steps.solve()), username, password, ...extra });
    expect(body).not.toHaveProperty('token');
    expect(outcomeOf(await steps.logIn({ ...step, otp }))).toBe('in');
  });
});

describe('T149 the first step', () => {
  it('is refused in the same words for everybody, and so is what follows', async () => {
    const { service, steps, byAdmin, strict, addRole } = world();
    const { database } = service;
    const retired = await addRole();
    const [plain, armed, due, disabled, ofRetired] = [
      await addPerson(database),
      await arm(),
      await addPerson(database, strict.key),
      await arm(),
      await arm(retired.key),
    ];
    await byAdmin('PUT', `/users/${disabled.id}/enabled`, { enabled: false });
    await byAdmin('PUT', `/roles/${retired.id}/enabled`, { enabled: false });
    const seen = new Set<string>();
    for (const [username, secret] of [
      [`n${randomBytes(8).toString('hex')}`, password],
      [plain.username, 'wrong'],
      [armed.username, 'wrong'],
      [due.username, 'wrong'],
      [disabled.username, password],
      [ofRetired.username, password],
    ] as const) {
      const step = await steps.begin();
      const shown: Answer[] = [];
      shown.push(await steps.logIn({ ...step, username, password: secret }));
      shown.push(await steps.logIn({ ...step, otp: codeAt(armed.secret) }));
      shown.push(await steps.logIn({ ...step, recoveryCode: armed.recoveryCodes[0] }));
      shown.push(await steps.enrol(step));
      seen.add(JSON.stringify(shown.map(appearanceOf)));
    }
    expect([...seen]).toHaveLength(1);
    expect([...seen][0]).toContain('credentials_wrong');
    // The search would see a difference: who knows the password is told of the next step.
    expect((await steps.prove(armed)).flowId).toMatch(/^[\w-]{43}$/);
  });

  it('begins alike for everybody: no name is asked for, and what can prove a login is one list', async () => {
    const { service, steps } = world();
    const methods = await service.send({ path: '/api/v1/login/methods' });
    const { username } = await arm();
    for (const query of ['', `?username=${username}`, '?username=nobody']) {
      const answer = await service.send({ path: `/api/v1/login/methods${query}` });
      expect(answer.body.data).toEqual(methods.body.data);
    }
    const named = { ...(await steps.solve()), username };
    const begun = await service.send({ method: 'POST', path: '/api/v1/login/begin', body: named });
    expectLoginRefusal(begun, 'params_invalid');
  });
});

describe('T21: from a foreign page', () => {
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
  const forms = ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain', ''];

  it('T21: no login is begun, carried on or enrolled, and no other site reads an answer', async () => {
    const { service, steps, strict } = world();
    const [armed, due] = [await arm(), await addPerson(service.database, strict.key)];
    const step = await steps.prove(armed);
    const bodies: [path: string, body: object][] = [
      ['/begin', await steps.solve()],
      ['', { ...step, otp: codeAt(armed.secret) }],
      ['/enrol', { ...(await steps.prove(due)), kind: 'totp' }],
    ];
    for (const [path, body] of bodies) {
      const request: Request = { method: 'POST', path: `/api/v1/login${path}`, text: JSON.stringify(body) };
      for (const type of forms) {
        const headers = { ...foreign, 'content-type': type };
        const answer = await service.send({ ...request, headers });
        expect([answer.status, answer.headers['set-cookie']], type).toEqual([415, undefined]);
      }
      const asked = {
        ...foreign,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      };
      const preflight = await service.send({ ...request, method: 'OPTIONS', text: '', headers: asked });
      expect(preflight.status).toBe(404);
      // The same from our own page.
      const headers = { 'content-type': 'application/json' };
      expect((await service.send({ ...request, headers })).body.code, path).toBe(200);
    }
  });

  it('T21: no factor is set up, removed or taken with the cookie of a visitor', async () => {
    const { service, byAdmin, steps } = world();
    const person = await arm();
    const { body } = await steps.complete(person);
    const id = (
      (await query('select id::int from credentials where user_id = $1', [person.id])) as { id: number }[]
    )[0]?.id;
    const call = (method: string, path: string, content: object | undefined, headers: object) =>
      service.send(
        present(String(body.token), 'cookie', {
          method,
          path: `/api/v1${path}`,
          headers: { ...headers },
          ...(content && { body: content }),
        }),
      );
    for (const [method, path, content] of [
      ['POST', '/user/factors/totp', { oldPassword: password }],
      ['PUT', `/user/factors/${id}/confirmed`, { otp: '000000' }],
      ['POST', '/user/recovery-codes', { oldPassword: password }],
      ['PUT', `/user/factors/${id}/ended`, { oldPassword: password }],
    ] as const) {
      expect(outcomeOf(await call(method, path, content, foreign)), path).toBe('cross_site');
      if (!path.endsWith('confirmed'))
        expect((await call(method, path, content, { 'sec-fetch-site': 'same-origin' })).body.code, path).toBe(
          200,
        );
    }
    const ada = await service.tokenOf('ada');
    const taking = { method: 'DELETE', path: `/api/v1/users/${person.id}/factors` };
    expect(outcomeOf(await service.send(present(ada, 'cookie', { ...taking, headers: foreign })))).toBe(
      'cross_site',
    );
    await byAdmin('DELETE', `/users/${person.id}/factors`);
  });
});

/** Without what is of the request alone. */
function appearanceOf({ status, headers, text }: Answer) {
  const { date: _date, 'x-request-id': _id, ...rest } = headers;
  return { status, headers: rest, text };
}
