// Threats, OAuth 2 without OpenID: services that hang, flood or send elsewhere; addresses that lead inwards; settings that would
// make others of who is linked; and who left there. Beside each is what succeeds without it; the controls are in
// test/weaknesses/oauth.ts.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { OAuthLie } from '../../rig/made-up-oauth.ts';
import { expectAttackFails, failIfAttackSucceeded } from '../../weaknesses/attack.ts';
import { outcomeOf } from '../sign-in-methods/people.ts';
import { crowd } from './journeys.ts';
import { personOf, redirectOf, settingsOf, useOAuthWorld } from './oauth-world.ts';

const world = await useOAuthWorld();
const json = { 'content-type': 'application/json' };

describe('T276 an OAuth service that misbehaves', () => {
  type Conduct = (subject: string) => NonNullable<OAuthLie['token']>;
  /** What would do, both for a code and about the person. */
  const rightFor = (id: string) => ({ access_token: 'x', token_type: 'bearer', id });
  const conducts: [what: string, expected: string, conductOf: Conduct][] = [
    ['hangs', 'unavailable', () => () => {}],
    ['hangs up', 'unavailable', () => (request) => void request.socket.destroy()],
    [
      'answers byte by byte',
      'unavailable',
      () => (_request, response) => {
        response.writeHead(200, json);
        const timer = setInterval(() => response.write(' '), 100);
        response.on('close', () => clearInterval(timer));
      },
    ],
    [
      'answers a megabyte',
      'unavailable',
      (subject) => (_request, response) =>
        void response
          .writeHead(200, json)
          .end(JSON.stringify({ ...rightFor(subject), more: 'x'.repeat(1_048_576) })),
    ],
    [
      'fails',
      'unavailable',
      (subject) => (_request, response) =>
        void response.writeHead(502, json).end(JSON.stringify(rightFor(subject))),
    ],
    [
      'sends elsewhere',
      'unavailable',
      () => (request, response) =>
        void response.writeHead(307, { location: `${world().other.made.origin}${request.url}` }).end(),
    ],
    [
      'answers no JSON',
      'credentials_wrong',
      (subject) => (_request, response) =>
        void response.writeHead(200, json).end(new URLSearchParams(rightFor(subject)).toString()),
    ],
    [
      'answers nothing',
      'credentials_wrong',
      () => (_request, response) => void response.writeHead(204).end(),
    ],
  ];
  const both = conducts.flatMap(([what, expected, conductOf]) => [
    [`${what} where a code is redeemed`, expected, 'token', conductOf] as const,
    [`${what} where the person is asked for`, expected, 'user', conductOf] as const,
  ]);
  it.each(both)(
    'and %s admits no login, within its time; the next login works',
    async (_what, expected, where, conductOf) => {
      const { github, other, addLinked, signIn } = world();
      const [before, next] = [await addLinked(github), await addLinked(github)];
      expect(outcomeOf(await signIn(github, personOf(github.made, before.subject)))).toBe('in');
      const person = personOf(github.made, next.subject);
      const elsewhere = other.made.asked.length;
      const startedAt = performance.now();
      const lie = { [where]: conductOf(next.subject), takesAnyToken: true };
      const answer = await signIn(github, person, lie);
      const seconds = (performance.now() - startedAt) / 1000;
      failIfAttackSucceeded(seconds >= 6, `the login is held for ${seconds} s`);
      failIfAttackSucceeded(other.made.asked.length > elsewhere, 'the service elsewhere is asked');
      expectAttackFails(outcomeOf(answer), { success: 'in', failure: expected });
      expect(outcomeOf(await signIn(github, person))).toBe('in');
    },
  );

  it('and hangs keeps out its own people, and neither those of another one nor passwords', async () => {
    const { github, other, addLinked, begin, finish, signIn, service } = world();
    const [stuck, free] = [await addLinked(github), await addLinked(other)];
    const person = personOf(github.made, stuck.subject);
    const outcomes = await crowd(
      () => begin(github),
      async (linkFlow) => {
        const begun = await begin(other);
        const waiting = Promise.all(
          linkFlow.map((journey) =>
            finish(journey, github.made.answer(journey.url, person, { user: () => {} })),
          ),
        );
        onTestFinished(async () => void (await waiting));
        const meanwhile = [
          await finish(begun, other.made.answer(begun.url, { id: free.subject })),
          await service.logIn('carl'),
        ];
        const [atOther, byPassword] = meanwhile.map(outcomeOf);
        expectAttackFails(atOther, { success: 'rate_limited', failure: 'in' });
        expect(byPassword).toBe('in');
        expect(outcomeOf(await signIn(other, { id: free.subject }))).toBe('in');
        return await waiting;
      },
    );
    expect(outcomes).toContain('rate_limited');
    expect(outcomes).not.toContain('in');
    expect(outcomeOf(await signIn(github, person))).toBe('in');
  });
});

describe('T277 an address of an OAuth service in the private network', () => {
  const fields = ['authorizationUrl', 'tokenUrl', 'userInfoUrl'] as const;
  let created = 0;
  const create = async (more: object) => {
    const { other, tryByAdmin } = world();
    created += 1;
    const key = `inner-${created}`;
    const settings = settingsOf('other', other.made, { redirectUri: redirectOf(key), ...more });
    return await tryByAdmin('POST', '/providers', {
      key,
      kind: 'oauth',
      name: 'Inner',
      secret: 'secret',
      settings,
    });
  };
  const plain = [
    'http://sso.example.com/token',
    'file:///etc/passwd',
    'https://user:secret@sso.example.com/token',
    'https://sso.example.com/token?next=https://evil.example',
    'https://sso.example.com/#x',
  ].flatMap((address) => fields.map((field) => [field, address] as const));
  it.each(plain)('as %s is not stored: %s', async (field, address) => {
    const refused = await create({ [field]: address });
    expectAttackFails(refused.body.code, { success: 200, failure: 400 });
  });

  it.each(['state', 'redirect_uri', 'client_id', 'code_challenge', 'response_type', 'State'])(
    'is not led to with a %s of the settings, and is with another parameter',
    async (name) => {
      const { byAdmin } = world();
      const refused = await create({ authorizationParameters: [{ name, value: 'https://evil.example' }] });
      expectAttackFails(refused.body.code, { success: 200, failure: 400 });
      const { body } = await create({ authorizationParameters: [{ name: 'lang', value: 'en' }] });
      expect(body.code).toBe(200);
      await byAdmin('DELETE', `/providers/${(body.data as { id: number }).id}`);
    },
  );

  const inner = [
    'https://169.254.169.254/token',
    'https://2852039166/token',
    'https://[::ffff:169.254.169.254]/token',
    'https://10.0.0.1/token',
    'https://[fd00::1]/token',
  ].flatMap((address) => (['tokenUrl', 'userInfoUrl'] as const).map((field) => [field, address] as const));
  it.each(inner)('as %s is never asked, and its provider not enabled: %s', async (field, address) => {
    const { other, byAdmin, tryByAdmin } = world();
    // At the port of a service that answers, where a control leads to this host.
    const { port } = new URL(other.made.origin);
    const { body } = await create({ [field]: address.replace('/token', `:${port}/token`) });
    const { id } = body.data as { id: number };
    const checked = (await byAdmin('POST', `/providers/${id}/check`)).body as {
      data: { ok: boolean; findings: { what: string; ok: boolean; text: string }[] };
    };
    const { ok: isRight, findings } = checked.data;
    failIfAttackSucceeded(isRight, 'the address is asked');
    expect(findings.filter(({ ok }) => !ok)).toEqual([
      { what: field, ok: false, text: expect.stringMatching(/not public/) },
    ]);
    const enabled = await tryByAdmin('PUT', `/providers/${id}/enabled`, { enabled: true });
    expect(enabled.body.code).toBe(409);
    await byAdmin('DELETE', `/providers/${id}`);
  });

  it.each(['tokenUrl', 'userInfoUrl'] as const)(
    'as %s is not asked by a login either, where it was stored meanwhile; the right one is',
    async (field) => {
      const { github, addLinked, signIn, service } = world();
      const { subject } = await addLinked(github);
      const store = (address: string) =>
        service.database.query(
          `update providers set settings = jsonb_set(settings, $2, to_jsonb($3::text)) where id = $1`,
          [github.id, `{${field}}`, address],
        );
      const right = github.made.addresses[field];
      onTestFinished(async () => void (await store(right)));
      // The second one leads to the service itself, by an address that is not named.
      for (const inner of ['10.0.0.1', '0.0.0.0']) {
        await store(right.replace('localhost', inner));
        const outcome = outcomeOf(await signIn(github, personOf(github.made, subject)));
        expectAttackFails(outcome, { success: 'in', failure: 'unavailable' });
      }
      await store(right);
      expect(outcomeOf(await signIn(github, personOf(github.made, subject)))).toBe('in');
    },
  );
});

describe('T278 settings that turn linked people into other ones', () => {
  it.each(['authorizationUrl', 'tokenUrl', 'userInfoUrl', 'clientId', 'subjectPath'])(
    'by another %s are refused while there are links; another scope is taken, and ends the sessions',
    async (field) => {
      const { github, other, addLinked, change, signIn, isAlive, tryByAdmin } = world();
      const { subject } = await addLinked(github);
      const elsewhere = { ...other.made.addresses, clientId: 'another', subjectPath: '/login' };
      const value = elsewhere[field as keyof typeof elsewhere];
      onTestFinished(() => change(github));
      // With the secret, which another address needs.
      const settings = settingsOf('github', github.made, { [field]: value });
      const { secret } = github.made;
      const refused = await tryByAdmin('PUT', `/providers/${github.id}`, { settings, secret });
      expectAttackFails(refused.body.code, { success: 200, failure: 409 });
      const session = await signIn(github, personOf(github.made, subject));
      expect(await isAlive(session)).toBe(true);
      await change(github, { scopes: ['read:user'] });
      expect(await isAlive(session)).toBe(false);
      await change(github);
      expect(outcomeOf(await signIn(github, personOf(github.made, subject)))).toBe('in');
    },
  );
});

describe('T279 a person who left an OAuth service', () => {
  it('is out when the user is disabled or the link ended here; until then nothing says so', async () => {
    const { dingtalk, addLinked, signIn, isAlive, byAdmin } = world();
    const [one, other] = [await addLinked(dingtalk), await addLinked(dingtalk)];
    const [first, second] = [
      await signIn(dingtalk, personOf(dingtalk.made, one.subject)),
      await signIn(dingtalk, personOf(dingtalk.made, other.subject)),
    ];
    expect([await isAlive(first), await isAlive(second)]).toEqual([true, true]);
    await byAdmin('PUT', `/users/${one.id}/enabled`, { enabled: false });
    await byAdmin('DELETE', `/users/${other.id}/provider-links/${other.linkId}`);
    failIfAttackSucceeded(await isAlive(first), 'the session of a disabled account goes on');
    failIfAttackSucceeded(await isAlive(second), 'the session of a link that ended goes on');
  });

  it('has a token for as long as `lifetimeSeconds` of the provider says, and else as everybody', async () => {
    const { feishu, addLinked, signIn, byAdmin } = world();
    const { subject } = await addLinked(feishu);
    const lifetime = async () => {
      const { body } = await signIn(feishu, personOf(feishu.made, subject));
      return Math.round((Date.parse(String(body.expire)) - Date.now()) / 1000);
    };
    expect(await lifetime()).toBeGreaterThan(600);
    await byAdmin('PUT', `/providers/${feishu.id}`, { lifetimeSeconds: 300 });
    const seconds = await lifetime();
    failIfAttackSucceeded(seconds > 600, `the token lives for ${seconds} s`);
    expect(seconds).toBeLessThanOrEqual(301);
    await byAdmin('PUT', `/providers/${feishu.id}`, { lifetimeSeconds: null });
  });

  it('is spoken of by the check, and no logout of the service is taken', async () => {
    const { wecom, addLinked, signIn, isAlive, byAdmin, service } = world();
    const { body } = await byAdmin('POST', `/providers/${wecom.id}/check`);
    const { findings } = body.data as { findings: { text: string }[] };
    const text = findings.map((finding) => finding.text).join('\n');
    for (const said of [/disable them here or end the link/, /lifetimeSeconds/, /not tried/, /first sign-in/])
      expect(text).toMatch(said);
    const path = `http://127.0.0.1:${service.server.port}/api/v1/providers/${wecom.key}/logout`;
    const { subject } = await addLinked(wecom);
    const session = await signIn(wecom, personOf(wecom.made, subject));
    const [header, claims] = [{ alg: 'none' }, { sub: subject }].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    );
    const logout = new URLSearchParams({ logout_token: `${header}.${claims}.` });
    const { status } = await fetch(path, { method: 'POST', body: logout });
    expectAttackFails(status, { success: 200, failure: 400 });
    expect(await isAlive(session)).toBe(true);
  });
});
