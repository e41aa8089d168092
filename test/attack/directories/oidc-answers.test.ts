// Threats, the company's directory: answers of OpenID providers that are made up, of another person, or lies. Beside each is the
// same login without the lie, which is let in; the controls are in test/weaknesses/oidc.ts.
import { createHmac, randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../rig/http-client.ts';
import type { Claims, Lie } from '../../rig/made-up-provider.ts';
import { password } from '../../rig/seed.ts';
import { expectAttackFails, failIfAttackSucceeded } from '../../weaknesses/attack.ts';
import { addArmed, addPerson } from '../sign-in-methods/people.ts';
import { codeAt } from '../sign-in-methods/totp-clock.ts';
import { type Journey, outcomeOf, settingsOf, useOidcWorld } from './oidc-world.ts';

const world = await useOidcWorld();
const seconds = () => Math.floor(Date.now() / 1000);
const refusals = ['credentials_wrong', 'captcha_wrong', 'params_invalid'];
/** An attack whose success is a login. */
function expectRefused(answer: Answer): void {
  expectAttackFails(outcomeOf(answer), { success: 'in', failure: refusals });
}

describe('T164 an answer that no login requested', () => {
  /** What is sent, of the victim's journey, its own answer, and the journey of the attacker. */
  const misuses: [
    what: string,
    send: (
      own: Journey,
      answer: string,
      attacker: Journey,
      theirs: string,
      victim: string,
    ) => Promise<Answer>,
  ][] = [
    ['of the attacker’s own journey', (own, _answer, _attacker, theirs) => world().finish(own, theirs)],
    ['without a state', (own, answer) => world().finish(own, without(answer, 'state'))],
    ['with an empty state', (own, answer) => world().finish(own, changed(answer, 'state', ''))],
    ['with another state', (own, answer) => world().finish(own, changed(answer, 'state', random()))],
    ['with two states', (own, answer) => world().finish(own, `${answer}&state=${random()}`)],
    ['with two codes', (own, answer) => world().finish(own, `${answer}&code=${random()}`)],
    [
      'with an ID token in the place of the code',
      async (own, answer, _attacker, _theirs, victim) => {
        const { made } = world().first;
        const times = { iat: seconds(), exp: seconds() + 300 };
        const token = await made.sign({ iss: made.issuer, aud: made.clientId, sub: victim, ...times });
        return await world().finish(own, `${without(answer, 'code')}&id_token=${token}`);
      },
    ],
    [
      'with the code of another person and the own state',
      (own, answer, _attacker, theirs) =>
        world().finish(own, changed(answer, 'code', partOf(theirs, 'code'))),
    ],
    [
      'that says that access was denied',
      (own, answer) => world().finish(own, `${answer}&error=access_denied`),
    ],
    [
      'with the handle of the attacker’s attempt',
      (own, answer, attacker) => world().finish(own, answer, { flowId: attacker.flowId }),
    ],
    [
      'at an attempt that was begun without a provider',
      async (own, answer) => {
        const captcha = await world().service.solvedCaptcha();
        const { body } = await world().service.send({
          method: 'POST',
          path: '/api/v1/login/begin',
          body: captcha,
        });
        const { flowId } = body.data as { flowId: string };
        return await world().finish(own, answer, { flowId, ...captcha });
      },
    ],
    [
      'at an attempt that expired',
      async (own, answer) => {
        await world().service.database.query(
          'update login_attempts set expires_at = now() where handle_hash = sha256($1)',
          [own.flowId],
        );
        return await world().finish(own, answer);
      },
    ],
    ['without the captcha', (own, answer) => world().finish(own, answer, { code: undefined })],
    ['with another captcha', (own, answer) => world().finish(own, answer, { code: 'AAAAA' })],
  ];

  it.each(misuses)('%s admits no login, and the own one does', async (_what, send) => {
    const { first, addLinked, begin, finish } = world();
    const [victim, attacker] = [await addLinked(), await addLinked()];
    const [own, theirs] = [await begin(), await begin()];
    const answer = first.made.answer(own.url, { sub: victim.subject });
    const stolen = first.made.answer(theirs.url, { sub: attacker.subject });
    expectRefused(await send(own, answer, theirs, stolen, victim.subject));
    const again = await begin();
    const right = await finish(again, first.made.answer(again.url, { sub: victim.subject }));
    expect(outcomeOf(right), right.text).toBe('in');
  });

  it('sent twice logs in once, and on another attempt never', async () => {
    const { first, addLinked, begin, finish } = world();
    const { subject } = await addLinked();
    const journey = await begin();
    const answer = first.made.answer(journey.url, { sub: subject }, { keepsCode: true });
    expect(outcomeOf(await finish(journey, answer))).toBe('in');
    expectRefused(await finish(journey, answer));
    expectRefused(await finish(await begin(), answer));
  });

  it('of a link is none for a login, and that of a login none for a link', async () => {
    const { first, addLinked, begin, finish, as, service } = world();
    const person = await addPerson(service.database);
    const send = await as(person);
    const { subject } = await addLinked();
    const login = await begin();
    const begun = await send('POST', '/user/provider-links/begin', {
      provider: first.key,
      oldPassword: password,
    });
    const { flowId, url } = begun.body.data as { flowId: string; url: string };
    expectRefused(await finish(login, first.made.answer(url, { sub: subject })));
    expectRefused(await finish(login, first.made.answer(url, { sub: subject }), { flowId }));
    const crossed = first.made.answer((await begin()).url, { sub: 'nobody' });
    const linked = outcomeOf(await send('POST', '/user/provider-links', { flowId, answer: crossed }));
    expectAttackFails(linked, { success: '200', failure: refusals });
    const { data } = (
      await send('POST', '/user/provider-links/begin', { provider: first.key, oldPassword: password })
    ).body as { data: { flowId: string; url: string } };
    const own = first.made.answer(data.url, { sub: `own-${random()}` });
    expect((await send('POST', '/user/provider-links', { flowId: data.flowId, answer: own })).body.code).toBe(
      200,
    );
  });

  it('of a link is taken by the session alone that began it', async () => {
    const { first, as, service } = world();
    const [person, other] = [await addPerson(service.database), await addPerson(service.database)];
    const [send, sendOther] = [await as(person), await as(other)];
    const sendLater = await as(person);
    const link = async (finish: typeof send) => {
      const begun = await send('POST', '/user/provider-links/begin', {
        provider: first.key,
        oldPassword: password,
      });
      const { flowId, url } = begun.body.data as { flowId: string; url: string };
      const answer = first.made.answer(url, { sub: `own-${random()}` });
      return (await finish('POST', '/user/provider-links', { flowId, answer })).body.code;
    };
    for (const thief of [sendOther, sendLater])
      expectAttackFails(await link(thief), { success: 200, failure: 400 });
    expect(await link(send)).toBe(200);
  });
});

describe('T165 the answer of another provider', () => {
  const mixUps: [what: string, lie: Lie][] = [
    ['without the issuer that is announced', { answer: (query) => query.delete('iss') }],
    ['with the issuer of another one', { answer: (query) => query.set('iss', world().second.made.issuer) }],
    [
      'with an issuer that looks alike',
      { answer: (query) => query.set('iss', `${world().first.made.issuer}/`) },
    ],
  ];
  it.each(mixUps)('%s is refused, and with the own one taken', async (_what, lie) => {
    const { addLinked, signIn } = world();
    const { subject } = await addLinked();
    expectRefused(await signIn(subject, lie));
    expect(outcomeOf(await signIn(subject))).toBe('in');
  });

  it('at the attempt of the first, under either key, is refused', async () => {
    const { first, second, addLinked, begin, finish } = world();
    const { subject } = await addLinked();
    await addLinked(second, subject);
    for (const key of [second.key, first.key]) {
      const journey = await begin();
      const answer = second.made.answer(journey.url, { sub: subject });
      expectRefused(await finish(journey, answer, { provider: key }));
    }
    const journey = await begin();
    const right = first.made.answer(journey.url, { sub: subject });
    expectRefused(await finish(journey, right, { provider: second.key }));
  });

  it('has no redirect address in common with it', async () => {
    const { first, second, byAdmin, service } = world();
    const settings = settingsOf(second.made, first.key);
    const body = { key: 'third', kind: 'oidc', name: 'Third', settings };
    const token = await service.tokenOf('ada');
    const answer = await service.send({
      method: 'POST',
      path: '/api/v1/providers',
      headers: { authorization: `Bearer ${token}` },
      body,
    });
    expectAttackFails(answer.body.code, { success: 200, failure: 409 });
    const own = settingsOf(second.made, 'third');
    const { body: made } = await byAdmin('POST', '/providers', { ...body, settings: own });
    await byAdmin('DELETE', `/providers/${(made.data as { id: number }).id}`);
  });
});

describe('T166 an ID token', () => {
  const foreignKey = generateKeyPair('ES256', { extractable: true });
  const signWith = async (key: Parameters<SignJWT['sign']>[0], claims: Claims, kid: string) =>
    await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid }).sign(key);
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

  const lies: [what: string, lie: Lie][] = [
    ['with another nonce', { claims: { nonce: 'another' } }],
    ['without a nonce', { claims: { nonce: undefined } }],
    ['for another client', { claims: { aud: 'another' } }],
    ['for several clients and authorised for another', { claims: { aud: ['portcullis', 'b'], azp: 'b' } }],
    ['of another issuer', { claims: { iss: 'https://evil.example' } }],
    ['that has expired', { claims: { iat: seconds() - 600, exp: seconds() - 300 } }],
    ['that never expires', { claims: { exp: undefined } }],
    ['without a signature', { sign: (claims) => `${encoded({ alg: 'none' })}.${encoded(claims)}.` }],
    [
      'signed with the secret of the client',
      {
        sign: (claims) => {
          const text = `${encoded({ alg: 'HS256', kid: world().first.made.publicKey().kid })}.${encoded(claims)}`;
          return `${text}.${createHmac('sha256', world().first.made.secret).update(text).digest('base64url')}`;
        },
      },
    ],
    [
      'signed with the public key as a secret',
      {
        sign: (claims) => {
          const key = JSON.stringify(world().first.made.publicKey());
          const text = `${encoded({ alg: 'HS256', kid: world().first.made.publicKey().kid })}.${encoded(claims)}`;
          return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
        },
      },
    ],
    [
      'signed with another key under the known id',
      {
        sign: async (claims) =>
          await signWith((await foreignKey).privateKey, claims, String(world().first.made.publicKey().kid)),
      },
    ],
    [
      'that brings its own key along',
      {
        sign: async (claims) => {
          const { privateKey, publicKey } = await foreignKey;
          return await new SignJWT(claims)
            .setProtectedHeader({ alg: 'ES256', jwk: await exportJWK(publicKey) })
            .sign(privateKey);
        },
      },
    ],
    [
      'changed after it was signed',
      {
        sign: async (claims) => {
          const [header, , signature] = (await world().first.made.sign({ ...claims, sub: 'other' })).split(
            '.',
          );
          return `${header}.${encoded(claims)}.${signature}`;
        },
      },
    ],
    ['of the other provider’s key', { sign: (claims) => world().second.made.sign(claims) }],
    [
      'that is not there',
      {
        token: (_request, response) =>
          response
            .writeHead(200, { 'content-type': 'application/json' })
            .end(JSON.stringify({ access_token: 'x', token_type: 'Bearer' })),
      },
    ],
  ];

  it.each(lies)('%s is refused, and a right one taken', async (_what, lie) => {
    const { addLinked, signIn } = world();
    const { subject } = await addLinked();
    expectRefused(await signIn(subject, lie));
    expect(outcomeOf(await signIn(subject))).toBe('in');
  });

  /** Whom a naive reader takes it for; that one is linked. */
  const subjects: [what: string, claims: Claims, naive: string][] = [
    ['without a subject', { sub: undefined }, 'undefined'],
    ['whose subject is empty', { sub: '', preferred_username: 'fallback' }, 'fallback'],
    ['whose subject is no text', { sub: 7 }, '7'],
    ['whose subject is longer than any', { sub: 'x'.repeat(300) }, 'x'.repeat(255)],
    ['whose subject holds a NUL', { sub: 'a\u0000b' }, 'ab'],
  ];
  it.each(subjects)('%s is refused, and the one that it looks like taken', async (_what, lie, naive) => {
    const { addLinked, signIn, first } = world();
    await addLinked(first, naive);
    expectRefused(await signIn(naive, { claims: lie }));
    expect(outcomeOf(await signIn(naive))).toBe('in');
  });
});

describe('T167 a person of another tenant', () => {
  const claims: [what: string, claim: 'tid' | 'hd', value: unknown][] = [
    ['of Entra', 'tid', 'another-tenant'],
    ['of Entra that is not named', 'tid', undefined],
    ['of Entra in a list with the own one', 'tid', ['own', 'another']],
    ['of Google', 'hd', 'evil.example'],
    ['of Google without a company', 'hd', undefined],
    ['of Google that only ends alike', 'hd', 'notown'],
  ];
  it.each(claims)('%s is refused, and one of the own let in', async (_what, claim, value) => {
    const { first, addAnother, addLinked, signIn } = world();
    const { subject } = await addLinked();
    expect(outcomeOf(await signIn(subject, {}, first, { [claim]: value }))).toBe('in');
    const pinned = await addAnother({}, { tenant: { claim, value: 'own' } });
    await addLinked(pinned, subject);
    expectRefused(await signIn(subject, {}, pinned, { [claim]: value }));
    expect(outcomeOf(await signIn(subject, {}, pinned, { [claim]: 'own' }))).toBe('in');
  });
});

describe('T168 the account of another user', () => {
  const disguises: [what: string, claims: (username: string, subject: string, id: number) => Claims][] = [
    [
      'by the mail address',
      (username) => ({ sub: random(), email: `${username}@example.com`, email_verified: true }),
    ],
    ['by the username', (username) => ({ sub: random(), preferred_username: username, name: username })],
    ['by the username as the subject', (username) => ({ sub: username })],
    ['by the subject in capitals', (_username, subject) => ({ sub: subject.toUpperCase() })],
    ['by the subject with a space', (_username, subject) => ({ sub: `${subject} ` })],
    ['by the subject with a look-alike', (_username, subject) => ({ sub: subject.replace('s', 'ѕ') })],
    ['by the subject in its wide form', (_username, subject) => ({ sub: subject.replace('s', 'ｓ') })],
    ['by its id here', (_username, _subject, id) => ({ sub: String(id) })],
  ];
  it.each(disguises)('is not entered %s, but by its own subject', async (_what, disguise) => {
    const { addLinked, signIn, first } = world();
    const { id, username, subject } = await addLinked();
    const claims = disguise(username, subject, id);
    const answer = await signIn(String(claims.sub), {}, first, claims);
    failIfAttackSucceeded(outcomeOf(answer) === 'in', 'another person enters the account');
    expect([outcomeOf(answer), answer.body.msg], answer.text).toEqual([
      'credentials_wrong',
      expect.stringMatching(/is not linked to an account of this service/),
    ]);
    expect(outcomeOf(await signIn(subject))).toBe('in');
  });

  it('is not entered by the same subject at another provider', async () => {
    const { addLinked, signIn, second } = world();
    const { subject } = await addLinked();
    expectRefused(await signIn(subject, {}, second));
    expect(outcomeOf(await signIn(subject))).toBe('in');
  });

  it('is not entered without its second factor, and the session of both ends with the link', async () => {
    const { addLinked, first, begin, finish, byAdmin, isAlive, service } = world();
    const person = await addArmed(service.database);
    const linked = await addLinked(first, undefined, person);
    const journey = await begin();
    const refused = await finish(journey, first.made.answer(journey.url, { sub: linked.subject }));
    expectAttackFails(outcomeOf(refused), { success: 'in', failure: 'factor_required' });
    expect(refused.body.details).toMatchObject({ methods: ['totp', 'recovery'], enrol: [] });
    const { flowId, uuid, code } = journey;
    const answer = await service.postLogin({ flowId, uuid, code, otp: codeAt(person.secret) });
    expect(outcomeOf(answer), answer.text).toBe('in');
    await byAdmin('DELETE', `/users/${person.id}/provider-links/${linked.linkId}`);
    failIfAttackSucceeded(await isAlive(answer), 'the session outlives its link');
  });

  it('sets up no factor in the place of one that was taken away, without the code for it', async () => {
    const { addLinked, first, begin, finish, byAdmin, service } = world();
    const { body } = await byAdmin('POST', '/roles', { roleKey: 'strict', name: 'Strict', dataScope: '5' });
    const person = await addArmed(service.database, 'strict');
    const linked = await addLinked(first, undefined, person);
    await byAdmin('PUT', `/roles/${(body.data as { id: number }).id}/required-factor`, { requiredFactor: 2 });
    await byAdmin('DELETE', `/users/${person.id}/factors`);
    const journey = await begin();
    const refused = await finish(journey, first.made.answer(journey.url, { sub: linked.subject }));
    expect(refused.body.details).toMatchObject({ enrol: ['totp'], codeRequired: true });
    const { flowId, uuid, code } = journey;
    const enrol = { flowId, uuid, code, kind: 'totp' };
    const answer = await service.send({ method: 'POST', path: '/api/v1/login/enrol', body: enrol });
    expectAttackFails(outcomeOf(answer), { success: '200', failure: 'credentials_wrong' });
  });

  it('is not entered once it is disabled or deleted', async () => {
    const { addLinked, signIn, byAdmin } = world();
    const { id, subject } = await addLinked();
    await byAdmin('PUT', `/users/${id}/enabled`, { enabled: false });
    expectRefused(await signIn(subject));
    await byAdmin('PUT', `/users/${id}/enabled`, { enabled: true });
    expect(outcomeOf(await signIn(subject))).toBe('in');
    await byAdmin('DELETE', `/users/${id}`);
    expectRefused(await signIn(subject));
  });

  it('has no invitation where it is of a program', async () => {
    const { tryByAdmin, byAdmin, first, service } = world();
    const person = await addPerson(service.database);
    const [program] = await service.database.query<{ id: number }>(
      `insert into users (username, canonical_username, nick_name, department_id, role_id, password_hash, kind)
       values ($1, $1, $1, 1, 5, '!', 'service') returning id::int`,
      [random()],
    );
    await byAdmin('PUT', `/providers/${first.id}`, { provisioning: 'invited' });
    const invite = { providerId: first.id };
    const refused = await tryByAdmin('POST', `/users/${program?.id}/link-invitations`, invite);
    const taken = await tryByAdmin('POST', `/users/${person.id}/link-invitations`, invite);
    await byAdmin('PUT', `/providers/${first.id}`, { provisioning: 'linked' });
    failIfAttackSucceeded(refused.body.code === 200, 'a program is invited');
    expect(taken.body.code, taken.text).toBe(200);
  });

  it('is not linked by an invitation of another provider, an expired one, or one that was used', async () => {
    const { first, second, byAdmin, begin, finish, service } = world();
    for (const { id } of [first, second])
      await byAdmin('PUT', `/providers/${id}`, { provisioning: 'invited' });
    const person = await addPerson(service.database);
    const invite = async (providerId: number) => {
      const { body } = await byAdmin('POST', `/users/${person.id}/link-invitations`, { providerId });
      return (body.data as { invitation: string }).invitation;
    };
    const use = async (invitation: string) => {
      const journey = await begin();
      return await finish(journey, first.made.answer(journey.url, { sub: random() }), { invitation });
    };
    expectRefused(await use(await invite(second.id)));
    const expired = await invite(first.id);
    await service.database.query('update link_invitations set expires_at = now()');
    expectRefused(await use(expired));
    const [good, replaced] = [await invite(first.id), await invite(first.id)];
    expectRefused(await use(good));
    expect(outcomeOf(await use(replaced))).toBe('in');
    expectRefused(await use(replaced));
    await byAdmin('PUT', `/providers/${first.id}`, { provisioning: 'linked' });
  });
});

function random(): string {
  return randomBytes(16).toString('base64url');
}

function without(answer: string, name: string): string {
  const query = new URLSearchParams(answer);
  query.delete(name);
  return query.toString();
}

function changed(answer: string, name: string, value: string): string {
  const query = new URLSearchParams(answer);
  query.set(name, value);
  return query.toString();
}

function partOf(answer: string, name: string): string {
  return new URLSearchParams(answer).get(name) ?? '';
}
