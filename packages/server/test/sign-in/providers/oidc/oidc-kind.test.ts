// A journey to an OpenID provider: what it is led with, what is believed of the answers, and what a check of its settings says.
import { AppError, type OidcSettings } from '@portcullis/contract';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOidcClients } from '../../../../src/sign-in/providers/oidc/oidc-client.ts';
import { createOidcKind } from '../../../../src/sign-in/providers/oidc/oidc-kind.ts';
import type { ProviderFetch } from '../../../../src/sign-in/providers/provider-fetch.ts';
import type { OpenProvider } from '../../../../src/sign-in/providers/provider-kind.ts';

const issuer = 'https://sso.example.com';
const settings: OidcSettings = { issuer, clientId: 'c', redirectUri: 'https://admin.example.com/return' };
const handle = 'h'.repeat(43);

let published: JWK;
let sign: (claims: object, audience?: string) => Promise<string>;
beforeAll(async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  published = { ...(await exportJWK(publicKey)), kid: 'own', alg: 'ES256', use: 'sig' };
  sign = (claims, audience = 'c') =>
    new SignJWT({ ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'own' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(privateKey);
});

interface Asked {
  readonly url: string;
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
}

let asked: Asked[];
let described: Record<string, unknown>;
let keys: () => Response;
let idToken: () => Promise<string>;
let now: number;
beforeEach(() => {
  asked = [];
  now = 0;
  described = {
    issuer,
    jwks_uri: `${issuer}/keys`,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    id_token_signing_alg_values_supported: ['ES256'],
  };
  keys = () => Response.json({ keys: [published] });
  idToken = async () => '';
});

function createKind() {
  const fetch = Object.assign(
    async (url: string, { method, headers, body }: Omit<Asked, 'url'> = {}) => {
      asked.push({ url, method, headers, body });
      if (url.endsWith('/keys')) return keys();
      if (url.endsWith('/token'))
        return Response.json({ access_token: 'at', token_type: 'bearer', id_token: await idToken() });
      return Response.json(described);
    },
    { close: () => {} },
  ) as unknown as ProviderFetch;
  const clients = createOidcClients({ fetch, now: () => now });
  const kind = createOidcKind({ clients, report: () => {} });
  return { kind, clients };
}

const providerOf = (more: Partial<OidcSettings> = {}, secret: string | undefined = 'secret'): OpenProvider =>
  ({ id: 1, key: 'p', settings: { ...settings, ...more }, secret }) as OpenProvider;
const kindOf = async (work: Promise<unknown> | undefined) =>
  await work?.then(
    (value) => value,
    (error: unknown) => (error instanceof AppError ? error.kind : error),
  );

describe('a person', () => {
  const authorizationUrl = async (provider: OpenProvider, purpose: 'login' | 'link' = 'login') =>
    new URL((await createKind().kind.authorizationUrl?.(provider, handle, purpose)) ?? '').searchParams;

  it('is led to the provider with everything that the answer is judged by', async () => {
    const query = await authorizationUrl(providerOf({ scopes: ['profile', 'openid'] }));
    const random = expect.stringMatching(/^[\w-]{43}$/);
    expect(Object.fromEntries(query)).toEqual({
      client_id: 'c',
      response_type: 'code',
      redirect_uri: settings.redirectUri,
      scope: 'openid profile',
      state: random,
      nonce: random,
      code_challenge: random,
      code_challenge_method: 'S256',
    });
    const made = ['state', 'nonce', 'code_challenge'].map((name) => query.get(name));
    expect(new Set(made).size).toBe(3);
    expect((await authorizationUrl(providerOf())).get('scope')).toBe('openid');
    expect((await authorizationUrl(providerOf(), 'link')).get('state')).not.toBe(query.get('state'));
  });

  it('is not led to an address without TLS', async () => {
    described.authorization_endpoint = 'http://sso.example.com/authorize';
    expect(await kindOf(createKind().kind.authorizationUrl?.(providerOf(), handle, 'login'))).toBe(
      'provider_refused',
    );
  });

  it.each([
    ['calls itself by another name', { issuer: 'https://elsewhere.example.com' }],
    ['has no keys', { jwks_uri: undefined }],
  ])('is not led to a provider that %s', async (_what, changed) => {
    described = { ...described, ...changed };
    expect(await kindOf(createKind().kind.authorizationUrl?.(providerOf(), handle, 'login'))).toBe(
      'provider_refused',
    );
  });
});

describe('what comes back', () => {
  /** What an answer with these claims is worth. */
  async function handleCallback(claims: (nonce: string) => object, audience?: string) {
    const { kind } = createKind();
    const provider = providerOf();
    const query = new URL((await kind.authorizationUrl?.(provider, handle, 'login')) ?? '').searchParams;
    idToken = () => sign(claims(query.get('nonce') ?? ''), audience);
    const answer = `code=x&state=${query.get('state')}`;
    return await kindOf(kind.handleCallback?.(provider, handle, 'login', answer));
  }

  it.each<[string, (nonce: string) => object, string?]>([
    ['without a nonce', () => ({ sub: 'mei' })],
    ['with another nonce', () => ({ sub: 'mei', nonce: 'x' })],
    ['for another client', (nonce) => ({ sub: 'mei', nonce }), 'other'],
    ['without a subject', (nonce) => ({ nonce })],
    ['with a subject that cannot be stored', (nonce) => ({ sub: 'a\u0000b', nonce })],
  ])('%s is refused', async (_what, claims, audience) => {
    expect(await handleCallback(claims, audience)).toBe('provider_refused');
  });

  it('is the subject of a signed token, for a code that is redeemed with the verifier', async () => {
    expect(await handleCallback((nonce) => ({ sub: 'mei', nonce, sid: 's' }))).toMatchObject({
      subject: 'mei',
      session: 's',
    });
    const redeemed = new URLSearchParams(asked.find(({ url }) => url.endsWith('/token'))?.body);
    expect(Object.fromEntries(redeemed)).toMatchObject({
      code: 'x',
      redirect_uri: settings.redirectUri,
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
    });
  });
});

describe('the secret', () => {
  async function redeem(ways: readonly string[] | undefined, secret: string | undefined) {
    if (ways !== undefined) described.token_endpoint_auth_methods_supported = ways;
    const { kind } = createKind();
    const provider = { ...providerOf(), secret };
    const query = new URL((await kind.authorizationUrl?.(provider, handle, 'login')) ?? '').searchParams;
    idToken = () => sign({ sub: 'mei', nonce: query.get('nonce') });
    await kind.handleCallback?.(provider, handle, 'login', `code=x&state=${query.get('state')}`);
    const { headers = {}, body } = asked.find(({ url }) => url.endsWith('/token')) ?? {};
    const isBasic = Object.entries(headers).some(
      ([name, value]) => /^authorization$/i.test(name) && /^Basic /.test(value),
    );
    return { isBasic, inBody: new URLSearchParams(body).get('client_secret') };
  }

  it.each<[object, readonly string[] | undefined, string | undefined]>([
    [{ isBasic: false, inBody: null }, undefined, undefined],
    [{ isBasic: true, inBody: null }, undefined, 'secret'],
    [{ isBasic: true, inBody: null }, ['client_secret_post', 'client_secret_basic'], 'secret'],
    [{ isBasic: false, inBody: 'secret' }, ['client_secret_post'], 'secret'],
  ])('is sent as %j to a provider that takes %j, where it is %s', async (expected, ways, secret) => {
    expect(await redeem(ways, secret)).toEqual(expected);
  });
});

describe('a check', () => {
  const check = async (provider = providerOf()) =>
    (await createKind().kind.check(provider)).map(({ what, ok, text }) => ({ what, ok, text }));

  it('says that all is right', async () => {
    described.backchannel_logout_supported = true;
    described.code_challenge_methods_supported = ['plain', 'S256'];
    expect(await check()).toEqual([
      { what: 'discovery', ok: true, text: 'It answers, and can end sessions here.' },
      { what: 'keys', ok: true, text: 'Its keys can be read.' },
      { what: 'secret', ok: true, text: expect.stringContaining('There is one.') },
    ]);
  });

  it('says that the provider ends no sessions, and that there is no secret', async () => {
    const [discovery, , secret] = await check({ ...providerOf(), secret: undefined });
    expect(discovery?.text).toContain('does not say that it ends sessions');
    expect(secret?.text).toContain('There is none');
  });

  it.each<[string, object]>([
    ['an address to sign in at without TLS', { authorization_endpoint: 'http://sso.example.com/a' }],
    ['no address to sign in at', { authorization_endpoint: undefined }],
    ['an address of tokens without TLS', { token_endpoint: 'http://sso.example.com/t' }],
    ['no PKCE with S256', { code_challenge_methods_supported: ['plain'] }],
  ])('fails for %s, and then asks for no keys', async (_what, changed) => {
    described = { ...described, ...changed };
    const findings = await check();
    expect(findings.map(({ what, ok }) => [what, ok])).toEqual([
      ['discovery', false],
      ['secret', true],
    ]);
  });

  it('fails where the keys cannot be read', async () => {
    keys = () => new Response('', { status: 500 });
    expect((await check()).map(({ what, ok }) => [what, ok])).toEqual([
      ['discovery', true],
      ['keys', false],
      ['secret', true],
    ]);
  });
});

it('accepts settings of its kind, at addresses with TLS', () => {
  const { kind } = createKind();
  expect(kind.accepts(settings)).toBe(true);
  expect(kind.accepts({ ...settings, issuer: 'http://sso.example.com' })).toBe(false);
  expect(kind.accepts({ ...settings, redirectUri: 'http://admin.example.com/return' })).toBe(false);
  expect(kind.accepts({ url: 'ldaps://localhost' } as never)).toBe(false);
});

describe('the metadata of a provider', () => {
  const discoveries = () => asked.filter(({ url }) => url.includes('.well-known')).length;

  it('is read once in five minutes, and again for other settings or another secret', async () => {
    const { clients } = createKind();
    const first = await clients.get(providerOf());
    expect(await clients.get(providerOf())).toBe(first);
    now = 299_999;
    await clients.get(providerOf());
    expect(discoveries()).toBe(1);
    now = 300_000;
    await clients.get(providerOf());
    expect(discoveries()).toBe(2);
    await clients.get({ ...providerOf(), secret: 'other' });
    await clients.get({ ...providerOf({ scopes: ['profile'] }), secret: 'other' });
    expect(discoveries()).toBe(4);
  });

  it('is read again at the next use where it could not be read', async () => {
    const { clients } = createKind();
    const sound = described;
    described = { ...sound, issuer: 'https://elsewhere.example.com' };
    await expect(clients.get(providerOf())).rejects.toThrow();
    described = sound;
    await clients.get(providerOf());
    expect(discoveries()).toBe(2);
  });
});
