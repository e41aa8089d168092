// What people log in with beside a password: codes, passkeys, recovery, enrolment, what a role demands, and the attempts of
// logins of more than one step.
import type { Weakness } from './weakness.ts';

const src = 'packages/server/src';
const test = 'packages/server/test';
const totp = `${src}/sign-in/mfa/totp/totp.ts`;
const totpTest = `${test}/sign-in/mfa/totp.test.ts`;
const secrets = `${src}/sign-in/mfa/totp/secrets.ts`;
const secretsTest = `${test}/sign-in/mfa/secrets.test.ts`;
const credentials = `${src}/sign-in/mfa/credential-store.ts`;
const codes = `${src}/sign-in/mfa/recovery/code-store.ts`;
const changes = `${src}/sign-in/mfa/factor-changes.ts`;
const finish = `${src}/sign-in/mfa/finish-factor.ts`;
const next = `${src}/sign-in/mfa/next-steps.ts`;
const webAuthn = `${src}/sign-in/mfa/passkey/web-authn.ts`;
const webAuthnTest = `${test}/sign-in/mfa/passkey/web-authn.test.ts`;
const passkeyMethod = `${src}/sign-in/mfa/passkey/passkey-method.ts`;
const passkeyStore = `${src}/sign-in/mfa/passkey/passkey-store.ts`;
const guardSql = 'packages/server/src/cluster/store/migrations/0022-factors.sql';
const guardTest = `${test}/sign-in/mfa/session-guard.test.ts`;
const loginProgress = 'packages/server/src/sign-in/login/login-progress.ts';
const attempts = 'packages/server/src/sign-in/login/login-flows.ts';
const attemptStore = 'packages/server/src/sign-in/login/login-flow-store.ts';
const secondFactor = 'test/conformance/second-factor.test.ts';
const passkeys = 'test/conformance/passkeys.test.ts';
const passkeyAttacks = 'test/attack/passkeys.test.ts';
const attemptAttacks = 'test/attack/ways-in/ways-in-attempts.test.ts';
const enrolmentAttacks = 'test/attack/ways-in/ways-in-enrolment.test.ts';
const codeAttacks = 'test/attack/ways-in/ways-in-codes.test.ts';
const races = 'test/attack/ways-in/ways-in-races.test.ts';

export const factorWeaknesses: readonly Weakness[] = [
  {
    name: 'a used code of an app is accepted',
    file: totp,
    before: ' && step > after',
    after: '',
    seenBy: [totpTest],
  },
  {
    name: 'the clock of an app can be off by two steps',
    file: totp,
    before: 'const drift = 1;',
    after: 'const drift = 2;',
    seenBy: [totpTest],
  },
  {
    name: 'the secret of an app decrypts for every user',
    file: secrets,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: It is source text.
    before: 'return `totp of user ${userId}`;',
    after: "return 'totp';",
    seenBy: [secretsTest],
  },
  {
    name: 'a secret that cannot be decrypted is not reported',
    file: secrets,
    before: 'if (secret === undefined) reportClosed(userId);',
    after: '',
    seenBy: [secretsTest],
  },
  {
    name: 'the step of a code is not remembered',
    file: credentials,
    before: '.set({ counter: step, used_at:',
    after: '.set({ used_at:',
    seenBy: [secondFactor],
  },
  {
    name: 'two concurrent logins use one code',
    file: credentials,
    before: ".where('counter', '<', step)",
    after: '',
    seenBy: [races],
    threat: 'T135',
  },
  {
    name: 'an unconfirmed factor is kept forever',
    file: 'packages/server/src/compose/portcullis.ts',
    before: 'sweepUnconfirmed(store),',
    after: '',
    seenBy: ['packages/server/test/compose/portcullis.test.ts'],
  },
  {
    name: 'a confirmed factor is swept',
    file: credentials,
    before: ".where('confirmed_at', 'is', null)\n    .where('created_at', '<=',",
    after: ".where('created_at', '<=',",
    seenBy: [`${test}/sign-in/mfa/sweep-unconfirmed.test.ts`],
  },
  {
    name: 'an app counts before it is confirmed',
    file: credentials,
    before: ".where('confirmed_at', 'is not', null)\n    .where('ended_at', 'is', null)\n    .orderBy('id')",
    after: ".where('ended_at', 'is', null)\n    .orderBy('id')",
    seenBy: [secondFactor],
  },
  {
    name: 'a recovery code works any number of times',
    file: codes,
    before: '.set({ used_at: sql<Date>`clock_timestamp()` })',
    after: '.set({ used_at: null })',
    seenBy: [secondFactor],
  },
  {
    name: 'the code of an enrolment does not expire',
    file: codes,
    before: ".where('expires_at', '>', sql<Date>`now()`)",
    after: '',
    seenBy: [enrolmentAttacks],
    threat: 'T139',
    attacks: ['enrols with the code of the administrator alone'],
  },
  {
    name: 'the code of an enrolment works twice',
    file: finish,
    before: 'await closeEnrolment(transaction, userId);',
    after: '',
    seenBy: [enrolmentAttacks],
    threat: 'T139',
    attacks: ['enrols once with it'],
  },
  {
    name: 'sessions of one factor stay where a second one is set up',
    file: finish,
    before: '...(await endSessionsWithoutFactorOfUser(transaction, userId, 2, jti)),',
    after: '',
    seenBy: [secondFactor],
  },
  {
    name: 'a user whose factor was removed sets up another without a code',
    file: next,
    before: 'codeRequired: enrol.length > 0 && !isSecond && (await hadFactor(store, userId)),',
    after: 'codeRequired: false,',
    seenBy: [secondFactor],
  },
  {
    name: 'a user with a factor sets up another during a login',
    file: next,
    before: 'if (!next.enrol.includes(kind)) throw',
    after: 'if (next.enrol.length > 99) throw',
    seenBy: [passkeys],
  },
  {
    name: 'a login replaces an existing factor of the user',
    file: `${src}/sign-in/mfa/lock-for-change.ts`,
    before: ' || isReplacing) throw',
    after: ') throw',
    seenBy: [enrolmentAttacks],
    threat: 'T141',
    attacks: ['one after the other, the second takes no place'],
  },
  {
    name: 'the last factor that a role requires is removed',
    file: changes,
    before: 'strongest(left) < required',
    after: 'strongest(left) < 1',
    seenBy: [secondFactor],
  },
  {
    name: 'sessions that a removed factor proved stay',
    file: changes,
    before: 'return await endSessionsProvenBy(transaction, [id]);',
    after: 'return [];',
    seenBy: [secondFactor],
  },
  {
    name: 'recovery codes outlive the last factor',
    file: changes,
    before: 'if (left.length === 0) await replaceCodes(transaction, userId, []);',
    after: '',
    seenBy: [secondFactor],
  },
  {
    name: 'a user whose factors were removed stays signed in',
    file: changes,
    before: 'return await raiseEpoch(transaction, id);',
    after: 'return [];',
    seenBy: [secondFactor],
  },
  {
    name: 'the password of another user is accepted for the caller',
    file: `${src}/sign-in/mfa/routes.ts`,
    before: 'if (account?.userId !== caller.userId) throw',
    after: 'if (account?.userId === 0) throw',
    seenBy: [secondFactor],
  },
  {
    name: 'a stronger requirement of a role ends no session',
    file: `${src}/sign-in/mfa/required-factor.ts`,
    before: 'if (factor === 1) return revision;',
    after: 'if (factor >= 1) return revision;',
    seenBy: [secondFactor],
  },
  {
    name: 'a role requires a passkey where passkeys are off',
    file: `${src}/sign-in/mfa/required-factor.ts`,
    before: 'if (factor === 3 && !passkeysEnabled) throw',
    after: 'if (factor > 3) throw',
    seenBy: [passkeyAttacks],
    threat: 'T162',
  },
  {
    name: 'a session is stored although its role requires more',
    file: guardSql,
    before: 'if new.factor < coalesce(demanded, 1) or (',
    after: 'if (',
    seenBy: [secondFactor],
  },
  {
    name: 'a session of one factor is stored for a user with a second one',
    file: guardSql,
    before: 'if new.factor < 2 and exists (',
    after: 'if new.factor < 1 and exists (',
    seenBy: [secondFactor],
  },
  {
    name: 'a session is stored for a factor that was removed',
    file: guardSql,
    before:
      'where id = new.credential_id and user_id = new.user_id and confirmed_at is not null and ended_at is null',
    after: 'where id = new.credential_id and user_id = new.user_id and confirmed_at is not null',
    seenBy: [enrolmentAttacks, 'test/attack/people/machines.test.ts'],
    threat: 'T143',
    attacks: [
      'no session comes from > a factor that ended',
      'stores no session even where nothing but the database looks at it',
    ],
  },
  {
    name: 'a session is stored for the factor of another user',
    file: guardSql,
    before:
      'where id = new.credential_id and user_id = new.user_id and confirmed_at is not null and ended_at is null',
    after: 'where id = new.credential_id and confirmed_at is not null and ended_at is null',
    seenBy: [enrolmentAttacks],
    threat: 'T143',
    attacks: ['no session comes from > a factor of somebody else'],
  },
  {
    name: 'a session does not wait for a change that makes its role require more',
    file: guardSql,
    before: 'perform pg_advisory_xact_lock_shared(1886352748, hashtext(new.role_key));',
    after: '',
    seenBy: [guardTest],
  },
  {
    name: 'a session does not wait for a change of the factors of its user',
    file: guardSql,
    before: 'perform pg_advisory_xact_lock_shared(1886352749, hashtext(new.user_id::text));',
    after: '',
    seenBy: [guardTest],
  },
  {
    name: 'a change of a role takes another lock than sessions take',
    file: credentials,
    before: 'const roleLock = 1886352748;',
    after: 'const roleLock = 1886352750;',
    seenBy: [guardTest],
  },
  {
    name: 'a change of a user takes another lock than sessions take',
    file: credentials,
    before: 'const userLock = 1886352749;',
    after: 'const userLock = 1886352750;',
    seenBy: [guardTest],
  },
  {
    name: 'a deleted user keeps credentials',
    file: guardSql,
    before: 'delete from credentials where user_id = new.id;',
    after: '',
    seenBy: [guardTest],
  },
  {
    name: 'an authenticator need not verify its user',
    file: webAuthn,
    before: 'requireUserVerification: true',
    after: 'requireUserVerification: false',
    seenBy: [webAuthnTest],
  },
  {
    name: 'the origin of a passkey is not compared',
    file: webAuthn,
    before: 'expectedChallenge: challenge,\n          // With a stored',
    after:
      "expectedChallenge: challenge,\n          expectedOrigin: JSON.parse(Buffer.from(response.response.clientDataJSON, 'base64url').toString()).origin,\n          // With a stored",
    seenBy: [webAuthnTest],
  },
  {
    name: 'a passkey of a host below the domain is taken',
    file: webAuthn,
    before: 'expectedRPID: domain,',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: It is source text.
    after: 'expectedRPID: [domain, `admin.${domain}`],',
    seenBy: [webAuthnTest],
  },
  {
    name: 'a passkey is used in a frame of another site',
    file: webAuthn,
    before: '.crossOrigin === true;',
    after: ".crossOrigin === 'true';",
    seenBy: [webAuthnTest],
  },
  {
    name: 'the passkey of another user completes a login after a password',
    file: passkeyMethod,
    before: ' || isOthers)',
    after: ')',
    seenBy: [passkeyAttacks],
    threat: 'T156',
  },
  {
    name: 'the user handle of an authenticator is not compared',
    file: passkeyMethod,
    before: 'if (!isOwners || counter === undefined) return',
    after: 'if (counter === undefined) return',
    seenBy: [passkeyAttacks],
    threat: 'T155',
  },
  {
    name: 'a signature of a passkey works for several logins',
    file: passkeyMethod,
    before: 'if (!(await attempt.end())) return',
    after: 'if ((await attempt.end()) === undefined) return',
    seenBy: [passkeyAttacks],
    threat: 'T152',
  },
  {
    name: 'a counter of a passkey that goes back is taken',
    file: passkeyStore,
    before: "row('counter', '<', counter)",
    after: "row('counter', '>=', 0)",
    seenBy: [passkeyAttacks],
    threat: 'T153',
  },
  {
    name: 'one challenge registers two passkeys',
    file: credentials,
    before: ".where('id', '=', id)\n    .where('confirmed_at', 'is', null)",
    after: ".where('id', '=', id)",
    seenBy: [passkeyAttacks],
    threat: 'T158',
  },
  {
    name: 'a passkey is registered with an expired challenge',
    file: passkeyStore,
    before: 'const lifetimeSeconds = 300;',
    after: 'const lifetimeSeconds = 3000;',
    seenBy: [passkeyAttacks],
    threat: 'T158',
  },
  {
    name: 'a login flow has unlimited tries',
    file: attemptStore,
    before: 'sql<number>`tries + 1`',
    after: 'sql<number>`1`',
    seenBy: [attemptAttacks],
    threat: 'T133',
    attacks: ['a password > stands for five codes'],
  },
  {
    name: 'a login flow continues with any captcha',
    file: attempts,
    before: 'JSON.stringify([uuid, code.toUpperCase()])',
    after: 'JSON.stringify([uuid.length, code.length])',
    seenBy: [attemptAttacks],
    threat: 'T126',
    attacks: ['with another text of its captcha takes no code'],
  },
  {
    name: 'the database stores the handle of a login flow in the clear',
    file: attempts,
    before: "return createHash('sha256').update(handle).digest();",
    after: "return Buffer.from(handle, 'base64url');",
    seenBy: [attemptAttacks],
    threat: 'T127',
  },
  {
    name: 'a login flow continues after it issued its token',
    file: loginProgress,
    before: 'await attempt?.end();',
    after: '',
    seenBy: [attemptAttacks],
    threat: 'T126',
    attacks: ['that is over gives no second token'],
  },
  {
    name: 'a login flow continues although the password was changed',
    file: loginProgress,
    before: '!== attempt.epoch) throw',
    after: '!== attempt.epoch && attempt.epoch === null) throw',
    seenBy: [enrolmentAttacks],
    threat: 'T142',
    attacks: ['through: another password'],
  },
  {
    name: 'a login flow continues although the role was disabled',
    file: loginProgress,
    before: '!found.roleEnabled) {',
    after: '!found.roleEnabled && facts.jti !== undefined) {',
    seenBy: [enrolmentAttacks],
    threat: 'T142',
    attacks: ['through: a role that was disabled'],
  },
  {
    name: 'a factor in setup survives the removal of all factors',
    file: changes,
    before: `          await removeUnconfirmed(transaction, id);
          await replaceCodes`,
    after: '          await replaceCodes',
    seenBy: [`${test}/sign-in/mfa/reset-factors.test.ts`],
  },
  {
    name: 'an app whose confirmation a deadlock undid counts as confirmed',
    file: 'packages/server/src/sign-in/mfa/factor-changes.ts',
    before: '      confirmed = undefined;\n',
    after: '',
    seenBy: ['packages/server/test/sign-in/mfa/confirm-again.test.ts'],
  },
  {
    name: 'a passkey whose addition a deadlock undid counts as added',
    file: 'packages/server/src/sign-in/mfa/passkey/passkey-changes.ts',
    before: '      added = undefined;\n',
    after: '',
    seenBy: ['packages/server/test/sign-in/mfa/confirm-again.test.ts'],
  },
];
