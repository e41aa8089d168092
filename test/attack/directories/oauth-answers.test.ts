// Threats, OAuth 2 without OpenID: answers that were not asked for, of another person, or lies about who a person is. Nothing of
// them is signed. Beside each is the honest login; the controls are in test/weaknesses/oauth.ts.
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../rig/http-client.ts';
import { corp, type OAuthLie, type OAuthPerson } from '../../rig/made-up-oauth.ts';
import { password } from '../../rig/seed.ts';
import { expectAttackFails, failIfAttackSucceeded } from '../../weaknesses/attack.ts';
import { addPerson, outcomeOf } from '../sign-in-methods/people.ts';
import type { Journey, Linked } from './journeys.ts';
import {
  type OAuthProvider,
  personOf,
  redirectOf,
  settingsOf,
  tenantKey,
  useOAuthWorld,
} from './oauth-world.ts';

const world = await useOAuthWorld();
const random = () => randomBytes(16).toString('base64url');
const refusals = ['credentials_wrong', 'captcha_wrong', 'params_invalid'];
/** An attack whose success is a login. */
const expectRefused = (answer: Answer) =>
  expectAttackFails(outcomeOf(answer), { success: 'in', failure: refusals });
const expectIn = (answer: Answer) => expect(outcomeOf(answer), answer.text).toBe('in');

describe('T269 an answer of an OAuth service that no login requested', () => {
  const misuses: [what: string, send: (own: Journey, answer: string, theirs: string) => Promise<Answer>][] = [
    ['of the attacker’s own journey', (own, _answer, theirs) => world().finish(own, theirs)],
    ['without a state', (own, answer) => world().finish(own, without(answer, 'state'))],
    ['with an empty state', (own, answer) => world().finish(own, changed(answer, 'state', ''))],
    ['with another state', (own, answer) => world().finish(own, changed(answer, 'state', random()))],
    ['with two states', (own, answer) => world().finish(own, `${answer}&state=${random()}`)],
    ['with two codes', (own, answer) => world().finish(own, `${answer}&code=${random()}`)],
    [
      'with the code under another name',
      (own, answer) => world().finish(own, answer.replace('code=', 'authCode=')),
    ],
    ['with an error beside the code', (own, answer) => world().finish(own, `${answer}&error=access_denied`)],
    ['with a token beside the code', (own, answer) => world().finish(own, `${answer}&token=x`)],
  ];
  it.each(misuses)('%s admits no login, and the own one does', async (_what, send) => {
    const { github, addLinked, begin, finish } = world();
    const [victim, attacker] = [await addLinked(github), await addLinked(github)];
    const [own, theirs] = [await begin(github), await begin(github)];
    const answerTo = ({ url }: Journey, subject: string) =>
      github.made.answer(url, personOf(github.made, subject));
    expectRefused(await send(own, answerTo(own, victim.subject), answerTo(theirs, attacker.subject)));
    const again = await begin(github);
    expectIn(await finish(again, answerTo(again, victim.subject)));
  });

  it.each(['dingtalk', 'wecom', 'feishu'] as const)(
    'is refused by its state at %s too, whatever it calls its code',
    async (name) => {
      const { [name]: at, addLinked, begin, finish } = world();
      const { subject } = await addLinked(at);
      const own = await begin(at);
      const stolen = at.made.answer((await begin(at)).url, personOf(at.made, subject));
      expectRefused(await finish(own, stolen));
      const asked = at.made.asked.length;
      expectRefused(await finish(await begin(at), without(stolen, 'state')));
      expect(at.made.asked.length, 'nothing is asked for an answer that is none').toBe(asked);
      expectIn(await world().signIn(at, personOf(at.made, subject)));
    },
  );

  it('sent twice logs in once, and on another attempt never', async () => {
    const { github, addLinked, begin, finish } = world();
    const { subject } = await addLinked(github);
    const journey = await begin(github);
    const person = personOf(github.made, subject);
    const answer = github.made.answer(journey.url, person, { keepsCode: true });
    expectIn(await finish(journey, answer));
    expectRefused(await finish(journey, answer));
    expectRefused(await finish(await begin(github), answer));
  });

  it('of a link is none for a login, and that of a login none for a link', async () => {
    const { github, addLinked, begin, finish, as, service } = world();
    const send = await as(await addPerson(service.database));
    const { subject } = await addLinked(github);
    const login = await begin(github);
    const beginLink = async () => {
      const begun = await send('POST', '/user/provider-links/begin', {
        provider: github.key,
        oldPassword: password,
      });
      return begun.body.data as { flowId: string; url: string };
    };
    const { flowId, url } = await beginLink();
    const person = personOf(github.made, subject);
    expectRefused(await finish(login, github.made.answer(url, person)));
    expectRefused(await finish(login, github.made.answer(url, person), { flowId }));
    const crossed = github.made.answer((await begin(github)).url, personOf(github.made, random()));
    const linked = outcomeOf(await send('POST', '/user/provider-links', { flowId, answer: crossed }));
    expectAttackFails(linked, { success: '200', failure: refusals });
    const own = await beginLink();
    const answer = github.made.answer(own.url, personOf(github.made, random()));
    expect((await send('POST', '/user/provider-links', { flowId: own.flowId, answer })).body.code).toBe(200);
  });
});

describe('T270 a code of another person, put into the attacker’s answer', () => {
  /** The attacker has an attempt of their own, and got hold of a code that the victim was given. */
  async function inject(at: OAuthProvider, subject: string, lie: OAuthLie = {}): Promise<Answer> {
    const { begin, finish } = world();
    const [own, victims] = [await begin(at), await begin(at)];
    const stolen = at.made.answer(victims.url, personOf(at.made, subject), lie);
    const answer = at.made.answer(own.url, personOf(at.made, random()));
    return await finish(own, changed(answer, 'code', new URLSearchParams(stolen).get('code') ?? ''));
  }

  it.each(['github', 'feishu'] as const)(
    'is refused by PKCE at %s; without it, it lets the attacker in',
    async (name) => {
      const { [name]: at, addLinked, change } = world();
      const { subject } = await addLinked(at);
      expectRefused(await inject(at, subject));
      await change(at, { pkce: false });
      expectIn(await inject(at, subject));
      await change(at);
    },
  );

  it('is sent with a challenge wherever the settings do not say that the service takes none', async () => {
    const { github, other, feishu, dingtalk, wecom, begin } = world();
    const challenged = async (at: OAuthProvider) => {
      const query = new URL((await begin(at)).url).searchParams;
      return [query.get('code_challenge') !== null, query.get('code_challenge_method')];
    };
    for (const at of [github, other, feishu])
      expectAttackFails<unknown>(await challenged(at), { success: [false, null], failure: [[true, 'S256']] });
    for (const at of [dingtalk, wecom]) expect(await challenged(at)).toEqual([false, null]);
  });
});

describe('T271 the answer of another OAuth service', () => {
  it('at the attempt of the first, under either key, is refused; at its own it is taken', async () => {
    const { github, other, addLinked, begin, finish, signIn } = world();
    const { subject } = await addLinked(github);
    await addLinked(other, subject);
    for (const provider of [github.key, other.key]) {
      const journey = await begin(github);
      const answer = other.made.answer(journey.url, personOf(other.made, subject));
      expectRefused(await finish(journey, answer, { provider }));
    }
    const journey = await begin(github);
    const right = github.made.answer(journey.url, personOf(github.made, subject));
    expectRefused(await finish(journey, right, { provider: other.key }));
    expectIn(await signIn(github, personOf(github.made, subject)));
  });

  it('has no return address in common with it', async () => {
    const { github, other, tryByAdmin, byAdmin } = world();
    const body = { key: 'third', kind: 'oauth', name: 'Third', secret: 'secret' };
    const taken = settingsOf('other', other.made, { redirectUri: redirectOf(github.key) });
    const refused = await tryByAdmin('POST', '/providers', { ...body, settings: taken });
    expectAttackFails(refused.body.code, { success: 200, failure: 409 });
    const own = settingsOf('other', other.made, { redirectUri: redirectOf('third') });
    const { body: made } = await byAdmin('POST', '/providers', { ...body, settings: own });
    await byAdmin('DELETE', `/providers/${(made.data as { id: number }).id}`);
  });
});

describe('T272 a refusal in the form of a token', () => {
  const json =
    (body: object, status = 200): NonNullable<OAuthLie['user']> =>
    (_request, response) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  /** The service itself is not particular: it speaks of the person whatever comes for a token. */
  const withField = (field: object) => (): OAuthLie => ({
    tokenFields: field as OAuthPerson,
    takesAnyToken: true,
  });
  const aboutUser =
    (body: (id: string) => object, status?: number) =>
    (id: string): OAuthLie => ({
      user: json(body(id), status),
    });
  const lies: [what: string, name: 'github' | 'feishu' | 'dingtalk', lieOf: (subject: string) => OAuthLie][] =
    [
      ['an error in HTTP 200', 'github', withField({ error: 'bad_verification_code' })],
      ['an error that is an object', 'github', withField({ error: { code: 1 } })],
      ['an `errcode`', 'github', withField({ errcode: 40029 })],
      ['a `code` that is not 0', 'feishu', withField({ code: 20003 })],
      ['no `code`', 'feishu', withField({ code: undefined })],
      ['a `code` that is text', 'feishu', withField({ code: '0' })],
      ['a token that is bound to a key', 'github', withField({ token_type: 'DPoP' })],
      ['a token of another type', 'github', withField({ token_type: 'mac' })],
      ['a token without a type', 'github', withField({ token_type: undefined })],
      ['a token that is empty', 'github', withField({ access_token: '' })],
      ['a token that is no text', 'dingtalk', withField({ accessToken: 7 })],
      ['a token with a line break', 'github', withField({ access_token: 'a\r\nx-admin: 1' })],
      ['an error about the person', 'github', aboutUser((id) => ({ error: 'x', id }))],
      ['HTTP 401 about the person', 'github', aboutUser((id) => ({ id }), 401)],
      ['a list about the person', 'github', aboutUser((id) => [{ id }])],
      ['a `code` about the person', 'feishu', aboutUser((id) => ({ ...feishuUser(id), code: 20021 }))],
    ];
  it.each(lies)('%s admits no login at %s, and the same without it does', async (_what, name, lieOf) => {
    const { [name]: at, addLinked, signIn } = world();
    const { subject } = await addLinked(at);
    const lie = lieOf(subject);
    expectRefused(await signIn(at, personOf(at.made, subject), lie));
    expectIn(await signIn(at, personOf(at.made, subject)));
    const plain = name === 'feishu' ? aboutUser(feishuUser) : aboutUser((id) => ({ id }));
    if (lie.user !== undefined) expectIn(await signIn(at, {}, plain(subject)));
  });

  function feishuUser(union_id: string) {
    return { code: 0, data: { union_id, tenant_key: tenantKey } };
  }
});

describe('T273 a subject that is none', () => {
  /** What is at its place, as JSON, and the text that a naive reader makes of it; that one is linked. */
  const subjects: [what: string, json: string, naive: string][] = [
    ['true', 'true', 'true'],
    ['false', 'false', 'false'],
    ['null', 'null', 'null'],
    ['an object', '{"a":1}', '[object Object]'],
    ['a list of one', '["alone"]', 'alone'],
    ['a number that JSON rounds', '9007199254740993', '9007199254740992'],
    ['a fraction', '1.5', '1.5'],
    ['a number without end', '1e400', 'Infinity'],
    ['not a number', 'NaN', 'NaN'],
    // A naive reader takes the next best.
    ['a space', '" ", "login": "nobody-1"', 'nobody-1'],
    ['empty', '"", "login": "nobody-2"', 'nobody-2'],
    ['longer than any', JSON.stringify('x'.repeat(256)), 'x'.repeat(255)],
    ['with a NUL', '"a\\u0000b"', 'ab'],
    ['half a letter', '"\\ud800"', '\ufffd'],
  ];
  it.each(subjects)(
    '%s is no person, and the text that it would be read as is one',
    async (_what, json, naive) => {
      const { other, addLinked, signIn } = world();
      await addLinked(other, naive);
      const lie: OAuthLie = {
        user: (_request, response) =>
          void response.writeHead(200, { 'content-type': 'application/json' }).end(`{"id":${json}}`),
      };
      expectRefused(await signIn(other, {}, lie));
      expectIn(await signIn(other, { id: naive }));
    },
  );

  it('is missing, or what every object has, and a number is its digits', async () => {
    const { other, addLinked, signIn, change } = world();
    await addLinked(other, 'undefined');
    await addLinked(other, '583231');
    expectRefused(await signIn(other, { login: 'octo' }));
    expectIn(await signIn(other, { id: 583231 }));
    // Another place makes others of who is linked: it is refused while there are links.
    await expect(change(other, { subjectPath: '/constructor/name' })).rejects.toThrow(/409/);
  });
});

describe('T274 a person of another company', () => {
  const foreign: [
    what: string,
    name: 'feishu' | 'dingtalk',
    person: (subject: string) => OAuthPerson,
    lie: OAuthLie,
  ][] = [
    ['of another tenant of Feishu', 'feishu', (id) => feishu(id, 'another'), {}],
    ['of no tenant of Feishu', 'feishu', (id) => feishu(id, undefined), {}],
    ['of a list of tenants of Feishu', 'feishu', (id) => feishu(id, [tenantKey]), {}],
    ['of another company in DingTalk', 'dingtalk', dingtalk, { tokenFields: { corpId: 'another' } }],
    ['of no company in DingTalk', 'dingtalk', dingtalk, { tokenFields: { corpId: undefined } }],
    [
      'of DingTalk who says the company of themselves',
      'dingtalk',
      (id) => ({ ...dingtalk(id), corpId: corp }),
      { tokenFields: { corpId: 'another' } },
    ],
  ];
  it.each(foreign)('%s is refused; one of the own is let in', async (_what, name, person, lie) => {
    const { [name]: at, addLinked, signIn } = world();
    const { subject } = await addLinked(at);
    expectRefused(await signIn(at, person(subject), lie));
    expectIn(await signIn(at, personOf(at.made, subject)));
  });

  it('is let in where no tenant is pinned, which a preset with one does not take', async () => {
    const { feishu: at, other, addLinked, signIn, tryByAdmin } = world();
    const unpinned = await addLinked(other);
    expectIn(await signIn(other, { id: unpinned.subject, tenant_key: 'another' }));
    for (const name of ['feishu', 'dingtalk'] as const) {
      const { tenant: _tenant, ...settings } = settingsOf(name, world()[name].made) as { tenant?: string };
      const answer = await tryByAdmin('PUT', `/providers/${world()[name].id}`, { settings });
      expectAttackFails(answer.body.code, { success: 200, failure: 400 });
    }
    expectIn(await signIn(at, personOf(at.made, (await addLinked(at)).subject)));
  });

  const outsiders: [what: string, person: (subject: string) => OAuthPerson][] = [
    ['an outsider with an `openid`', (subject) => ({ openid: subject })],
    ['a customer', (subject) => ({ openid: subject, external_userid: subject })],
    ['a person of a linked company', (subject) => ({ userid: `another-corp/${subject}` })],
    ['a member by another spelling', (subject) => ({ UserId: subject })],
  ];
  it.each(outsiders)('%s of WeCom is refused, although linked; a member is let in', async (_what, person) => {
    const { wecom, addLinked, signIn } = world();
    const { subject } = await addLinked(wecom);
    await addLinked(wecom, `another-corp/${subject}`);
    expectRefused(await signIn(wecom, person(subject)));
    expectIn(await signIn(wecom, { userid: subject }));
  });

  function feishu(subject: string, tenant_key: unknown): OAuthPerson {
    return personOf(world().feishu.made, subject, { tenant_key });
  }
  function dingtalk(subject: string): OAuthPerson {
    return personOf(world().dingtalk.made, subject);
  }
});

describe('T275 the account of another user', () => {
  const disguises: [what: string, person: (victim: Linked) => OAuthPerson][] = [
    ['by the mail address', ({ username }) => ({ id: random(), email: `${username}@example.com` })],
    ['by the username', ({ username }) => ({ id: random(), login: username, name: username })],
    ['by the username as the subject', ({ username }) => ({ id: username })],
    ['by the subject in capitals', ({ subject }) => ({ id: subject.toUpperCase() })],
    ['by the subject with a space', ({ subject }) => ({ id: `${subject} ` })],
    ['by the subject at another place', ({ subject }) => ({ id: random(), sub: subject })],
    ['by its id here', ({ id }) => ({ id })],
  ];
  it.each(disguises)('is not entered %s, but by its own subject', async (_what, disguise) => {
    const { github, addLinked, signIn } = world();
    const victim = await addLinked(github);
    const answer = await signIn(github, disguise(victim));
    failIfAttackSucceeded(outcomeOf(answer) === 'in', 'another person enters the account');
    expect([outcomeOf(answer), answer.body.msg], answer.text).toEqual([
      'credentials_wrong',
      expect.stringMatching(/is not linked to an account of this service/),
    ]);
    expectIn(await signIn(github, personOf(github.made, victim.subject)));
  });

  it('is not entered by the same subject at another service', async () => {
    const { github, other, addLinked, signIn } = world();
    const { subject } = await addLinked(github);
    expectRefused(await signIn(other, { id: subject }));
    expectIn(await signIn(github, personOf(github.made, subject)));
  });
});

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
