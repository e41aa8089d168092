// How programs log in: what their keys sign, and what becomes of a key.
import { withoutSessionGuard } from './database-guards.ts';
import type { Weakness } from './weakness.ts';

const src = 'packages/server/src';
const test = 'packages/server/test';
const assertion = `${src}/sign-in/service-accounts/assertion.ts`;
const assertionTest = `${test}/sign-in/service-accounts/assertion.test.ts`;
const captcha = `${src}/sign-in/service-accounts/text-captcha.ts`;
const captchaTest = `${test}/sign-in/service-accounts/text-captcha.test.ts`;
const changes = `${src}/sign-in/service-accounts/key-changes.ts`;
const store = `${src}/sign-in/service-accounts/key-store.ts`;
const method = `${src}/sign-in/service-accounts/key-method.ts`;
const attacks = 'test/attack/people/machines.test.ts';
const isSolved = 'return expected?.length === given.length && timingSafeEqual(expected, given);';

export const serviceAccountWeaknesses: readonly Weakness[] = [
  {
    name: 'an assertion of any type is accepted',
    file: assertion,
    before: 'typ !== assertionType || typeof kid',
    after: 'typ === undefined || typeof kid',
    seenBy: [assertionTest],
  },
  {
    name: 'an assertion is verified by a key in its header',
    file: assertion,
    before: ' || Object.keys(more).length > 0) return false;',
    after: ' || Object.keys(more).length > 1) return false;',
    seenBy: [assertionTest],
  },
  {
    name: 'an assertion chooses its signature algorithm',
    file: assertion,
    before: 'if (alg !== algorithmOf(key)) return false;',
    after: '',
    seenBy: [assertionTest],
  },
  {
    name: 'an assertion can have any lifetime',
    file: assertion,
    before: ' || exp - iat > longestSeconds',
    after: '',
    seenBy: [assertionTest],
  },
  {
    name: 'an expired assertion is accepted in its last second',
    file: assertion,
    before: 'exp <= now || ',
    after: 'exp < now || ',
    seenBy: [assertionTest],
  },
  {
    name: 'an assertion works with any captcha',
    file: assertion,
    before: 'id === captcha.uuid && text === captcha.code',
    after: 'id === captcha.uuid',
    seenBy: [assertionTest],
  },
  {
    name: 'an assertion works for a list of services',
    file: assertion,
    before: 'aud !== audience',
    after: '!String(aud).includes(audience)',
    seenBy: [assertionTest],
  },
  {
    name: 'a captcha picture is accepted as the captcha of a service account',
    file: captcha,
    before: '`key:',
    after: '`',
    seenBy: [captchaTest],
  },
  {
    name: 'a key logs in any account that its assertion names',
    file: method,
    before: 'assertion?.account !== account.username',
    after: 'assertion === undefined',
    seenBy: [attacks],
    threat: 'T222',
    attacks: ['in the name of somebody else is refused'],
  },
  {
    name: 'an assertion works any number of times',
    file: store,
    before: ' and ended_at is null and exists (select from spent)',
    after: ' and ended_at is null',
    seenBy: [attacks],
    threat: 'T228',
    attacks: ['is good once, also for another captcha', 'of twenty logins at once lets one in'],
  },
  {
    name: 'the sessions of a key outlive it',
    file: changes,
    before: 'return await endSessionsProvenBy(transaction, [keyId]);',
    after: 'return await endSessionsProvenBy(transaction, []);',
    seenBy: [attacks],
    threat: 'T234',
  },
  {
    name: 'a service account adds a key to itself',
    file: changes,
    before: 'ofOthers: true,',
    after: 'ofOthers: false,',
    seenBy: [attacks],
    threat: 'T231',
  },
  {
    name: 'a late refusal drops the next token',
    file: 'packages/client/src/machine/machine-tokens.ts',
    before: 'if (held?.token === token)',
    after: 'if (token !== undefined)',
    seenBy: ['packages/client/test/machine.test.ts'],
  },
  {
    name: 'a stopped client still waits',
    file: 'packages/client/src/machine/patience.ts',
    before: "signal?.addEventListener('abort', end);",
    after: '',
    seenBy: ['packages/client/test/patience.test.ts'],
  },
  {
    name: 'a client retries before the time to wait is over',
    file: 'packages/client/src/machine/patience.ts',
    before: 'Math.max(told, pause * (0.5 + Math.random() / 2))',
    after: 'pause * (0.5 + Math.random() / 2)',
    seenBy: ['packages/client/test/patience.test.ts'],
  },
  {
    name: 'an aborted call is reported as a timeout',
    file: 'packages/client/src/create-client.ts',
    before: 'limit.isOver() && input.signal?.aborted !== true',
    after: 'limit.isOver()',
    seenBy: ['packages/client/test/create-client.test.ts'],
  },
  {
    name: 'calls wait while the next token is fetched',
    file: 'packages/client/src/machine/machine-tokens.ts',
    before: 'if (now >= held.renewAt) renew().catch(() => {});',
    after: '',
    seenBy: ['packages/client/test/machine.test.ts'],
  },
  {
    name: 'the key of another account is found by this one',
    file: store,
    before: `    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('kind', '=', 'key')
    .executeTakeFirst();`,
    after: `    .where('id', '=', id)
    .where('kind', '=', 'key')
    .executeTakeFirst();`,
    seenBy: [`${test}/sign-in/service-accounts/key-store.test.ts`],
    threat: 'T103',
  },
  {
    name: 'used assertions are forgotten before they expire',
    file: store,
    before: `now() - interval '1 hour'`,
    after: `now() + interval '1 hour'`,
    seenBy: [
      `${test}/sign-in/service-accounts/key-store.test.ts`,
      'packages/server/test/compose/background-jobs.test.ts',
    ],
    threat: 'T228',
  },
];
