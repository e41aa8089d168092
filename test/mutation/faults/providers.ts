// What somebody else vouches for: what a session by a provider rests on, how links are made and ended, what is believed of an
// answer, and what a provider can end.
import type { Fault } from '../fault.ts';

const src = 'packages/server/src/providers';
const guardSql = 'packages/server/src/store/migrations/0028-providers.sql';
const guardTest = 'packages/server/test/providers/provider-guard.test.ts';
const networkTest = 'packages/server/test/providers/outer-network.test.ts';
const story = 'test/conformance/providers.test.ts';
const answers = 'test/attack/directories/oidc-answers.test.ts';
const meanwhile = 'test/attack/directories/oidc-meanwhile.test.ts';
const conduct = 'test/attack/directories/oidc-conduct.test.ts';
const oauthAnswers = 'test/attack/directories/oauth-answers.test.ts';
const oauthConduct = 'test/attack/directories/oauth-conduct.test.ts';
const oauthTests = 'packages/server/test/providers/oauth';

export const providerFaults: readonly Fault[] = [
  {
    name: 'a session is stored of a provider that was disabled and enabled meanwhile',
    file: guardSql,
    before: 'and enabled and epoch = new.provider_epoch',
    after: 'and enabled',
    seenBy: [guardTest],
  },
  {
    name: 'a session is stored of a person whom the provider signed out meanwhile',
    file: guardSql,
    before: "or (kind = 'subject' or kind = 'unnamed' and new.provider_session is null)",
    after: "or (false and kind = 'subject')",
    seenBy: [guardTest],
  },
  {
    name: 'the end of a link ends no session',
    file: `${src}/link-changes.ts`,
    before: 'changes: await endOfLinks(transaction, [id])',
    after: 'changes: []',
    seenBy: [story],
  },
  {
    name: 'a login by a provider counts as a second factor',
    file: 'packages/server/src/factors/lock-for-change.ts',
    before: "['password', 'oidc', 'oauth', 'ldap']",
    after: "['password']",
    seenBy: [answers],
  },
  {
    name: 'a session that a second factor completed forgets its provider',
    file: 'packages/server/src/login/log-in.ts',
    before: 'const provider = proof.provider ?? vouchedBefore(attempt);',
    after: 'const { provider } = proof;',
    seenBy: [answers],
  },
  {
    name: 'a factor is set up on the way in by way of a provider that does not stand for it any more',
    file: 'packages/server/src/factors/lock-for-change.ts',
    before: ' || !isVouched',
    after: '',
    seenBy: [meanwhile],
  },
  {
    name: 'a link is made to a provider that was changed meanwhile',
    file: `${src}/link-changes.ts`,
    before: 'await holdProvider(transaction, { id: providerId, epoch });',
    after: '',
    seenBy: [meanwhile],
  },
  {
    name: 'a role is given by a provider that was changed meanwhile',
    file: `${src}/groups/settle-role.ts`,
    before: 'await holdProvider(transaction, provider);',
    after: '',
    seenBy: [meanwhile],
  },
  {
    name: 'an ID token need not be signed',
    file: `${src}/oidc/oidc-kind.ts`,
    before: 'const { payload } = await jwtVerify(String(tokens.id_token), keys, {',
    after: 'const payload = tokens.claims() ?? {};\n    void ({',
    seenBy: [answers],
  },
  {
    name: 'anybody of any tenant is let in',
    file: `${src}/oidc/read-claims.ts`,
    before: 'if (tenant !== undefined && claims[tenant.claim] !== tenant.value) return undefined;',
    after: '',
    seenBy: [answers],
  },
  {
    name: 'the answer for a link is one for a login',
    file: `${src}/journey-proof.ts`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: It is source text.
    before: 'update(`${kind} ${purpose} ${what}`)',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: It is source text.
    after: 'update(`${kind} ${what}`)',
    seenBy: [`${oauthTests}/oauth-kind.test.ts`],
  },
  {
    name: 'anybody finishes a link that somebody began',
    file: `${src}/link-journeys.ts`,
    before: 'begun === undefined || begun.userId !== userId || begun.jti !== jti',
    after: 'begun === undefined',
    seenBy: [answers],
  },
  {
    name: 'a provider answers without end',
    file: `${src}/bounded-fetch.ts`,
    before: 'if (bytes > mostBytes) away',
    after: 'if (bytes > Number.POSITIVE_INFINITY) away',
    seenBy: ['packages/server/test/providers/bounded-fetch.test.ts'],
  },
  {
    name: 'an address in the own network is asked',
    file: 'packages/server/src/values/allowed-addresses.ts',
    before: 'return !isSpecial(address) && (isIP(address) === 4 || isGiven(address));',
    after: 'return true;',
    seenBy: [networkTest],
  },
  {
    name: 'a logout token is good twice',
    file: `${src}/provider-logout.ts`,
    before: "throw new AppError('logout_token_wrong');\n      const done",
    after: 'return [];\n      const done',
    seenBy: [conduct],
  },
  {
    name: 'what a provider says is forgotten where a login is on its way',
    file: `${src}/provider-logout.ts`,
    before: "await noteLogout(transaction, { providerId, kind: 'session', value: session });",
    after: '',
    seenBy: [conduct],
  },
  {
    name: 'any state will do for an OAuth service',
    file: `${src}/oauth/redeem-code.ts`,
    before: 'expectedState: state,',
    after: 'expectedState: openId.skipStateCheck,',
    seenBy: [oauthAnswers],
  },
  {
    name: 'a refusal in HTTP 200 is read as an answer',
    file: `${src}/oauth/read-answer.ts`,
    before: "(error !== undefined && error !== null && error !== '') ||",
    after: '',
    seenBy: [`${oauthTests}/oauth-kind.test.ts`],
  },
  {
    name: 'a token that is bound to a key is taken for one that is not',
    file: `${src}/oauth/redeem-code.ts`,
    before: "got.redeemed === undefined || token_type !== 'bearer'",
    after: "got.redeemed === undefined || token_type === ''",
    seenBy: [`${oauthTests}/oauth-kind.test.ts`],
  },
  {
    name: 'anybody of any company is let in by OAuth',
    file: `${src}/oauth/read-user.ts`,
    before: 'if (found === undefined || found !== tenant) return undefined;',
    after: 'void found;\n    void tenant;',
    seenBy: [oauthAnswers],
  },
  {
    name: 'whatever stands at the place of the subject is one',
    file: `${src}/oauth/read-user.ts`,
    before: "if (typeof id !== 'string' || id.trim() === '' || id.length > longestId) return undefined;",
    after: "if (typeof id !== 'string') return id === undefined ? undefined : String(id);\n  void longestId;",
    seenBy: [`${oauthTests}/read-user.test.ts`],
  },
  {
    name: 'somebody of a linked company in WeCom is let in',
    file: `${src}/oauth/read-user.ts`,
    before: "if (clientAuth === 'corp' && subject.includes('/')) return undefined;",
    after: 'void clientAuth;',
    seenBy: [oauthAnswers],
  },
  {
    name: 'a preset is taken without the company that it pins',
    file: `${src}/oauth/complete-settings.ts`,
    before: '(tenant === undefined) === (tenantPlace === undefined)',
    after: '(tenant === undefined || tenantPlace !== undefined)',
    seenBy: [`${oauthTests}/complete-settings.test.ts`],
  },
  {
    name: 'another place of the subject is taken while there are links',
    file: `${src}/oauth/oauth-kind.ts`,
    before: 'userInfoUrl, clientId, subjectPlace]);',
    after: 'userInfoUrl, clientId]);',
    seenBy: [oauthConduct],
  },
];
