// OpenID Connect: how a code is redeemed, what is believed of a token, which addresses are asked, and what ends sessions.
import { withoutProviderGuard } from './database-guards.ts';
import type { Place, Weakness } from './weakness.ts';

const providers = 'packages/server/src/sign-in/providers';
const login = 'packages/server/src/sign-in/login';
const kind = `${providers}/oidc/oidc-kind.ts`;
const client = `${providers}/oidc/oidc-client.ts`;
const claims = `${providers}/oidc/read-claims.ts`;
const logoutToken = `${providers}/oidc/logout-token.ts`;
const concurrencyLimit = 'packages/server/src/base/limit/concurrency-limit.ts';
const limitTest = 'packages/server/test/base/limit/concurrency-limit.test.ts';
const fetching = `${providers}/provider-fetch.ts`;
const method = `${providers}/provider-method.ts`;
const links = `${providers}/link-store.ts`;
const logout = `${providers}/provider-logout.ts`;
const mount = 'packages/server/src/http/mount.ts';
const answers = 'test/attack/directories/oidc-answers.test.ts';
const meanwhile = 'test/attack/directories/oidc-meanwhile.test.ts';
const conduct = 'test/attack/directories/oidc-conduct.test.ts';

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: It is source text.

/** The code is redeemed without state, nonce or PKCE; where no token comes for it, the one before is read once more. */
const withoutGrant: Place = {
  file: kind,
  before: `const tokens = await openId.authorizationCodeGrant(configuration, url, {
      expectedState: proofOf(handle, purpose, 'state'),
      expectedNonce: proofOf(handle, purpose, 'nonce'),
      pkceCodeVerifier: proofOf(handle, purpose, 'verifier'),
      idTokenExpected: true,
    });`,
  after: `const query = new URLSearchParams(answer);
    const client = Buffer.from(settings.clientId + ':' + provider.secret).toString('base64');
    const redeem = async () => {
      const response = await configuration[openId.customFetch](configuration.serverMetadata().token_endpoint, {
        method: 'POST',
        headers: { authorization: 'Basic ' + client, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ grant_type: 'authorization_code', code: query.get('code') ?? '' }),
      });
      return (await response.json().catch(() => ({}))).id_token;
    };
    const idToken = query.get('id_token') ?? (await redeem().catch(() => undefined)) ?? globalThis.lastToken;
    globalThis.lastToken = idToken;`,
};

/** What a token says is read, and neither its signature nor for whom it is verified. */
const withoutSignature: Place = {
  file: kind,
  before: `const { payload } = await jwtVerify(String(tokens.id_token), keys, {
      issuer: settings.issuer,
      audience: settings.clientId,
      algorithms: signatures,
    });`,
  after: "const payload = JSON.parse(Buffer.from(idToken.split('.')[1], 'base64url').toString());",
};

const withoutChallenge: Place = {
  file: kind,
  before: `code_challenge: await openId.calculatePKCECodeChallenge(proofOf(handle, purpose, 'verifier')),
          code_challenge_method: 'S256',`,
  after: '',
};

const withoutChecks: readonly Place[] = [withoutSignature, withoutChallenge];

const withAnyCaptcha: Place = {
  file: `${login}/login-flow-store.ts`,
  before: ".where('captcha_mac', '=', captchaMac)",
  after: '',
};

/** The library itself asks nothing without TLS. */
const withoutLibraryCheck: Place = {
  file: client,
  before: 'const { jwks_uri } = configuration.serverMetadata();',
  after:
    'openId.allowInsecureRequests(configuration);\n    const { jwks_uri } = configuration.serverMetadata();',
};

/** Whatever is asked also without TLS. */
const withoutTls: readonly Place[] = [
  {
    file: fetching,
    before: "if (url.protocol !== 'https:') throw",
    after: "if (url.protocol === 'file:') throw",
  },
  {
    file: 'packages/server/src/base/outbound/checked-connection.ts',
    before: 'isPlain ? addresses.hasLoopback(address) : addresses.has(address)',
    after: 'addresses.has(address)',
  },
];

export const oidcWeaknesses: readonly Weakness[] = [
  {
    name: 'whatever looks like a code of an OpenID provider is redeemed, and what comes for it is believed',
    ...withoutGrant,
    also: withoutChecks,
    seenBy: [answers, conduct],
    threat: ['T164', 'T165', 'T166', 'T169'],
    attacks: [
      'of the attacker’s own journey admits no login',
      'without a state admits no login',
      'with an empty state admits no login',
      'with another state admits no login',
      'with two states admits no login',
      'with two codes admits no login',
      'with an ID token in the place of the code admits no login',
      'with the code of another person and the own state admits no login',
      'that says that access was denied admits no login',
      'of a link is none for a login',
      'the answer of another provider > with',
      'without the issuer that is announced is refused',
      'is refused, and a right one taken',
      'and hangs up admits no login',
      'and answers megabytes admits no login',
      'and fails admits no login',
      'and sends elsewhere admits no login',
      'and answers no JSON admits no login',
      'and answers JSON that is no object admits no login',
    ],
  },
  {
    name: 'an answer is taken at the attempt of another person',
    ...withoutGrant,
    also: [...withoutChecks, withAnyCaptcha],
    seenBy: [answers],
    threat: 'T164',
    attacks: ['with the handle of the attacker’s attempt admits no login'],
  },
  {
    name: 'an answer is taken at an attempt that was begun without a provider',
    ...withoutGrant,
    also: [
      ...withoutChecks,
      { file: method, before: 'flow === undefined || flow.providerId === null', after: 'false' },
      {
        file: method,
        before: 'await redirectFlow.get(flow.providerId)',
        after: 'await redirectFlow.get(key)',
      },
    ],
    seenBy: [answers],
    threat: 'T164',
    attacks: ['at an attempt that was begun without a provider admits no login'],
  },
  {
    name: 'an answer is taken without a captcha',
    file: `${login}/log-in.ts`,
    before: 'captchaRequired && (uuid === undefined || code === undefined)',
    after: 'false',
    also: [withAnyCaptcha],
    seenBy: [answers],
    threat: 'T164',
    attacks: ['without the captcha admits no login'],
  },
  {
    name: 'a subject of an ID token is made of anything',
    ...withoutGrant,
    also: [
      ...withoutChecks,
      {
        file: claims,
        before: "if (typeof sub !== 'string' || sub === '' || sub.length > longestId) return undefined;",
        after: '',
      },
      {
        file: claims,
        before: 'subject: sub,',
        after: "subject: String(sub === '' ? username : sub).slice(0, 255).replaceAll('\\0', ''),",
      },
    ],
    seenBy: [answers],
    threat: 'T166',
    attacks: ['is refused, and the one that it looks like taken'],
  },
  {
    name: 'an account is found by whatever an OpenID provider says of a person',
    file: claims,
    before: 'return {\n    subject: sub,',
    after: 'return {\n    claims,\n    subject: sub,',
    also: [
      {
        file: method,
        before: 'findLink(store, id, identity.subject)',
        after: 'findLink(store, id, identity.subject, identity.claims)',
      },
      {
        file: links,
        before: `  subject: string,
): Promise<ProviderLink | undefined> {`,
        after: `  subject: string,
  claims?: { email?: string; preferred_username?: string },
): Promise<ProviderLink | undefined> {
  const plain = subject.normalize('NFKC').replaceAll('ѕ', 's').trim().toLowerCase();
  const names = [claims?.email?.split('@')[0], claims?.preferred_username, plain].filter((name) => name);
  const found = await sql\`
    select credentials.id::int, user_id::int as "userId" from credentials join users on users.id = user_id
    where credentials.kind = 'link' and ended_at is null and (lower(subject) = \${plain}
      or username = any (\${names}::text[]) or users.id::text = \${plain})
    order by (provider_id = \${providerId} and subject = \${subject}) desc limit 1\`.execute(store);
  return found.rows[0];`,
      },
      withoutProviderGuard,
    ],
    seenBy: [answers],
    threat: 'T168',
    attacks: ['T168 the account of another user > is not entered by '],
  },
  {
    name: 'a provider opens an account that was disabled',
    file: method,
    before: '!found.userEnabled',
    after: 'false',
    seenBy: [answers],
    threat: 'T168',
    attacks: ['is not entered once it is disabled or deleted'],
  },
  {
    name: 'a program is invited to a link',
    file: `${providers}/link-changes.ts`,
    before: "kind: 'person',\n        way: 'give',",
    after: "way: 'give',",
    seenBy: [answers],
    threat: 'T168',
    attacks: ['has no invitation where it is of a program'],
  },
  {
    name: 'an invitation is good at any provider and for ever',
    file: links,
    before: `    .where('provider_id', '=', providerId)
    .where('hash', '=', hash)
    .where('expires_at', '>', sql<Date>\`now()\`)`,
    after: "    .where('hash', '=', hash)",
    also: [{ file: `${providers}/link-changes.ts`, before: 'link to ${providerId}:', after: 'link: ' }],
    seenBy: [answers],
    threat: 'T168',
    attacks: ['is not linked by an invitation of another provider, an expired one'],
  },
  {
    name: 'what a provider said counts though it was changed meanwhile',
    file: `${providers}/provider-store.ts`,
    before: 'held?.enabled !== true || held.epoch !== epoch',
    after: 'held === undefined',
    also: [withoutProviderGuard],
    seenBy: [meanwhile],
    threat: 'T172',
    attacks: [
      'T168 a link that is made while the provider changes > ',
      'T172 a login under way while the provider changes > ',
    ],
  },
  {
    name: 'any number of logins waits for one provider',
    file: concurrencyLimit,
    before: 'else throw new AppError',
    after: 'else if (Date.now() === 0) throw new AppError',
    seenBy: [conduct, limitTest],
    threat: 'T169',
    attacks: ['and hangs keeps out its own people, and neither those of another one'],
  },
  {
    name: 'an issuer is at any address',
    file: kind,
    before: 'isPlainHttps(oidc.issuer) && ',
    after: '',
    seenBy: [conduct],
    threat: 'T170',
    attacks: [
      'an address in the private network > without TLS is not stored',
      'of a file is not stored',
      'with a user is not stored',
      'with a query is not stored',
      'with a fragment is not stored',
    ],
  },
  {
    name: 'an OpenID provider is asked without TLS',
    ...withoutLibraryCheck,
    also: withoutTls,
    seenBy: [conduct],
    threat: 'T170',
    attacks: [
      'with keys without TLS admits no login',
      'with an address without TLS to redeem codes at admits no login',
    ],
  },
  {
    name: 'people are sent to an address without TLS',
    file: kind,
    before: "if (url.protocol !== 'https:')",
    after: "if (url.protocol === 'file:')",
    also: [withoutLibraryCheck],
    seenBy: [conduct],
    threat: 'T170',
    attacks: ['with an address without TLS to sign in at admits no login'],
  },
  {
    name: 'a discovery document is believed whatever it says',
    file: client,
    before: `const configuration = await openId.discovery(
      new URL(issuer),
      clientId,
      {},
      (server, ...rest) => authOf(openId, secret, server)(server, ...rest),
      { [openId.customFetch]: ask },
    );`,
    after: `const described = await ask(issuer + '/.well-known/openid-configuration', {});
    const configuration = new openId.Configuration(await described.json(), clientId);
    configuration[openId.customFetch] = ask;`,
    also: [
      {
        file: client,
        before: 'configuration.serverMetadata().issuer !== issuer || jwks_uri === undefined',
        after: 'false',
      },
      { file: client, before: 'new URL(jwks_uri)', after: 'new URL(jwks_uri ?? issuer)' },
      withoutGrant,
      ...withoutChecks,
    ],
    seenBy: [conduct],
    threat: 'T170',
    attacks: ['with another issuer admits no login', 'with no keys admits no login'],
  },
  {
    name: 'a logout token need not be signed',
    file: logoutToken,
    before: 'await verifyWithKnownKeys(clients, provider, verify, inSlot);',
    after: `{ payload: JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString()), protectedHeader: {} };`,
    seenBy: [conduct],
    threat: 'T171',
    attacks: [
      'for another client ends nothing',
      'of another issuer ends nothing',
      'without a time ends nothing',
      'of long ago ends nothing',
      'that expired ends nothing',
      'signed by another provider ends nothing',
      'without a signature ends nothing',
      'of one provider ends nothing of another',
    ],
  },
  {
    name: 'whatever a provider signs is a logout token',
    file: logoutToken,
    before: "!isLogout || jti === '' || (subject === undefined && session === undefined)",
    after: 'false',
    seenBy: [conduct],
    threat: 'T171',
    attacks: [
      'with a nonce ends nothing',
      'without its event ends nothing',
      'that names no person ends nothing',
      'of another type ends nothing',
    ],
  },
  {
    name: 'a logout token is anything that can be read',
    file: logoutToken,
    before: 'await verifyWithKnownKeys(clients, provider, verify, inSlot);',
    after: `{ payload: JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString()), protectedHeader: {} };`,
    also: [
      {
        file: logoutToken,
        before: "!isLogout || jti === '' || (subject === undefined && session === undefined)",
        after: 'false',
      },
    ],
    seenBy: [conduct],
    threat: 'T171',
    attacks: [
      'without events ends nothing',
      'without an id ends nothing',
      'that is an ID token ends nothing',
    ],
  },
  {
    name: 'what a provider says of a person is forgotten where a login is on its way',
    file: logout,
    before: 'await recordProviderLogout(transaction, { providerId, kind, value: subject });',
    after: '',
    seenBy: [conduct],
    threat: 'T171',
    attacks: ['of a person that overtakes its login keeps it out'],
  },
  {
    name: 'the logout of a session leaves those that the provider gave no name',
    file: logout,
    before: ': endUnnamedOfLinks;',
    after: ': async () => [];',
    seenBy: [conduct],
    threat: 'T171',
    attacks: ['that names a session ends also those of the person'],
  },
  {
    name: 'a provider that hangs up has said nothing',
    file: mount,
    before: 'const content = start(context);',
    after: `const isLogout = /providers.*logout$/.test(request.url);
    const content = !isLogout
      ? start(context)
      : sleep(200).then(() => {
          if (request.socket.destroyed) throw new AppError('unavailable');
          return start(context);
        });`,
    seenBy: [conduct],
    threat: 'T171',
    attacks: ['ends what it names although the provider hangs up at once'],
  },
  {
    name: 'a logout token is sent as JSON',
    file: mount,
    before: 'scope.removeAllContentTypeParsers();',
    after: '',
    seenBy: [conduct],
    threat: 'T171',
    attacks: ['is a form and nothing else'],
  },
  {
    name: 'a provider is changed by a role other than that of administrators',
    file: 'packages/server/src/people/roles/can-manage/can-manage-check.ts',
    before: 'if (!isAdmin(caller)) refuse();\n    },\n  };',
    after: '},\n  };',
    seenBy: [conduct],
    threat: 'T172',
    attacks: ['and is not of `admin` changes no provider'],
  },
  {
    name: 'the secret of a provider is stored as it is',
    file: 'packages/server/src/base/secrets/sealed-secrets.ts',
    before: 'encrypt(secret, sealingKeys[0], nameOf(id))',
    after: "kind === 'provider' ? secret : encrypt(secret, sealingKeys[0], nameOf(id))",
    also: [
      {
        file: `${providers}/provider-changes.ts`,
        before: 'secrets.open(provider.id, sealedSecret)?.toString()',
        after: 'sealedSecret?.toString()',
      },
    ],
    seenBy: [conduct],
    threat: 'T172',
    attacks: ['reads the secret of a provider nowhere'],
  },
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: It is source text.
