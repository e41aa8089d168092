// How programs log in: what their keys sign, and what becomes of a key. The texts that test/attack/people/careless-machines.ts
// looks for stay.
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

export const serviceAccountWeaknesses: readonly Weakness[] = [
  {
    name: 'an assertion of any type is taken',
    file: assertion,
    before: 'typ !== assertionType || typeof kid',
    after: 'typ === undefined || typeof kid',
    seenBy: [assertionTest],
  },
  {
    name: 'an assertion brings a key of its own',
    file: assertion,
    before: ' || Object.keys(more).length > 0) return false;',
    after: ' || Object.keys(more).length > 1) return false;',
    seenBy: [assertionTest],
  },
  {
    name: 'an assertion says itself what it is signed with',
    file: assertion,
    before: 'if (alg !== algorithmOf(key)) return false;',
    after: '',
    seenBy: [assertionTest],
  },
  {
    name: 'an assertion lives for as long as it says',
    file: assertion,
    before: ' || exp - iat > longestSeconds',
    after: '',
    seenBy: [assertionTest],
  },
  {
    name: 'an assertion that has ended is taken in its last second',
    file: assertion,
    before: 'exp <= now || ',
    after: 'exp < now || ',
    seenBy: [assertionTest],
  },
  {
    name: 'an assertion is good for any captcha',
    file: assertion,
    before: 'id === captcha.uuid && text === captcha.code',
    after: 'id === captcha.uuid',
    seenBy: [assertionTest],
  },
  {
    name: 'an assertion is good for a list of services',
    file: assertion,
    before: 'aud !== audience',
    after: '!String(aud).includes(audience)',
    seenBy: [assertionTest],
  },
  {
    name: 'a picture is taken for the text of a program',
    file: captcha,
    before: '`key:',
    after: '`',
    seenBy: [captchaTest],
  },
  {
    name: 'a key logs in whom its assertion names',
    file: method,
    before: 'assertion?.account !== account.username',
    after: 'assertion === undefined',
    seenBy: [attacks],
    threat: 'T222',
  },
  {
    name: 'an assertion is good as often as it is sent',
    file: store,
    before: ' and ended_at is null and exists (select from spent)',
    after: ' and ended_at is null',
    seenBy: [attacks],
    threat: 'T228',
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
    name: 'a program adds a key to itself',
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
    name: 'a program that was stopped waits on',
    file: 'packages/client/src/machine/patience.ts',
    before: "signal?.addEventListener('abort', end);",
    after: '',
    seenBy: ['packages/client/test/patience.test.ts'],
  },
  {
    name: 'a program asks again before it may',
    file: 'packages/client/src/machine/patience.ts',
    before: 'Math.max(told, pause * (0.5 + Math.random() / 2))',
    after: 'pause * (0.5 + Math.random() / 2)',
    seenBy: ['packages/client/test/patience.test.ts'],
  },
  {
    name: 'a call that was aborted is told as one that took too long',
    file: 'packages/client/src/create-client.ts',
    before: 'limit.isOver() && input.signal?.aborted !== true',
    after: 'limit.isOver()',
    seenBy: ['packages/client/test/create-client.test.ts'],
  },
  {
    name: 'the next token is fetched while calls wait for it',
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
