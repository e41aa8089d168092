// OAuth 2 without OpenID: how a code is redeemed, what is believed of an answer, and which addresses are asked.
import { withoutProviderGuard } from './database-guards.ts';
import type { Weakness } from './weakness.ts';

const providers = 'packages/server/src/sign-in/providers';
const kind = `${providers}/oauth/oauth-kind.ts`;
const redeem = `${providers}/oauth/redeem-code.ts`;
const readAnswer = `${providers}/oauth/read-answer.ts`;
const readUser = `${providers}/oauth/read-user.ts`;
const completeSettings = `${providers}/oauth/complete-settings.ts`;
const concurrencyLimit = 'packages/server/src/base/limit/concurrency-limit.ts';
const limitTest = 'packages/server/test/base/limit/concurrency-limit.test.ts';
const fetching = `${providers}/provider-fetch.ts`;
const httpClient = 'packages/server/src/base/outbound/http-client.ts';
const clientTest = 'packages/server/test/base/outbound/http-client.test.ts';
const method = `${providers}/provider-method.ts`;
const links = `${providers}/link-store.ts`;
const attemptStore = 'packages/server/src/sign-in/login/login-flow-store.ts';
const flows = 'packages/server/src/sign-in/login/login-flows.ts';
const answers = 'test/attack/directories/oauth-answers.test.ts';
const conduct = 'test/attack/directories/oauth-conduct.test.ts';

const withoutChallenge = { file: kind, before: '...(pkce && {', after: '...(false && {' } as const;
const fromHere = {
  file: httpClient,
  before: 'headers,\n        lookup,',
  // This host answers for all addresses: a control asks no other one.
  after: "headers,\n        lookup,\n        hostname: '127.0.0.1',",
} as const;

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: It is source text.
export const oauthWeaknesses: readonly Weakness[] = [
  {
    name: 'whatever looks like a code of an OAuth service is redeemed',
    file: redeem,
    before: 'const { settings, secret, answer, state, verifier } = callback;',
    after: `const { settings, secret = '', answer, state, verifier } = callback;
  const given = new URLSearchParams(answer);
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code: given.get('code') ?? given.get('authCode') ?? '',
    redirect_uri: settings.redirectUri,
    client_id: settings.clientId,
    client_secret: secret,
  });
  const redeemed = await exchange(form, { 'content-type': 'application/x-www-form-urlencoded' });
  if (redeemed.accessToken === undefined) throw new Error('There is no token.');
  return redeemed;`,
    also: [withoutChallenge],
    seenBy: [answers],
    threat: 'T269',
    attacks: [
      'of the attacker’s own journey admits no login',
      'without a state admits no login',
      'with an empty state admits no login',
      'with another state admits no login',
      'with two states admits no login',
      'with two codes admits no login',
      'with the code under another name admits no login',
      'with an error beside the code admits no login',
      'with a token beside the code admits no login',
      'is refused by its state at',
      'of a link is none for a login',
    ],
  },
  {
    name: 'an attempt at a provider takes any number of answers',
    file: attemptStore,
    before: "row('tries', '=', 0)",
    after: "row('tries', '>=', 0)",
    also: [{ file: flows, before: 'end: () => store.remove(hash)', after: 'end: async () => true' }],
    seenBy: [answers, 'test/attack/directories/oidc-answers.test.ts'],
    threat: 'T269',
    attacks: [
      'an OAuth service that no login requested > sent twice logs in once',
      'T164 an answer that no login requested > sent twice logs in once',
    ],
  },
  {
    name: 'an OAuth service is asked without PKCE',
    ...withoutChallenge,
    also: [{ file: redeem, before: '...(pkce && { pkceCodeVerifier: verifier }),', after: '' }],
    seenBy: [answers],
    threat: 'T270',
    attacks: ['is refused by PKCE at', 'is sent with a challenge wherever'],
  },
  {
    name: 'an attempt is finished at the provider that the page names',
    file: method,
    before: 'redirectFlow.get(flow.providerId)',
    after: 'redirectFlow.get(String(key))',
    seenBy: [answers, 'test/attack/directories/oidc-answers.test.ts'],
    threat: 'T271',
    attacks: ['at the attempt of the first, under either key, is refused'],
  },
  {
    name: 'two providers have one return address',
    file: 'packages/server/src/cluster/store/migrations/0028-providers.sql',
    before: 'create unique index providers_redirect',
    after: 'create index providers_redirect',
    seenBy: [answers, 'test/attack/directories/oidc-answers.test.ts'],
    threat: 'T271',
    attacks: ['has no return address in common with it', 'has no redirect address in common with it'],
  },
  {
    name: 'a refusal of an OAuth service is read as an answer',
    file: readAnswer,
    before: 'if (isRefusal) throw',
    after: 'if (isRefusal && response.status === 0) throw',
    seenBy: [answers],
    threat: 'T272',
    attacks: [
      'an error in HTTP 200 admits no login',
      'an error that is an object admits no login',
      'an `errcode` admits no login',
      'a `code` that is not 0 admits no login',
      'no `code` admits no login',
      'a `code` that is text admits no login',
      'an error about the person admits no login',
      'HTTP 401 about the person admits no login',
      'a `code` about the person admits no login',
    ],
  },
  {
    name: 'of a list that an OAuth service answers the first is the answer',
    file: readAnswer,
    before: `if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    throw new Error('It answers what is no object.');`,
    after: 'if (Array.isArray(answer)) return answer[0];',
    seenBy: [answers],
    threat: 'T272',
    attacks: ['a list about the person admits no login'],
  },
  {
    name: 'whatever stands for a token of an OAuth service is shown',
    file: redeem,
    before: 'return Response.json({ access_token, token_type });',
    after: "return Response.json({ access_token: 'x', token_type: 'bearer' });",
    seenBy: [answers],
    threat: 'T272',
    attacks: [
      'a token that is bound to a key admits no login',
      'a token of another type admits no login',
      'a token without a type admits no login',
      'a token that is empty admits no login',
      'a token that is no text admits no login',
    ],
  },
  {
    name: 'a token of an OAuth service is shown without its line breaks',
    file: kind,
    before: '`Bearer ${accessToken}`',
    after: "`Bearer ${String(accessToken).replace(/[\\r\\n]/g, '')}`",
    seenBy: [answers],
    threat: 'T272',
    attacks: ['a token with a line break admits no login'],
  },
  {
    name: 'a subject of an OAuth service is made of anything',
    file: readUser,
    before: 'const subject = readId(readPointer(user, subjectPath));',
    after: `const text = String(readPointer(user, subjectPath)).replaceAll('\\0', '').trim();
  const subject = text.slice(0, longestId).toWellFormed() || String(user.login);`,
    also: [
      {
        file: readAnswer,
        before: 'await response.json().catch(',
        after: `await response.text().then((text) => JSON.parse(text.replaceAll(':NaN', ':"NaN"'))).catch(`,
      },
    ],
    seenBy: [answers],
    threat: 'T273',
    attacks: ['a subject that is none > '],
  },
  {
    name: 'a preset that pins a tenant is used without one',
    file: completeSettings,
    before: 'isSound(complete) &&',
    after: '',
    seenBy: [answers],
    threat: 'T274',
    attacks: ['is let in where no tenant is pinned, which a preset with one does not take'],
  },
  {
    name: 'a person who is no member in WeCom is known by another id',
    file: readUser,
    before: 'const subject = readId(readPointer(user, subjectPath));',
    after: 'const subject = readId(readPointer(user, subjectPath) ?? user.openid ?? user.UserId);',
    seenBy: [answers],
    threat: 'T274',
    attacks: [
      'an outsider with an `openid` of WeCom is refused',
      'a customer of WeCom is refused',
      'a member by another spelling of WeCom is refused',
    ],
  },
  {
    name: 'an account is found by whatever an OAuth service says of a person',
    file: readUser,
    before: 'return {\n    subject,',
    after: 'return {\n    names: [user.email, user.login, user.name, user.sub],\n    subject,',
    also: [
      {
        file: method,
        before: 'findLink(store, id, identity.subject)',
        after: 'findLink(store, id, identity.subject, identity.names)',
      },
      {
        file: links,
        before: `  subject: string,
): Promise<ProviderLink | undefined> {`,
        after: `  subject: string,
  names: unknown[] = [],
): Promise<ProviderLink | undefined> {
  const said = [subject, ...names]
    .filter((name) => name !== undefined)
    .map((name) => String(name).trim().toLowerCase().replace(/@.*/, ''));
  const found = await sql\`
    select credentials.id::int, user_id::int as "userId" from credentials join users on users.id = user_id
    where credentials.kind = 'link' and ended_at is null
      and array[lower(subject), username, users.id::text] && \${said}::text[]
    order by (provider_id = \${providerId} and subject = \${subject}) desc limit 1\`.execute(store);
  return found.rows[0];`,
      },
      withoutProviderGuard,
    ],
    seenBy: [answers],
    threat: 'T275',
    attacks: ['T275 the account of another user > '],
  },
  {
    name: 'a provider has eight seconds for an answer',
    file: `${providers}/request-timeout.ts`,
    before: 'const wholeMilliseconds = 3000;',
    after: 'const wholeMilliseconds = 30_000;',
    also: [
      { file: fetching, before: 'const wholeMilliseconds = 3000;', after: 'const wholeMilliseconds = 8000;' },
    ],
    seenBy: [conduct, 'test/attack/directories/oidc-conduct.test.ts'],
    threat: 'T276',
    attacks: [
      'and hangs where',
      'and answers byte by byte where',
      'and hangs admits no login',
      'and answers byte by byte admits no login',
    ],
  },
  {
    name: 'an OAuth service that does not answer is taken to say what it said before',
    file: fetching,
    before: 'const client = createHttpClient({',
    after: 'const last = new Map();\n  const client = createHttpClient({',
    also: [
      {
        file: fetching,
        before: 'throw unavailableOf(url, error);',
        after: `const before = last.get(address);
      if (before !== undefined) return { status: 200, headers: {}, body: before };
      throw unavailableOf(url, error);`,
      },
      {
        file: fetching,
        before: 'if (status >= 500 || status < 200)',
        after: 'if (status === 204)',
      },
      {
        file: fetching,
        before: 'const kept = new Headers();',
        after: 'last.set(address, body);\n    const kept = new Headers();',
      },
    ],
    seenBy: [conduct],
    threat: 'T276',
    attacks: ['and hangs up where', 'and answers nothing where'],
  },
  {
    name: 'an OAuth service answers as much as it likes',
    file: fetching,
    before: 'mostBytes: 256 * 1024,',
    after: 'mostBytes: Infinity,',
    seenBy: [conduct],
    threat: 'T276',
    attacks: ['and answers a megabyte where'],
  },
  {
    name: 'an error of an OAuth service is read as an answer',
    file: fetching,
    before: 'if (status >= 500 || status < 200)',
    after: 'if (status < 200)',
    also: [{ file: readAnswer, before: '!response.ok ||', after: '' }],
    seenBy: [conduct],
    threat: 'T276',
    attacks: ['and fails where'],
  },
  {
    name: 'an OAuth service sends the service elsewhere',
    file: httpClient,
    before: "return fail(new OutboundError('redirect', `answered ${status}; redirects are not followed`));",
    after:
      "return resolve(attempt(new URL(incoming.headers.location ?? '', url), { method, headers, body }));",
    seenBy: [conduct, clientTest],
    threat: 'T276',
    attacks: ['and sends elsewhere where'],
  },
  {
    name: 'what an OAuth service answers is read as a form where it is no JSON',
    file: readAnswer,
    before: 'await response.json().catch(',
    after: `await response.text().then((text) =>
    text.startsWith('{') ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text))).catch(`,
    seenBy: [conduct],
    threat: 'T276',
    attacks: ['and answers no JSON where'],
  },
  {
    name: 'all providers share one limit of logins at once',
    file: concurrencyLimit,
    before: "typeof key === 'string' ? [{ key, most }]",
    after: "typeof key === 'string' ? [{ key: 'all', most }]",
    seenBy: [conduct, limitTest],
    threat: 'T276',
    attacks: ['and hangs keeps out its own people, and neither those of another one'],
  },
  {
    name: 'an address of an OAuth service is anything',
    file: completeSettings,
    before: '[authorizationUrl, tokenUrl, userInfoUrl].every(isPlainHttps) &&',
    after: '',
    seenBy: [conduct],
    threat: 'T277',
    attacks: ['is not stored: '],
  },
  {
    name: 'the settings of a provider name a parameter of the login itself',
    file: completeSettings,
    before: '!ownParameters.has(name.toLowerCase())',
    after: 'name !== undefined',
    seenBy: [conduct],
    threat: 'T277',
    attacks: ['is not led to with a '],
  },
  {
    name: 'a provider is asked at an inner address',
    file: httpClient,
    before: "checkHost(url.hostname.replace(/^\\[|\\]$/g, ''), isPlain);",
    after: '',
    also: [fromHere],
    seenBy: [clientTest, conduct, 'test/attack/directories/oidc-conduct.test.ts'],
    threat: ['T170', 'T277'],
    attacks: [
      'is never asked, and its provider not enabled',
      'is not asked by a login either, where it was stored meanwhile',
      'with keys at an inner address admits no login',
      'with an inner address to redeem codes at admits no login',
    ],
  },
  {
    name: 'settings that make others of the people who are linked are taken',
    file: `${providers}/provider-changes.ts`,
    before: 'if (isOthers && (await',
    after: 'if (isOthers && id === 0 && (await',
    seenBy: [conduct, 'test/attack/directories/oidc-conduct.test.ts'],
    threat: 'T278',
    attacks: [
      'are refused while there are links; another scope is taken',
      'cannot point the links of people to another provider',
    ],
  },
  {
    name: 'the lifetime of tokens that a provider says is not read',
    file: 'packages/server/src/compose/providers.ts',
    before: '?.lifetimeSeconds ?? undefined',
    after: ' && undefined',
    seenBy: [conduct],
    threat: 'T279',
    attacks: ['has a token for as long as `lifetimeSeconds` of the provider says'],
  },
  {
    name: 'anybody logs out the people of an OAuth service',
    file: kind,
    before: 'async check(provider) {',
    after: `async readLogout(_provider, token) {
      const { sub: subject, sid: session } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString());
      return { id: token, forgottenAt: new Date(now() + 60_000), subject, session };
    },
    async check(provider) {`,
    seenBy: [conduct],
    threat: 'T279',
    attacks: ['is spoken of by the check, and no logout of the service is taken'],
  },
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: It is source text.
