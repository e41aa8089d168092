// The checks: identity, CSRF and permission.
import type { Weakness } from './weakness.ts';

const src = 'packages/gate/src';
const test = 'packages/gate/test';
const identityCheck = `${src}/checks/identity-check.ts`;
const identityTest = `${test}/checks/identity-check.test.ts`;
const verifyToken = `${src}/token/verify-token.ts`;
const verifyTest = `${test}/token/verify-token.test.ts`;
const permissionCheck = `${src}/checks/permission-check.ts`;
const siteCheck = `${src}/checks/csrf-check.ts`;
const siteTest = `${test}/checks/csrf-check.test.ts`;
const readBearer = `${src}/token/read-bearer.ts`;
const bearerTest = `${test}/token/read-bearer.test.ts`;
const canonicalTarget = `${src}/request/canonical-target.ts`;

export const gateWeaknesses: readonly Weakness[] = [
  {
    name: 'a token lives for a second after its expiry',
    file: identityCheck,
    before: 'known.caller.expiresAt * 1000 > now()',
    after: 'known.caller.expiresAt * 1000 + 1000 > now()',
    seenBy: [identityTest],
  },
  {
    name: 'a token from a cookie is not checked for revocation',
    file: identityCheck,
    before: 'if (known.validAt !== current) {',
    after: 'if (known.validAt !== current && request.carriers.cookie === undefined) {',
    seenBy: ['test/conformance/endpoints.test.ts'],
  },
  {
    name: 'a raised epoch ends no token',
    file: identityCheck,
    before: 'revocations.isRevoked(claims) === false',
    after: 'revocations.isRevoked({ ...claims, ep: Number.MAX_SAFE_INTEGER }) === false',
    seenBy: [identityTest],
  },
  {
    name: 'an ended token is accepted',
    file: identityCheck,
    before: 'revocations.isRevoked(claims) === false',
    after: 'revocations.isRevoked(claims) !== undefined',
    seenBy: [identityTest],
  },
  {
    name: 'a token that was verified before outlives its key',
    file: identityCheck,
    before: 'keys.find(kid) !== undefined &&',
    after: 'kid !== undefined &&',
    seenBy: [identityTest],
  },
  {
    name: 'a token outlives a change of the data scope of its role',
    file: identityCheck,
    before: 'role.dataScope === claims.datascope',
    after: 'role.dataScope !== undefined',
    seenBy: [identityTest],
  },
  {
    name: 'a token is accepted whose role key differs from its role id',
    file: identityCheck,
    before: 'role?.roleKey === claims.rolekey',
    after: 'role !== undefined',
    seenBy: [identityTest],
  },
  {
    name: 'a refused token counts as valid the next time',
    file: identityCheck,
    before: 'if (!isStillValid(known)) throw',
    after: 'known.validAt = current;\n      if (!isStillValid({ ...known })) throw',
    seenBy: [identityTest],
  },
  {
    name: 'a verified token is looked up by its last characters alone',
    file: identityCheck,
    before: 'if (known?.bearer === bearer) return',
    after: 'if (known !== undefined) return',
    seenBy: [identityTest],
  },
  {
    name: 'an ended token does not count against its network',
    file: identityCheck,
    before: 'to must not pay for it.\n      unauthenticatedLimit?.anonymous(request);',
    after: 'to must not pay for it.',
    seenBy: [identityTest],
  },
  {
    name: 'a token can have any lifetime',
    file: verifyToken,
    before: 'exp - iat <= maxLifetimeSeconds &&',
    after: 'exp - iat <= maxLifetimeSeconds * 1000 &&',
    seenBy: [verifyTest],
  },
  {
    name: 'a token can be issued a minute in the future',
    file: verifyToken,
    before: 'const maxClockLeadSeconds = 5;',
    after: 'const maxClockLeadSeconds = 60;',
    seenBy: [verifyTest],
  },
  {
    name: 'a token has a second signature',
    file: verifyToken,
    before: ' && hasCanonicalSignature(bytes)',
    after: '',
    seenBy: [verifyTest],
  },
  {
    name: 'a token of another issuer is accepted',
    file: verifyToken,
    before: 'iss === tokenIssuer &&',
    after: "iss !== '' &&",
    seenBy: [verifyTest],
  },
  {
    name: 'the subject of a token can be another user',
    file: verifyToken,
    before: 'sub === String(identity) &&',
    after: "sub !== '' &&",
    seenBy: [verifyTest],
  },
  {
    name: 'a token can have further header members',
    file: verifyToken,
    before: 'Object.keys(others).length > 0',
    after: 'Object.keys(others).length > 9',
    seenBy: [verifyTest],
  },
  {
    name: 'a token of a retired key counts as forged',
    file: verifyToken,
    before: "keys.isRetired(kid) ? 'token_revoked' : 'token_malformed'",
    after: "'token_malformed'",
    seenBy: [`${test}/token/retired-key.test.ts`],
  },
  {
    name: 'the role key Admin passes every check',
    file: permissionCheck,
    before: "caller.roleKey === 'admin') return",
    after: "caller.roleKey.toLowerCase() === 'admin') return",
    seenBy: [`${test}/checks/permission-check.test.ts`],
  },
  {
    name: 'the exclusion list opens paths below its entries',
    file: permissionCheck,
    before: 'exclusions.has(route)',
    after: '[...exclusions].some((entry) => route.startsWith(entry))',
    seenBy: [`${test}/checks/permission-check.test.ts`],
  },
  {
    name: 'HEAD by cookie passes the CSRF check',
    file: siteCheck,
    before: "request.method === 'GET' ||",
    after: "request.method === 'GET' || request.method === 'HEAD' ||",
    seenBy: [siteTest],
  },
  {
    name: 'a page of a sibling subdomain calls by cookie',
    file: siteCheck,
    before: "site === 'same-origin' ||",
    after: "site === 'same-origin' || site === 'same-site' ||",
    seenBy: [siteTest],
  },
  {
    name: 'X-Requested-With is believed over the browser',
    file: siteCheck,
    before: 'if (site !== undefined) return',
    after: "if (site !== undefined && headers['x-requested-with'] === undefined) return",
    seenBy: [siteTest],
  },
  {
    name: 'the first of two Authorization headers is used',
    file: readBearer,
    before: 'if (found !== undefined) throw',
    after: 'if (found !== undefined) continue;\n    if (index < 0) throw',
    seenBy: [bearerTest],
  },
  {
    name: 'the first of two tokens in a query is used',
    file: readBearer,
    before: 'if (found.length > 1) throw',
    after: 'if (found.length > 99) throw',
    seenBy: [bearerTest],
  },
  {
    name: 'a bad Authorization header falls through to the next carrier',
    file: readBearer,
    before: 'if (header !== undefined) return',
    after: "if (header?.toLowerCase().startsWith('bearer ')) return",
    seenBy: [bearerTest],
  },
  {
    name: 'a user with a due password passes a gateway or a guard',
    file: `${src}/checks/password-due-check.ts`,
    before: '&& !open.has(route)',
    after: "&& route !== '' && !open.has(route)",
    seenBy: [`${test}/checks/password-due-check.test.ts`],
  },
  {
    name: 'a method in small letters is canonical',
    file: canonicalTarget,
    before: '/^[A-Z][A-Z-]{0,31}$/',
    after: '/^[A-Z][A-Z-]{0,31}$/i',
    seenBy: ['packages/server/test/permissions/decision-api/forward-auth.test.ts'],
  },
  {
    name: 'a path with dot segments is canonical',
    file: canonicalTarget,
    before: String.raw`(?!\.\.?(?:[/?]|$))`,
    after: '',
    seenBy: [`${test}/request/canonical-target.test.ts`],
  },
];
