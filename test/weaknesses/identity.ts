// Tokens, sessions and signing keys, as they are stored and ended.
import type { Weakness } from './weakness.ts';

const src = 'packages/server/src';
const test = 'packages/server/test';
const revocationStore = `${src}/sign-in/sessions/revocation-store.ts`;
const revocationsTest = `${test}/sign-in/sessions/revocations.test.ts`;
const changeKeys = `${src}/sign-in/keys/change-keys.ts`;
const keysTest = `${test}/sign-in/keys/routes.test.ts`;
const sessionChanges = `${src}/sign-in/sessions/session-changes.ts`;
const sessionsTest = `${test}/sign-in/sessions/routes.test.ts`;
const signToken = `${src}/sign-in/sessions/sign-token.ts`;
const signTest = `${test}/sign-in/sessions/sign-token.test.ts`;

export const identityWeaknesses: readonly Weakness[] = [
  {
    name: 'a full load leaves out ended tokens in their last five minutes',
    file: revocationStore,
    before: "where expires_at > now() - interval '1 minute' and jti",
    after: "where expires_at > now() + interval '5 minutes' and jti",
    seenBy: [revocationsTest],
  },
  {
    name: 'a full load leaves out epochs that were raised over half a lifetime ago',
    file: revocationStore,
    before: 'maxTokenLifetimeSeconds + longestTransactionSeconds;',
    after: 'maxTokenLifetimeSeconds / 2 + longestTransactionSeconds;',
    seenBy: [revocationsTest],
  },
  {
    name: 'an ended token is sent to no instance',
    file: revocationStore,
    before: "[] : [{ kind: 'token_revoked', jti, expiresAt }];",
    after: '[] : [];',
    seenBy: [revocationsTest],
  },
  {
    name: 'ended tokens are swept before they expire',
    file: `${src}/sign-in/sessions/session-store.ts`,
    before: 'revocations where expires_at <= now()',
    after: "revocations where expires_at <= now() + interval '1 day'",
    seenBy: [sessionsTest],
  },
  {
    name: 'a key with live tokens is retired',
    file: changeKeys,
    before: 'signing || (await mayHaveLiveTokens(transaction, kid, maxTokenLifetimeSeconds))',
    after: 'signing',
    seenBy: [keysTest],
  },
  {
    name: 'a retired key is activated',
    file: changeKeys,
    before: "if (isRetired) throw new AppError('conflict');",
    after: '',
    seenBy: [keysTest],
  },
  {
    name: 'ending every session leaves the keys in the memory of the instances',
    file: changeKeys,
    before: "...kids.map((kid) => ({ kind: 'key_retired' as const, kid, dev }))",
    after: '',
    seenBy: [sessionsTest],
  },
  {
    name: 'a retired key keeps its private part',
    file: `${src}/sign-in/keys/key-store.ts`,
    before: 'sealed_private: null,',
    after: '',
    seenBy: [keysTest],
  },
  {
    name: 'retiring a key does not wait for the instances',
    file: `${src}/sign-in/keys/routes.ts`,
    before: "access.takeAway(call, recorded(call, 'key.emergency_retire'",
    after: "access.give(call, recorded(call, 'key.emergency_retire'",
    seenBy: [keysTest],
  },
  {
    name: 'a new key signs before every instance knows it',
    file: `${src}/sign-in/keys/routes.ts`,
    before: "access.takeAway(call, recorded(call, 'key.create'",
    after: "access.give(call, recorded(call, 'key.create'",
    seenBy: [keysTest],
  },
  {
    name: 'a token is issued without a lease',
    file: signToken,
    before: 'if (!lease.isLive()) throw',
    after: 'if (lease.isLive() === undefined) throw',
    seenBy: [signTest],
  },
  {
    name: 'a token does not say that the password is due',
    file: signToken,
    before: '...(account.passwordDue === undefined ? {} : { due: account.passwordDue }),',
    after: '',
    seenBy: [signTest],
  },
  {
    name: 'sessions show their origin where the login log is off',
    file: signToken,
    before: 'isOriginKept ?',
    after: 'isOriginKept || true ?',
    seenBy: [signTest],
  },
  {
    name: 'a caller other than admin ends every session',
    file: sessionChanges,
    before: 'canManage.ofEverybody(call.caller);',
    after: '',
    seenBy: [sessionsTest],
  },
  {
    name: 'a caller other than admin retires a key at once',
    file: `${src}/sign-in/keys/routes.ts`,
    before: 'canManage.ofEverybody(call.caller);',
    after: '',
    seenBy: [`${test}/sign-in/keys/routes.test.ts`],
  },
  {
    name: 'a caller ends the sessions of a user with more rights',
    file: sessionChanges,
    before: 'if (owner !== undefined) await canManage.ofUser(',
    after: 'if (owner?.id === 0) await canManage.ofUser(',
    seenBy: [sessionsTest],
  },
  {
    name: 'a session outside the data scope is shown',
    file: `${src}/sign-in/sessions/session-scope-store.ts`,
    before: '(user === undefined || !isUserInScope(scope, user))',
    after: '(user === undefined || isUserInScope(scope, user) === undefined)',
    seenBy: [sessionsTest],
  },
  {
    name: 'ended tokens live again after a recovery',
    file: `${src}/sign-in/sessions/recover.ts`,
    before: 'await retireAllKeys(transaction, { dev, sealingKey });',
    after: '',
    seenBy: [`${test}/sign-in/sessions/recover.test.ts`],
  },
];
