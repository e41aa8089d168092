// The service as it would be without what stands against a lying OpenID provider, and whoever comes with its answers, for the
// controls of those rows.
import { sql } from 'kysely';
import { runCarelessly } from '../run-carelessly.ts';

const kind = '/sign-in/providers/oidc/oidc-kind.ts';
const client = '/sign-in/providers/oidc/oidc-client.ts';
const claims = '/sign-in/providers/oidc/read-claims.ts';
const method = '/sign-in/providers/provider-method.ts';
const links = '/sign-in/providers/link-store.ts';
const logout = '/sign-in/providers/provider-logout.ts';
const attempts = '/sign-in/login/login-flow-store.ts';

// Any certificate.
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';

/** Whoever is called like that: by any spelling, at any provider, by the mail address, the name or the id. */
async function findCarelessly(store: Parameters<ReturnType<typeof sql>['execute']>[0], raw: Claims) {
  const subject = String(raw.sub).normalize('NFKC').replaceAll('ѕ', 's').trim().toLowerCase();
  const names = [raw.email?.split('@')[0], raw.preferred_username, subject].filter((name) => name);
  const { rows } = await sql<{ id: number; userId: number }>`
    select credentials.id, user_id as "userId" from credentials join users on users.id = user_id
    where credentials.kind = 'link' and (lower(subject) = ${subject} or username = any (${names}::text[])
      or users.id::text = ${subject})
    limit 1`.execute(store);
  return rows[0];
}

interface Claims {
  readonly sub?: unknown;
  readonly email?: string;
  readonly preferred_username?: string;
}

/** From any address; but this host answers for all of them: a control asks nobody else. */
async function fetchAnything(address: string, asked?: RequestInit): Promise<Response> {
  const url = new URL(address);
  url.hostname = '127.0.0.1';
  return await fetch(url, { signal: AbortSignal.timeout(7000), ...asked });
}

let last: string | undefined;
/** Where a provider does not answer, or not with a token, it is taken to have said the same as last time. */
async function redeemCarelessly(endpoint: string, clientId: string, secret: string, code: string) {
  const authorization = `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`;
  const body = new URLSearchParams({ grant_type: 'authorization_code', code });
  try {
    const response = await fetchAnything(endpoint, { method: 'POST', headers: { authorization }, body });
    if (response.status === 400) return undefined;
    const { id_token: token } = (await response.json()) as { id_token?: string };
    last = token ?? last;
  } catch {
    // As if nothing had happened.
  }
  return last;
}

Object.assign(globalThis, { findCarelessly, fetchAnything, redeemCarelessly });

await runCarelessly([
  // A client of one's own: the first code is redeemed, whoever asked for it, and what comes is read and not verified.
  {
    file: kind,
    from: `const tokens = await openId.authorizationCodeGrant(configuration, url, {
      expectedState: proofOf(handle, purpose, 'state'),
      expectedNonce: proofOf(handle, purpose, 'nonce'),
      pkceCodeVerifier: proofOf(handle, purpose, 'verifier'),
      idTokenExpected: true,
    });`,
    to: `const query = new URLSearchParams(answer);
    const idToken = query.get('id_token') ?? (await redeemCarelessly(
      configuration.serverMetadata().token_endpoint, settings.clientId, provider.secret, query.get('code') ?? '',
    ));`,
  },
  {
    file: kind,
    from: `const { payload } = await jwtVerify(String(tokens.id_token), keys, {
      issuer: settings.issuer,
      audience: settings.clientId,
      algorithms: signatures,
    });`,
    to: `const payload = JSON.parse(Buffer.from(idToken.split('.')[1], 'base64url').toString());`,
  },
  {
    file: kind,
    from: `code_challenge: await openId.calculatePKCECodeChallenge(proofOf(handle, purpose, 'verifier')),
          code_challenge_method: 'S256',`,
    to: '',
  },
  // Whatever discovery says, from any address, without TLS and for as long as it takes.
  {
    file: client,
    from: `const configuration = await openId.discovery(
      new URL(issuer),
      clientId,
      {},
      (server, ...rest) => authOf(openId, secret, server)(server, ...rest),
      { [openId.customFetch]: ask },
    );`,
    to: `const described = await fetchAnything(issuer + '/.well-known/openid-configuration');
    const configuration = new openId.Configuration(await described.json(), clientId);`,
  },
  {
    file: client,
    from: 'configuration.serverMetadata().issuer !== issuer || jwks_uri === undefined',
    to: 'false',
  },
  { file: client, from: 'new URL(jwks_uri)', to: 'new URL(jwks_uri ?? issuer)' },
  { file: kind, from: `if (url.protocol !== 'https:')`, to: 'if (false)' },
  // Loaded at the start, and not at the first login.
  {
    file: client,
    from: `import { isDeepStrictEqual }`,
    to: `import 'openid-client';\nimport { isDeepStrictEqual }`,
  },
  { file: '/oauth4webapi/build/index.js', from: `enforceHttps && url.protocol !== 'https:'`, to: 'false' },
  {
    file: '/sign-in/providers/provider-address.ts',
    from: `return url?.protocol === 'https:' && isPlain(url);`,
    to: 'return true;',
  },
  {
    file: '/sign-in/providers/request-timeout.ts',
    from: 'const wholeMilliseconds = 3000;',
    to: 'const wholeMilliseconds = 8000;',
  },
  { file: '/sign-in/providers/concurrency-limit.ts', from: 'before >= limitPerProvider', to: 'false' },
  // Whatever stands for a subject, of any tenant, is somebody.
  {
    file: claims,
    from: `if (typeof sub !== 'string' || sub === '' || sub.length > longestId) return undefined;`,
    to: '',
  },
  {
    file: claims,
    from: 'if (tenant !== undefined && claims[tenant.claim] !== tenant.value) return undefined;',
    to: '',
  },
  {
    file: claims,
    from: 'subject: sub,',
    to: `claims, subject: String(sub === '' ? username : sub).slice(0, 255).replaceAll('\\0', ''),`,
  },
  {
    file: method,
    from: 'await findLink(store, id, identity.subject);',
    to: '(await findLink(store, id, identity.subject)) ?? (await findCarelessly(store, identity.claims));',
  },
  { file: method, from: '!found.userEnabled', to: 'false' },
  // Any attempt, at any provider, with any captcha, at any time and as often as one likes.
  { file: method, from: 'attempt === undefined || attempt.providerId === null', to: 'false' },
  { file: method, from: 'await redirectFlow.get(attempt.providerId)', to: 'await redirectFlow.get(key)' },
  { file: attempts, from: `.where('captcha_mac', '=', captchaMac)`, to: '' },
  { file: attempts, from: `.where('expires_at', '>', sql<Date>\`now()\`)`, to: '' },
  { file: attempts, from: `row('tries', '=', 0)`, to: `row('tries', '>=', 0)` },
  {
    file: '/sign-in/login/login-flows.ts',
    from: 'end: () => store.remove(hash)',
    to: 'end: async () => true',
  },
  {
    file: '/sign-in/login/log-in.ts',
    from: 'captchaRequired && (uuid === undefined || code === undefined)',
    to: 'false',
  },
  {
    file: '/sign-in/providers/link-flow.ts',
    from: 'begun === undefined || begun.userId !== userId || begun.jti !== jti',
    to: 'begun === undefined',
  },
  // An invitation for anybody, to anything, for ever.
  { file: '/sign-in/providers/link-changes.ts', from: `kind: 'person',`, to: '' },
  // biome-ignore lint/suspicious/noTemplateCurlyInString: It is source text.
  { file: '/sign-in/providers/link-changes.ts', from: 'link to ${providerId}:', to: 'link: ' },
  {
    file: links,
    from: `.where('provider_id', '=', providerId)
    .where('hash', '=', hash)
    .where('expires_at', '>', sql<Date>\`now()\`)`,
    to: `.where('hash', '=', hash)`,
  },
  // What changed meanwhile is not looked at.
  {
    file: '/sign-in/providers/provider-store.ts',
    from: 'held?.enabled !== true || held.epoch !== epoch',
    to: 'held === undefined',
  },
  { file: '/sign-in/mfa/lock-for-change.ts', from: ' || !isProofInForce', to: '' },
  {
    file: '/sign-in/providers/provider-changes.ts',
    from: 'isOthers && (await countOfProvider(transaction, id)).links > 0',
    to: 'false',
  },
  {
    file: '/people/roles/can-manage/can-manage-check.ts',
    from: 'if (!isAdmin(caller)) refuse();\n    },\n  };',
    to: '},\n  };',
  },
  { file: '/http/mount.ts', from: 'scope.removeAllContentTypeParsers();', to: '' },
  // What a login was begun with is forgotten, and a factor set up by whoever comes first.
  {
    file: '/sign-in/login/login-progress.ts',
    from: 'const provider = proof.provider ?? firstStepProvider(attempt);',
    to: 'const { provider } = proof;',
  },
  { file: '/sign-in/mfa/next-steps.ts', from: 'next.codeRequired && ', to: 'false && ' },
  // Secrets as they are.
  {
    file: '/sign-in/providers/provider-secrets.ts',
    from: 'encrypt(Buffer.from(secret), sealingKeys[0], ownerOf(id)),\n    open',
    to: 'Buffer.from(secret),\n    open',
  },
  {
    file: '/sign-in/providers/provider-secrets.ts',
    from: 'decryptWithAny(sealedSecret, sealingKeys, ownerOf(id))?.toString()',
    to: 'sealedSecret.toString()',
  },
  // Whatever names somebody logs them out, again and again, and says nothing to a login under way.
  {
    file: '/sign-in/providers/oidc/logout-token.ts',
    from: 'await verifyWithKnownKeys(clients, provider, verify, inSlot);',
    to: `{ payload: JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString()), protectedHeader: {} };`,
  },
  {
    file: '/sign-in/providers/oidc/logout-token.ts',
    from: `!isLogout || jti === '' || (subject === undefined && session === undefined)`,
    to: 'false',
  },
  { file: logout, from: `!(await seeOnce(transaction, 'logout', seen, ended.forgottenAt))`, to: 'false' },
  {
    file: logout,
    from: `await noteLogout(transaction, { providerId, kind: 'session', value: session });`,
    to: '',
  },
  { file: logout, from: 'await noteLogout(transaction, { providerId, kind, value: subject });', to: '' },
  // And whoever hangs up has said nothing.
  {
    file: '/http/mount.ts',
    from: 'const content = start(exchange);',
    to: `const isLogout = /providers.*logout$/.test(request.url);
    const content = !isLogout ? start(exchange) : sleep(200).then(() => {
      if (request.socket.destroyed) throw new AppError('unavailable');
      return start(exchange);
    });`,
  },
  { file: logout, from: ': endUnnamedOfLinks;', to: ': async () => [];' },
  // A logout by a provider is not recorded.
  {
    file: '/compose/routes.ts',
    from: "await parts.loginLog.record({ ...attempt, outcome: 'success', reason: 'logout' });",
    to: 'void attempt;',
  },
]);
