// A journey to an OAuth service: what it is led with, what is sent for a code, and what is believed of the answers.
import { AppError, type OAuthSettings } from '@portcullis/contract';
import { describe, expect, it } from 'vitest';
import { createOAuthKind } from '../../../../src/sign-in/providers/oauth/oauth-kind.ts';
import type { ProviderFetch } from '../../../../src/sign-in/providers/provider-fetch.ts';
import type { OpenProvider } from '../../../../src/sign-in/providers/provider-kind.ts';

const registered = { clientId: 'c', redirectUri: 'https://admin.example.com/return' };
const handle = 'h'.repeat(43);

interface Sent {
  readonly url: string;
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
}

/** Answers in turn, and keeps what was asked. */
function kindThatIsAnswered(answers: readonly (readonly [status: number, body: unknown])[]) {
  const sent: Sent[] = [];
  const left = [...answers];
  const fetch = Object.assign(
    async (url: string, asked: Omit<Sent, 'url'>) => {
      sent.push({ url, ...asked });
      const [status, body] = left.shift() ?? [500, {}];
      return Response.json(body, { status });
    },
    { close: () => {} },
  ) as ProviderFetch;
  const reported: unknown[] = [];
  const kind = createOAuthKind({ fetch, now: () => 0, report: (_key, error) => reported.push(error) });
  return { kind, sent, reported };
}

const providerOf = (settings: OAuthSettings, secret: string | undefined = 'secret'): OpenProvider =>
  ({ id: 1, key: 'p', settings, secret }) as OpenProvider;

async function journey(
  settings: OAuthSettings,
  answers: readonly (readonly [number, unknown])[],
  answer: (query: URLSearchParams) => string = (query) => `code=x&state=${query.get('state')}`,
) {
  const { kind, sent, reported } = kindThatIsAnswered(answers);
  const provider = providerOf(settings);
  const url = new URL((await kind.authorizationUrl?.(provider, handle, 'login')) ?? '');
  const arrived = kind.handleCallback?.(provider, handle, 'login', answer(url.searchParams));
  const outcome = await (arrived ?? Promise.reject(new Error('It has none.'))).then(
    (identity) => identity,
    (error: unknown) => (error instanceof AppError ? error.kind : error),
  );
  return { url, sent, reported, outcome };
}

const github: OAuthSettings = { ...registered, preset: 'github' };
const token = { access_token: 'at', token_type: 'bearer', scope: '' };

describe('the identity of the provider of a subject', () => {
  const tenanted: OAuthSettings = {
    ...registered,
    preset: 'github',
    tenantPath: '/company',
    tenant: 'ours',
  };
  const { tenant: _tenant, tenantPath: _place, ...open } = tenanted;
  it.each<[string, OAuthSettings]>([
    ['tenant', { ...tenanted, tenant: 'theirs' }],
    ['place of the tenant', { ...tenanted, tenantPath: '/organisation' }],
    ['answer that has the tenant', { ...tenanted, tenantIn: 'token' }],
    ['company, where it was pinned and is not', open],
  ])('changes with another %s', (_what, changed) => {
    const { kind } = kindThatIsAnswered([]);
    expect(kind.identityOf(tenanted)).toBe(kind.identityOf({ ...tenanted }));
    expect(kind.identityOf(changed)).not.toBe(kind.identityOf(tenanted));
  });
});

describe('what comes back', () => {
  it.each<[string, (query: URLSearchParams) => string]>([
    ['without a state', () => 'code=x'],
    ['with another state', () => 'code=x&state=y'],
    ['with two states', (query) => `code=x&state=${query.get('state')}&state=y`],
    ['with two codes', (query) => `code=x&code=y&state=${query.get('state')}`],
    ['with an error', (query) => `error=access_denied&state=${query.get('state')}`],
  ])('%s is refused, and nothing is asked', async (_what, answer) => {
    const { outcome, sent } = await journey(github, [[200, token]], answer);
    expect([outcome, sent]).toEqual(['provider_refused', []]);
  });

  it('for a link is refused for a login', async () => {
    const { kind } = kindThatIsAnswered([]);
    const state = async (purpose: 'login' | 'link') =>
      new URL((await kind.authorizationUrl?.(providerOf(github), handle, purpose)) ?? '').searchParams.get(
        'state',
      );
    expect(await state('login')).not.toBe(await state('link'));
  });

  it('ignores an `iss`: each provider has a separate return address', async () => {
    const { outcome } = await journey(
      github,
      [
        [200, token],
        [200, { id: 7 }],
      ],
      (query) => `code=x&iss=https%3A%2F%2Felsewhere.example&state=${query.get('state')}`,
    );
    expect(outcome).toMatchObject({ subject: '7' });
  });
});

describe('GitHub', () => {
  it('is sent a form with secret and verifier, and the token as a bearer', async () => {
    const { url, sent, outcome } = await journey(github, [
      [200, token],
      [200, { id: 583231, login: 'octo', email: 'o@example.com' }],
    ]);
    expect(outcome).toEqual({ subject: '583231', name: 'octo', groups: undefined });
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'c',
      redirect_uri: registered.redirectUri,
      code_challenge_method: 'S256',
    });
    const form = new URLSearchParams(sent[0]?.body);
    expect(Object.fromEntries(form)).toMatchObject({
      grant_type: 'authorization_code',
      client_id: 'c',
      client_secret: 'secret',
      code: 'x',
      redirect_uri: registered.redirectUri,
    });
    expect(form.get('code_verifier')).toHaveLength(43);
    expect(sent[1]).toMatchObject({
      url: 'https://api.github.com/user',
      headers: { authorization: 'Bearer at', 'user-agent': 'portcullis' },
    });
  });

  it.each<[string, readonly (readonly [number, unknown])[]]>([
    ['an error in HTTP 200', [[200, { error: 'bad_verification_code' }]]],
    ['an error beside a token', [[200, { ...token, error: 'x' }]]],
    ['HTTP 400', [[400, token]]],
    ['a token of another type', [[200, { ...token, token_type: 'DPoP' }]]],
    ['no type', [[200, { access_token: 'at' }]]],
    ['no object', [[200, [token]]]],
    [
      'an error about the person',
      [
        [200, token],
        [200, { id: 7, error: 'x' }],
      ],
    ],
    [
      'HTTP 401 about the person',
      [
        [200, token],
        [401, { id: 7 }],
      ],
    ],
  ])('is refused by %s, whatever it would say next', async (_what, answers) => {
    const { outcome } = await journey(github, [...answers, [200, { id: 7 }]]);
    expect(outcome).toBe('provider_refused');
  });

  it('logs no secret, code or token', async () => {
    const { reported } = await journey(github, [[200, { ...token, error: 'a secret in a sentence' }]]);
    const told = JSON.stringify(reported, (_key, value: unknown) =>
      value instanceof Error ? { ...value, message: value.message, cause: value.cause } : value,
    );
    expect(told).toContain('It refuses');
    expect(told).not.toMatch(/sentence|"at"|"secret"/);
  });
});

it('Feishu is sent JSON, and answers with a code of 0 and `data`', async () => {
  const settings: OAuthSettings = { ...registered, preset: 'feishu', tenant: 't' };
  const user = { code: 0, msg: 'success', data: { union_id: 'on_1', name: 'Mei', tenant_key: 't' } };
  const { sent, outcome } = await journey(settings, [
    [200, { code: 0, ...token, token_type: 'Bearer' }],
    [200, user],
  ]);
  expect(outcome).toMatchObject({ subject: 'on_1', name: 'Mei' });
  expect(sent[0]?.headers?.['content-type']).toMatch(/^application\/json/);
  expect(JSON.parse(sent[0]?.body ?? '')).toMatchObject({
    grant_type: 'authorization_code',
    client_id: 'c',
    client_secret: 'secret',
    code: 'x',
    redirect_uri: registered.redirectUri,
    code_verifier: expect.stringMatching(/^.{43}$/),
  });
  const refused = await journey(settings, [
    [200, { code: 0, ...token }],
    [200, { ...user, code: 99991663 }],
  ]);
  expect(refused.outcome).toBe('provider_refused');
});

it('uses DingTalk’s `authCode`, its four JSON fields and its header', async () => {
  const settings: OAuthSettings = { ...registered, preset: 'dingtalk', tenant: 'ding1' };
  const { url, sent, outcome } = await journey(
    settings,
    [
      [200, { accessToken: 'at', refreshToken: 'rt', expireIn: 7200, corpId: 'ding1' }],
      [200, { nick: 'Mei', unionId: 'u1', openId: 'o1' }],
    ],
    (query) => `authCode=x&code=ignored&state=${query.get('state')}`,
  );
  expect(outcome).toMatchObject({ subject: 'u1', name: 'Mei' });
  expect(Object.fromEntries(url.searchParams)).toMatchObject({ scope: 'openid corpid', prompt: 'consent' });
  expect(JSON.parse(sent[0]?.body ?? '')).toEqual({
    clientId: 'c',
    clientSecret: 'secret',
    grantType: 'authorization_code',
    code: 'x',
  });
  expect(sent[1]?.headers).toMatchObject({ 'x-acs-dingtalk-access-token': 'at' });
  expect(sent[1]?.headers).not.toHaveProperty('authorization');
});

describe('WeCom', () => {
  const wecom: OAuthSettings = {
    ...registered,
    preset: 'wecom',
    authorizationParameters: [{ name: 'agentid', value: '1000002' }],
  };
  const app = { errcode: 0, errmsg: 'ok', access_token: 'app', expires_in: 7200 };

  it('is led to with the app, and asked with a token of the app and the code', async () => {
    const { url, sent, outcome } = await journey(wecom, [
      [200, app],
      [200, { errcode: 0, errmsg: 'ok', userid: 'mei' }],
    ]);
    expect(outcome).toMatchObject({ subject: 'mei' });
    expect(Object.fromEntries(url.searchParams)).toEqual({
      login_type: 'CorpApp',
      agentid: '1000002',
      appid: 'c',
      redirect_uri: registered.redirectUri,
      state: expect.any(String),
    });
    expect(sent.map((each) => each.url)).toEqual([
      'https://qyapi.weixin.qq.com/cgi-bin/gettoken?corpid=c&corpsecret=secret',
      'https://qyapi.weixin.qq.com/cgi-bin/auth/getuserinfo?access_token=app&code=x',
    ]);
  });

  it.each<[string, readonly (readonly [number, unknown])[]]>([
    ['a refusal of the app', [[200, { errcode: 40001, errmsg: 'invalid credential' }]]],
    [
      'a refusal of the code',
      [
        [200, app],
        [200, { errcode: 40029 }],
      ],
    ],
    [
      'an outsider',
      [
        [200, app],
        [200, { errcode: 0, openid: 'o1' }],
      ],
    ],
    ['a token that is none', [[200, { errcode: 0, access_token: 7 }]]],
  ])('refuses by %s, whatever it would say next', async (_what, answers) => {
    const { outcome } = await journey(wecom, [...answers, [200, { errcode: 0, userid: 'mei' }]]);
    expect(outcome).toBe('provider_refused');
  });

  it('fetches a token only after the last one expired, or was refused', async () => {
    const { kind, sent } = kindThatIsAnswered([
      [200, app],
      [200, { errcode: 0, userid: 'mei' }],
      [200, { errcode: 0, userid: 'mei' }],
      [200, { errcode: 42001 }],
      [200, app],
      [200, { errcode: 0, userid: 'mei' }],
    ]);
    const provider = providerOf(wecom);
    const handleCallback = async () => {
      const url = new URL((await kind.authorizationUrl?.(provider, handle, 'login')) ?? '');
      const answer = `code=x&state=${url.searchParams.get('state')}`;
      return await kind.handleCallback?.(provider, handle, 'login', answer).then(
        () => 'in',
        () => 'refused',
      );
    };
    expect([
      await handleCallback(),
      await handleCallback(),
      await handleCallback(),
      await handleCallback(),
    ]).toEqual(['in', 'in', 'refused', 'in']);
    expect(sent.filter(({ url }) => url.includes('gettoken'))).toHaveLength(2);
  });
});

describe('the check', () => {
  const look = async (settings: OAuthSettings, secret?: string) => {
    const { kind } = kindThatIsAnswered([
      [400, {}],
      [401, {}],
    ]);
    const findings = await kind.check(providerOf(settings, secret));
    return { ok: findings.every(({ ok }) => ok), text: findings.map(({ text }) => text).join('\n') };
  };

  it('passes where both addresses answer, and says what it cannot know', async () => {
    const { ok, text } = await look(github, 'secret');
    expect(ok).toBe(true);
    expect(text).toMatch(/before the first sign-in/);
    expect(text).toMatch(/never says that a person left[\s\S]*lifetimeSeconds/);
    expect(text).toMatch(/not tried against the real service/);
    expect(text).toMatch(/every account there can log in/);
  });

  it('fails with neither a secret nor PKCE to authenticate the client', async () => {
    const { kind } = kindThatIsAnswered([
      [400, {}],
      [401, {}],
    ]);
    const settings: OAuthSettings = { ...registered, preset: 'dingtalk', tenant: 'd' };
    const findings = await kind.check({ ...providerOf(settings), secret: undefined } as OpenProvider);
    expect(findings.filter(({ ok }) => !ok).map(({ what }) => what)).toEqual(['secret']);
  });
});
