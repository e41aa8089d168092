// Threats, the company's directory: providers that hang, flood, send elsewhere or change their keys; addresses that lead inwards;
// logout tokens that are none; and who may say where people are vouched for. Beside each is what succeeds without it; the
// controls are in test/weaknesses/oidc.ts.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Answer } from '../../rig/http-client.ts';
import type { Claims, Lie } from '../../rig/made-up-provider.ts';
import { rulesInForce } from '../../rig/rules-in-force.ts';
import { password } from '../../rig/seed.ts';
import { expectAttackFails, failIfAttackSucceeded } from '../../weaknesses/attack.ts';
import { addPerson } from '../sign-in-methods/people.ts';
import { crowd } from './journeys.ts';
import { outcomeOf, settingsOf, useOidcWorld } from './oidc-world.ts';

const world = await useOidcWorld();
const seconds = () => Math.floor(Date.now() / 1000);
const json = { 'content-type': 'application/json' };

describe('T169 a provider that misbehaves', () => {
  const conducts: [what: string, expected: string, token: NonNullable<Lie['token']>][] = [
    ['hangs', 'unavailable', () => {}],
    ['hangs up', 'unavailable', (request) => void request.socket.destroy()],
    [
      'answers byte by byte',
      'unavailable',
      (_request, response) => {
        response.writeHead(200, json);
        const timer = setInterval(() => response.write(' '), 100);
        response.on('close', () => clearInterval(timer));
      },
    ],
    [
      'answers megabytes',
      'unavailable',
      (_request, response) => {
        response.writeHead(200, json);
        const piece = `"${'x'.repeat(65_536)}",`;
        let left = 500;
        const pour = () => {
          while (!response.destroyed && left > 0 && response.write(piece)) left -= 1;
          if (left === 0) response.end('""]');
          else if (!response.destroyed) response.once('drain', pour);
        };
        response.write('[');
        pour();
      },
    ],
    ['fails', 'unavailable', (_request, response) => response.writeHead(502).end()],
    [
      'sends elsewhere',
      'unavailable',
      (_request, response) =>
        response.writeHead(307, { location: `${world().second.made.issuer}/token` }).end(),
    ],
    [
      'answers no JSON',
      'credentials_wrong',
      (_request, response) => response.writeHead(200, json).end('<html>'),
    ],
    [
      'answers JSON that is no object',
      'credentials_wrong',
      (_request, response) => response.writeHead(200, json).end('[]'),
    ],
  ];
  it.each(conducts)(
    'and %s admits no login, within its time; the next login works',
    async (_what, expected, token) => {
      const { addLinked, signIn } = world();
      const { subject } = await addLinked();
      expect(outcomeOf(await signIn(subject))).toBe('in');
      const startedAt = performance.now();
      const outcome = outcomeOf(await signIn(subject, { token }));
      const taken = (performance.now() - startedAt) / 1000;
      failIfAttackSucceeded(taken >= 6, `the login is held for ${taken} s`);
      expectAttackFails(outcome, { success: 'in', failure: expected });
      expect(outcomeOf(await signIn(subject))).toBe('in');
    },
  );

  it('and hangs keeps out its own people, and neither those of another one nor passwords', async () => {
    const { addLinked, begin, finish, signIn, first, second, service } = world();
    const [stuck, other] = [await addLinked(), await addLinked(second)];
    const asked = () => first.made.asked.filter((path) => path === '/token').length;
    const outcomes = await crowd(begin, async (linkFlow) => {
      const before = asked();
      const waiting = linkFlow.map((journey) =>
        finish(journey, first.made.answer(journey.url, { sub: stuck.subject }, { token: () => {} })),
      );
      await expect.poll(asked, { timeout: 10_000 }).toBeGreaterThan(before);
      const atOther = outcomeOf(await signIn(other.subject, {}, second));
      expectAttackFails(atOther, { success: 'rate_limited', failure: 'in' });
      expect(outcomeOf(await service.logIn('carl'))).toBe('in');
      return await Promise.all(waiting);
    });
    failIfAttackSucceeded(!outcomes.includes('rate_limited'), 'any number waits for one provider');
    expect(outcomes.filter((outcome) => outcome === 'unavailable').length).toBeGreaterThan(20);
    expect(outcomes).not.toContain('in');
    expect(outcomeOf(await signIn(stuck.subject))).toBe('in');
  });

  it('and changes its keys is believed by the new ones at once, and by the old ones no more', async () => {
    const { addLinked, signIn, first } = world();
    const { subject } = await addLinked();
    expect(outcomeOf(await signIn(subject))).toBe('in');
    const before = first.made.signer();
    // Longer than keys are not asked for again.
    await sleep(1100);
    await first.made.rotate();
    expect(outcomeOf(await signIn(subject))).toBe('in');
    const byOldKey = outcomeOf(await signIn(subject, { sign: before }));
    expectAttackFails(byOldKey, { success: 'in', failure: 'credentials_wrong' });
  });
});

describe('T170 an address in the private network', () => {
  const create = async (issuer: string) => {
    const { service, first } = world();
    const headers = { authorization: `Bearer ${await service.tokenOf('ada')}` };
    const key = `inner${randomBytes(4).toString('hex')}`;
    const body = { key, kind: 'oidc', name: 'Inner', settings: { ...settingsOf(first.made, key), issuer } };
    return await service.send({ method: 'POST', path: '/api/v1/providers', headers, body });
  };
  const plain: [what: string, issuer: string][] = [
    ['without TLS', 'http://sso.example.com'],
    ['of a file', 'file:///etc/passwd'],
    ['with a user', 'https://user:secret@sso.example.com'],
    ['with a query', 'https://sso.example.com/?next=https://evil.example'],
    ['with a fragment', 'https://sso.example.com/#x'],
  ];
  it.each(plain)('%s is not stored', async (_what, issuer) => {
    const refused = await create(issuer);
    expectAttackFails(refused.body.code, { success: 200, failure: 400 });
  });

  const inner: [what: string, issuer: string][] = [
    ['of the cloud’s metadata', 'https://169.254.169.254'],
    ['of the same in decimal digits', 'https://2852039166'],
    ['of the same inside an IPv6 address', 'https://[::ffff:169.254.169.254]'],
    ['of a private network', 'https://10.0.0.1'],
    ['of another private network', 'https://192.168.1.1'],
    ['of no network', 'https://0.0.0.0'],
    ['of a link', 'https://[fe80::1]'],
    ['of a local IPv6 network', 'https://[fd00::1]'],
  ];
  it.each(inner)('%s is never asked, and its provider not enabled', async (_what, issuer) => {
    const { byAdmin, service, first } = world();
    // At the port of a provider that answers, where a control leads to this host.
    const { port } = new URL(first.made.issuer);
    const asked = first.made.asked.length;
    const made = await create(`${issuer}:${port}`);
    const { id } = made.body.data as { id: number };
    const { data } = (await byAdmin('POST', `/providers/${id}/check`)).body as {
      data: { ok: boolean; findings: { text: string }[] };
    };
    failIfAttackSucceeded(first.made.asked.length > asked, 'the address is asked');
    expect(data.ok).toBe(false);
    expect(data.findings[0]?.text).toMatch(/not public/);
    const headers = { authorization: `Bearer ${await service.tokenOf('ada')}` };
    const path = `/api/v1/providers/${id}/enabled`;
    const enabled = await service.send({ method: 'PUT', path, headers, body: { enabled: true } });
    expect(enabled.body.code).toBe(409);
    await byAdmin('DELETE', `/providers/${id}`);
  });

  /** It leads to the provider itself, and is none that a provider may be at. */
  const inwards = () => world().first.made.issuer.replace('localhost', '0.0.0.0');
  const documents: [what: string, document: () => Claims][] = [
    ['keys at an inner address', () => ({ jwks_uri: `${inwards()}/keys` })],
    ['keys without TLS', () => ({ jwks_uri: `${world().first.made.plainAddress}/keys` })],
    ['an inner address to redeem codes at', () => ({ token_endpoint: `${inwards()}/token` })],
    [
      'an address without TLS to redeem codes at',
      () => ({ token_endpoint: `${world().first.made.plainAddress}/token` }),
    ],
    [
      'an address without TLS to sign in at',
      () => ({ authorization_endpoint: 'http://sso.example.com/authorize' }),
    ],
    ['another issuer', () => ({ issuer: 'https://evil.example' })],
    ['no keys', () => ({ jwks_uri: undefined })],
  ];
  it.each(documents)(
    'and a discovery document with %s admits no login; the right one does',
    async (_what, document) => {
      const { first, byAdmin, addLinked, begin, finish, service } = world();
      const { subject } = await addLinked();
      const anew = async () => {
        // Other settings, so that it is asked anew.
        const settings = settingsOf(first.made, first.key, { scopes: [`s${Math.random()}`] });
        await byAdmin('PUT', `/providers/${first.id}`, { settings });
      };
      const attempt = async (): Promise<Answer> => {
        const captcha = await service.solvedCaptcha();
        const body = { ...captcha, provider: first.key };
        const begun = await service.send({ method: 'POST', path: '/api/v1/login/begin', body });
        const { flowId: handle, url } = (begun.body.data ?? {}) as { flowId?: string; url?: string };
        if (handle === undefined || url === undefined) return begun;
        const answer = first.made.answer(url, { sub: subject });
        return await service.postLogin({ ...captcha, flowId: handle, provider: first.key, answer });
      };
      first.made.document = document();
      await anew();
      const outcome = outcomeOf(await attempt());
      first.made.document = {};
      failIfAttackSucceeded(outcome === 'in', 'the login succeeds');
      await anew();
      const journey = await begin();
      expect(outcomeOf(await finish(journey, first.made.answer(journey.url, { sub: subject })))).toBe('in');
    },
  );
});

describe('T171 a logout token', () => {
  const expectLogoutRefused = (status: number) => expectAttackFails(status, { success: 200, failure: 400 });
  /** What is so within ten seconds. */
  async function isSoon(check: () => Promise<boolean>): Promise<boolean> {
    for (const until = performance.now() + 10_000; performance.now() < until; await sleep(50))
      if (await check()) return true;
    return false;
  }
  const lies: [what: string, make: (claims: Claims) => Promise<string>][] = [
    ['for another client', (claims) => world().first.made.logoutToken({ ...claims, aud: 'another' })],
    [
      'of another issuer',
      (claims) => world().first.made.logoutToken({ ...claims, iss: 'https://evil.example' }),
    ],
    ['with a nonce', (claims) => world().first.made.logoutToken({ ...claims, nonce: 'n' })],
    ['without its event', (claims) => world().first.made.logoutToken({ ...claims, events: {} })],
    ['without events', (claims) => world().first.made.logoutToken({ ...claims, events: undefined })],
    ['without an id', (claims) => world().first.made.logoutToken({ ...claims, jti: undefined })],
    ['without a time', (claims) => world().first.made.logoutToken({ ...claims, iat: undefined })],
    [
      'of long ago',
      (claims) => world().first.made.logoutToken({ ...claims, iat: seconds() - 1000, exp: undefined }),
    ],
    ['that expired', (claims) => world().first.made.logoutToken({ ...claims, exp: seconds() - 120 })],
    ['that names no person', () => world().first.made.logoutToken({})],
    ['of another type', (claims) => world().first.made.logoutToken(claims, { typ: 'at+jwt' })],
    [
      'signed by another provider',
      (claims) => world().second.made.logoutToken({ ...claims, iss: world().first.made.issuer }),
    ],
    [
      'without a signature',
      async (claims) => {
        const [, payload] = (await world().first.made.logoutToken(claims)).split('.');
        return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
      },
    ],
    [
      'that is an ID token',
      (claims) =>
        world().first.made.sign({
          iss: world().first.made.issuer,
          aud: world().first.made.clientId,
          iat: seconds(),
          exp: seconds() + 60,
          jti: 'j',
          ...claims,
        }),
    ],
  ];
  it.each(lies)('%s ends nothing and is answered with 400; a right one ends it', async (_what, make) => {
    const { addLinked, signIn, sendLogout, isAlive, first } = world();
    const { subject } = await addLinked();
    const sid = `sid-${subject}`;
    const session = await signIn(subject, {}, first, { sid });
    expectLogoutRefused(await sendLogout(await make({ sub: subject, sid })));
    expect(await isAlive(session)).toBe(true);
    expect(await sendLogout(await first.made.logoutToken({ sub: subject, sid }))).toBe(200);
    expect(await isAlive(session)).toBe(false);
  });

  it('that was used before ends nothing more', async () => {
    const { addLinked, signIn, sendLogout, isAlive, first } = world();
    const { subject } = await addLinked();
    const token = await first.made.logoutToken({ sub: subject });
    expect(await sendLogout(token)).toBe(200);
    const session = await signIn(subject);
    expectLogoutRefused(await sendLogout(token));
    expect(await isAlive(session)).toBe(true);
  });

  it('of one provider ends nothing of another, whatever it names', async () => {
    const { addLinked, signIn, sendLogout, isAlive, first, second } = world();
    const { subject } = await addLinked();
    await addLinked(second, subject);
    const [one, other] = [
      await signIn(subject, {}, first, { sid: 's' }),
      await signIn(subject, {}, second, { sid: 's' }),
    ];
    const token = await second.made.logoutToken({ sub: subject, sid: 's' });
    expectLogoutRefused(await sendLogout(token, first));
    expect(await sendLogout(token, second)).toBe(200);
    expect([await isAlive(one), await isAlive(other)]).toEqual([true, false]);
  });

  it.each([
    ['of a session', (sub: string) => ({ sub, sid: `sid of ${sub}` })],
    ['of a person', (sub: string) => ({ sub })],
  ])('%s that overtakes its login keeps it out; one that begins later is let in', async (_what, ended) => {
    const { addLinked, begin, finish, sendLogout, signIn, first } = world();
    const { subject } = await addLinked();
    const journey = await begin();
    const answer = first.made.answer(journey.url, { sub: subject, sid: `sid of ${subject}` });
    expect(await sendLogout(await first.made.logoutToken(ended(subject)))).toBe(200);
    const late = outcomeOf(await finish(journey, answer));
    expectAttackFails(late, { success: 'in', failure: 'credentials_wrong' });
    expect(outcomeOf(await signIn(subject, {}, first, { sid: 'another' }))).toBe('in');
  });

  it('that names a session ends also those of the person that the provider gave no name, and no other', async () => {
    const { addLinked, signIn, sendLogout, isAlive, first } = world();
    const { subject } = await addLinked();
    const [named, other, unnamed] = [
      await signIn(subject, {}, first, { sid: `sid of ${subject}` }),
      await signIn(subject, {}, first, { sid: `other sid of ${subject}` }),
      await signIn(subject),
    ];
    const token = await first.made.logoutToken({ sub: subject, sid: `sid of ${subject}` });
    expect(await sendLogout(token)).toBe(200);
    failIfAttackSucceeded(await isAlive(unnamed), 'the session without a name goes on');
    expect([await isAlive(named), await isAlive(other)]).toEqual([false, true]);
  });

  it('leaves the logout of the person in the login log', async () => {
    const { addLinked, signIn, sendLogout, service, first } = world();
    const { id, username, subject } = await addLinked();
    await signIn(subject);
    const readLogouts = () =>
      service.database.query(
        `select username, provider, method from login_log where reason = 'logout' and user_id = $1`,
        [id],
      );
    expect(await readLogouts()).toEqual([]);
    expect(await sendLogout(await first.made.logoutToken({ sub: subject }))).toBe(200);
    const isRecorded = await isSoon(async () => (await readLogouts()).length > 0);
    failIfAttackSucceeded(!isRecorded, 'the logout leaves no record');
    expect(await readLogouts()).toEqual([{ username, provider: first.key, method: 'oidc' }]);
  });

  it('ends what it names although the provider hangs up at once', async () => {
    const { addLinked, signIn, isAlive, service, first } = world();
    const { subject } = await addLinked();
    const session = await signIn(subject);
    const form = new URLSearchParams({
      logout_token: await first.made.logoutToken({ sub: subject }),
    }).toString();
    const socket = connect(service.server.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(
      `POST /api/v1/providers/${first.key}/logout HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n${form}`,
    );
    socket.resetAndDestroy();
    const hasEnded = await isSoon(async () => !(await isAlive(session)));
    failIfAttackSucceeded(!hasEnded, 'the session goes on');
  });

  it('is a form and nothing else, so that no page of another site sends JSON there, nor a form anywhere else', async () => {
    const { service, first } = world();
    const base = `http://127.0.0.1:${service.server.port}/api/v1`;
    const logout_token = await first.made.logoutToken({ sub: 'nobody' });
    const post = (path: string, body: string | URLSearchParams, headers = {}) =>
      fetch(`${base}${path}`, { method: 'POST', body, headers });
    const path = `/providers/${first.key}/logout`;
    const refused = { success: 200, failure: 415 };
    expectAttackFails((await post(path, JSON.stringify({ logout_token }), json)).status, refused);
    const form = new URLSearchParams({ username: 'ada', password });
    expectAttackFails((await post('/login', form)).status, refused);
    expect((await post(path, new URLSearchParams({ logout_token }))).status).toBe(200);
  });
});

describe('T172 a caller who changes the provider of other people', () => {
  it('and is not of `admin` changes no provider, whatever else the role may call', async () => {
    const { service, byAdmin, first } = world();
    const { body } = await byAdmin('POST', '/roles', { roleKey: 'mighty', name: 'Mighty', dataScope: '1' });
    const { id } = body.data as { id: number };
    await byAdmin('POST', `/roles/${id}/rules`, rulesInForce([{ method: '*', path: '/*' }]));
    const person = await addPerson(service.database, 'mighty');
    const send = await world().as(person);
    for (const [method, path, sent] of [
      [
        'POST',
        '/providers',
        { key: 'mine', kind: 'oidc', name: 'Mine', settings: settingsOf(first.made, 'mine') },
      ],
      ['PUT', `/providers/${first.id}`, { settings: settingsOf(first.made, 'first', { scopes: ['x'] }) }],
      ['PUT', `/providers/${first.id}/enabled`, { enabled: false }],
      ['POST', `/providers/${first.id}/check`, undefined],
      ['DELETE', `/providers/${first.id}`, undefined],
    ] as const) {
      const answer = await send(method, path, sent);
      failIfAttackSucceeded(answer.body.code === 200, 'the provider is changed');
      expect([answer.body.code, outcomeOf(answer)], path).toEqual([401, 'permission_denied']);
    }
    expect((await send('GET', '/providers')).body.code).toBe(200);
    await byAdmin('PUT', `/providers/${first.id}`, { name: 'First' });
  });

  it('cannot point the links of people to another provider', async () => {
    const { service, addLinked, first, second, byAdmin, signIn } = world();
    const { subject } = await addLinked();
    const headers = { authorization: `Bearer ${await service.tokenOf('ada')}` };
    // With a secret, which another address needs.
    const body = { settings: { ...settingsOf(second.made, first.key) }, secret: second.made.secret };
    const path = `/api/v1/providers/${first.id}`;
    onTestFinished(async () => {
      await byAdmin('PUT', `/providers/${first.id}`, { settings: settingsOf(first.made, first.key) });
    });
    const refused = await service.send({ method: 'PUT', path, headers, body });
    expectAttackFails(refused.body.code, { success: 200, failure: 409 });
    const session = await signIn(subject);
    await byAdmin('PUT', `/providers/${first.id}`, {
      settings: settingsOf(first.made, first.key, { scopes: ['profile'] }),
    });
    expect(await world().isAlive(session)).toBe(false);
    expect(outcomeOf(await signIn(subject))).toBe('in');
  });

  it('reads the secret of a provider nowhere: not in an answer, not in the audit log, not in the database', async () => {
    const { service, first, byAdmin } = world();
    const secret = 'the-secret-that-nobody-reads';
    await byAdmin('PUT', `/providers/${first.id}`, { secret });
    const texts = [
      (await byAdmin('GET', '/providers')).text,
      (await byAdmin('GET', `/providers/${first.id}`)).text,
      (await byAdmin('GET', '/audit?limit=100')).text,
      JSON.stringify(await service.database.query('select * from providers')),
      JSON.stringify(await service.database.query(`select encode(sealed_secret, 'escape') from providers`)),
    ];
    for (const text of texts) failIfAttackSucceeded(text.includes(secret), 'the secret is read');
    expect(texts[2]).toContain('provider.update');
    await byAdmin('PUT', `/providers/${first.id}`, { secret: first.made.secret });
  });
});
