// The service as it would be without what stands against an OAuth service that lies, for the controls of those rows: a client
// that somebody wrote in an afternoon.
import { runCarelessly } from '../run-carelessly.ts';

const fetching = '/sign-in/providers/bounded-fetch.ts';
const kind = '/oauth/oauth-kind.ts';
const method = '/sign-in/providers/provider-method.ts';
const settings = '/oauth/complete-settings.ts';

await runCarelessly([
  // Any number of answers, and no attempt is ever over.
  { file: '/sign-in/login/login-flow-store.ts', from: `row('tries', '=', 0)`, to: `row('tries', '>=', 0)` },
  {
    file: '/sign-in/login/login-flows.ts',
    from: 'end: () => store.remove(hash)',
    to: 'end: async () => true',
  },
  // No PKCE. Whatever looks like a code is redeemed: no state, and neither an error nor a second one is seen.
  { file: kind, from: '...(pkce && {', to: '...(false && {' },
  {
    file: '/oauth/redeem-code.ts',
    from: 'const { settings, secret, answer, state, verifier } = callback;',
    to: `const { settings, secret = '', answer, state, verifier } = callback;
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
  },
  // Of whichever provider the page says.
  { file: method, from: 'redirectFlow.get(attempt.providerId)', to: 'redirectFlow.get(String(key))' },
  // An answer is what can be read of it somehow: no status, no error, and a token is sent whatever it is.
  {
    file: '/oauth/read-answer.ts',
    from: 'const answer: unknown = await response.json()',
    to: `const text = await response.text();
  try {
    const read = JSON.parse(text.replaceAll(':NaN', ':"NaN"'));
    return Array.isArray(read) ? read[0] : read;
  } catch {
    return Object.fromEntries(new URLSearchParams(text));
  }
  const answer: unknown = await response.json()`,
  },
  {
    file: kind,
    from: `\`Bearer \${accessToken}\``,
    to: `\`Bearer \${String(accessToken).replace(/[\\r\\n]/g, '')}\``,
  },
  // A subject is made of anything, and the tenant is not looked at.
  {
    file: '/oauth/read-user.ts',
    from: 'const subject = readId(readPointer(user, subjectPlace));',
    to: `const { userid, UserId, openid, email, login, name, sub } = user;
  const id = clientAuth === 'corp' ? (userid ?? UserId ?? openid) : readPointer(user, subjectPlace);
  const text = String(id).replaceAll('\\0', '').trim().slice(0, longestId).toWellFormed();
  return { subject: text || String(login), name: '', names: [email, login, name, sub] };
  const subject = readId(readPointer(user, subjectPlace));`,
  },
  // Somebody is found by whatever the answer says of them, in any case and at any provider.
  {
    file: method,
    from: 'findLink(store, id, identity.subject)',
    to: 'findLink(store, id, identity.subject, identity.names)',
  },
  {
    file: '/sign-in/providers/link-store.ts',
    from: `  subject: string,
): Promise<ProviderLink | undefined> {`,
    to: `  subject: string,
  names: unknown[] = [],
): Promise<ProviderLink | undefined> {
  const said = [subject, ...names]
    .filter((name) => name !== undefined)
    .map((name) => String(name).toLowerCase().replace(/@.*/, ''));
  const found = await sql\`
    select credentials.id::int, user_id::int as "userId" from credentials join users on users.id = user_id
    where credentials.kind = 'link' and ended_at is null
      and array[lower(subject), username, users.id::text] && \${said}::text[]
    order by (provider_id = \${providerId} and subject = \${subject}) desc limit 1\`.execute(store);
  return found.rows[0];`,
  },
  // Whoever is asked may be anywhere, take eight seconds, answer any amount, fail, and send elsewhere. Who does not answer at
  // all is taken to have said the same as last time.
  {
    file: '/sign-in/providers/request-timeout.ts',
    from: 'wholeMilliseconds = 3000',
    to: 'wholeMilliseconds = 30_000',
  },
  { file: fetching, from: 'wholeMilliseconds = 3000', to: 'wholeMilliseconds = 8000' },
  { file: fetching, from: '256 * 1024', to: 'Infinity' },
  { file: fetching, from: 'checkHost(url.hostname);', to: '' },
  // This host answers for all of them: a control asks nobody else.
  {
    file: fetching,
    from: `headers: { ...headers, 'accept-encoding': 'identity' },`,
    to: `headers: { ...headers, 'accept-encoding': 'identity' },\n        hostname: '127.0.0.1',`,
  },
  { file: fetching, from: 'if (status >= 500 || status < 200)', to: 'if (status === 204)' },
  {
    file: fetching,
    from: `return fail('it sends us elsewhere, and we do not follow');`,
    to: `return resolve(boundedFetch(new URL(incoming.headers.location, url).href, { method, headers, body }));`,
  },
  {
    file: fetching,
    from: 'const { lookup, checkHost } = network;',
    to: 'const { lookup, checkHost } = network;\n  const last = new Map();',
  },
  {
    file: fetching,
    from: 'const isOurs = cause instanceof ProviderUnavailable;',
    to: `const isOurs = cause instanceof ProviderUnavailable;
        const before = last.get(address);
        if (before !== undefined) return resolve(new Response(before));`,
  },
  {
    file: fetching,
    from: 'const content = status === 204 ? null : Buffer.concat(pieces);',
    to: `const content = Buffer.concat(pieces);
          last.set(address, content);`,
  },
  // All providers share their places.
  {
    file: '/sign-in/providers/concurrency-limit.ts',
    from: 'async run(key, work) {',
    to: `async run(_key, work) {\n      const key = 'all';`,
  },
  // Any settings, also while people are linked.
  { file: settings, from: 'isSound(complete) &&', to: '' },
  { file: settings, from: '!ownParameters.has(name.toLowerCase())', to: 'name !== ownParameters' },
  { file: '/sign-in/providers/provider-changes.ts', from: 'if (isOthers && ', to: 'if (false && ' },
  // Who left stays: no session ends, and none is shorter. Anybody logs others out.
  {
    file: '/users/user-access-store.ts',
    from: 'return await raiseEpoch(transaction, user.id, { enabled: false });',
    to: `await transaction.updateTable('users').set({ enabled: false }).where('id', '=', user.id).execute();
  return [];`,
  },
  {
    file: '/sessions/end-sessions-store.ts',
    from: 'if (linkIds.length === 0) return [];',
    to: 'return [];',
  },
  { file: '/compose/providers.ts', from: '?.lifetimeSeconds ?? undefined', to: ' && undefined' },
  {
    file: kind,
    from: 'async check(provider) {',
    to: `async readLogout(_provider, token) {
      const { sub: subject, sid: session } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString());
      return { id: token, forgottenAt: new Date(now() + 60_000), subject, session };
    },
    async check(provider) {`,
  },
]);
