// Mail, and the links that set passwords.
import type { Place, Weakness } from './weakness.ts';

const src = 'packages/server/src';
const test = 'packages/server/test';
const smtp = `${src}/people/mail/smtp.ts`;
const smtpTest = `${test}/people/mail/smtp.test.ts`;
const sender = `${src}/people/mail/mail-sender.ts`;
const senderTest = `${test}/people/mail/mail-sender.test.ts`;
const codes = 'packages/server/src/people/passwords/password-code-store.ts';
const links = 'packages/server/src/people/passwords/password-links.ts';
const sql = 'packages/server/src/cluster/store/migrations/0030-mail.sql';
const attacks = 'test/attack/people/mail.test.ts';
const routes = `${src}/people/own/password-link-routes.ts`;
const spend = '!(await spendCode(transaction, code.id, code.hash)) || ';
const asked = 'const isAsked = await insertResetRequest(';
const isUnknown =
  "(await store.selectFrom('users').select('id').where('mail', '=', body.mail).executeTakeFirst()) === undefined";

/** A password, an account that was disabled or another address leave the links as they are. */
const withoutEndOfCodes: Place = {
  file: sql,
  before: `(old.password_hash is distinct from new.password_hash and old.epoch is distinct from new.epoch)
    or (old.enabled and not new.enabled)
    or (old.deleted_at is null and new.deleted_at is not null)
    or old.mail is distinct from new.mail`,
  after: 'false',
};

export const mailWeaknesses: readonly Weakness[] = [
  {
    name: 'mail goes without TLS where the server has none',
    file: smtp,
    before: 'requireTLS: !allowPlaintext,',
    after: 'requireTLS: false,',
    seenBy: [smtpTest],
  },
  {
    name: 'the mail server can have any certificate',
    file: smtp,
    before: "minVersion: 'TLSv1.2',",
    after: "minVersion: 'TLSv1.2', rejectUnauthorized: false,",
    seenBy: [smtpTest],
  },
  {
    name: 'a refused password of Portcullis at the mail server ends a mail',
    file: smtp,
    before: 'isOfMail && responseCode >= 500',
    after: 'responseCode >= 500',
    seenBy: [smtpTest],
  },
  {
    name: 'the answer of a mail server is stored with the address',
    file: smtp,
    before: "'[address]'",
    after: "'$&'",
    seenBy: [smtpTest],
  },
  {
    name: 'a mail is never given up',
    file: sender,
    before: ' || ageSeconds > giveUpSeconds',
    after: '',
    seenBy: [senderTest],
  },
  {
    name: 'the waits between retries do not grow',
    file: sender,
    before: ' * 2 ** Math.min(tries - 1, 20)',
    after: '',
    seenBy: [senderTest],
  },
  {
    name: 'another instance can claim a mail while it is being delivered',
    file: sender,
    before: 'options.timeoutSeconds + 15',
    after: '1',
    seenBy: [senderTest],
  },
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: It is source text.
  {
    name: 'two instances claim the same mail',
    file: `${src}/people/mail/mail-store.ts`,
    before: "where state = 'queued' and next_at <= clock_timestamp()\n",
    after: "where state = 'queued'\n",
    seenBy: [`${test}/people/mail/mail-store.test.ts`],
  },
  {
    name: 'a link is good as often as it is used',
    file: routes,
    before: spend,
    after: '',
    also: [withoutEndOfCodes],
    seenBy: [attacks],
    threat: 'T235',
    attacks: ['a link that was used > is refused a second time', 'of an invitation is refused a second time'],
  },
  {
    name: 'the code of a link is good after any number of wrong ones',
    file: codes,
    before: 'and tries < ${mostTries} and expires_at',
    after: 'and expires_at',
    also: [{ file: routes, before: spend, after: '' }],
    seenBy: [attacks],
    threat: 'T236',
    attacks: ['is over after five wrong ones, also for the right one'],
  },
  {
    name: 'a link is found by its id alone, with any code',
    file: codes,
    before: 'found?.right === true',
    after: 'found !== undefined',
    also: [{ file: routes, before: spend, after: '' }],
    seenBy: [attacks],
    threat: 'T237',
    attacks: ['opens its own account alone; with the id of another link it is refused'],
  },
  {
    name: 'a link is sent to a disabled account',
    file: codes,
    before: 'and users.enabled and roles.enabled and users.password_hash',
    after: 'and users.password_hash',
    seenBy: [attacks],
    threat: 'T238',
    attacks: ['a disabled account > is sent no link'],
  },
  {
    name: 'a link opens a disabled account',
    file: routes,
    before: '!owner.userEnabled || !owner.roleEnabled',
    after: 'false',
    also: [{ file: routes, before: 'code.hash)) || !enabled)', after: 'code.hash)))' }, withoutEndOfCodes],
    seenBy: [attacks],
    threat: 'T238',
    attacks: ['has no link any more, also once it is enabled again'],
  },
  {
    name: 'a link of before an account was disabled is good once it is enabled again',
    ...withoutEndOfCodes,
    seenBy: [attacks],
    threat: 'T238',
    attacks: ['has no link any more, also once it is enabled again'],
  },
  {
    name: 'a link is sent to an account without a password',
    file: codes,
    before: "and users.enabled and roles.enabled and users.password_hash like '$%'",
    after: 'and users.enabled and roles.enabled',
    seenBy: [attacks],
    threat: 'T239',
    attacks: ['an account without a password > is not opened by a forgotten one'],
  },
  {
    name: 'a link leads to the host of the request',
    file: routes,
    before: 'async ({ body, ip }) => {',
    after: 'async ({ body, ip, headers }) => {\n      globalThis.poisoned = headers.host;',
    also: [
      {
        file: links,
        before: '`${linkPage}#',
        after: '`https://${globalThis.poisoned}/console/new-password#',
      },
    ],
    seenBy: [attacks],
    threat: 'T240',
    attacks: ['a poisoned host name > is in no link'],
  },
  {
    name: 'any number of links is sent to an address',
    file: codes,
    before: 'if (rows[0]?.may !== true) return false;',
    after: '',
    seenBy: [attacks],
    threat: 'T241',
    attacks: ['ends with five links a day for an address'],
  },
  {
    name: 'an address is several, or a header',
    file: 'packages/contract/src/mail-address.ts',
    before: 'pattern: mailAddressPattern, maxLength: 254',
    after: 'maxLength: 2000',
    also: [
      { file: smtp, before: '!addressShape.test(mail.address)', after: 'false' },
      { file: smtp, before: "to: { name: '', address },", after: 'to: address,' },
      { file: smtp, before: 'envelope: { from, to: [address] },', after: '' },
    ],
    seenBy: [attacks],
    threat: 'T242',
    attacks: [
      'is refused as one: "mei@example.com,eve@evil.example"',
      'is refused as one: "mei@example.com, Eve <eve@evil.example>"',
      String.raw`is refused as one: "\"mei@example.com\" <eve@evil.example>"`,
    ],
  },
  {
    name: 'a stored address is several',
    file: smtp,
    before: '!addressShape.test(mail.address)',
    after: 'false',
    also: [
      { file: smtp, before: "to: { name: '', address },", after: 'to: address,' },
      { file: smtp, before: 'envelope: { from, to: [address] },', after: '' },
    ],
    seenBy: [attacks],
    threat: 'T242',
    attacks: ['is not sent to an address that was written into the database'],
  },
  {
    name: 'a name is a part of the page of a mail',
    file: `${src}/people/mail/write-mail.ts`,
    before: "entities[sign] ?? ''",
    after: 'sign',
    seenBy: [attacks],
    threat: 'T243',
    attacks: ['a name that is a page > is text in a mail'],
  },
  {
    name: 'the answer tells an unknown address',
    file: routes,
    before: asked,
    after: `if (${isUnknown}) throw new AppError('record_not_found');\n      ${asked}`,
    seenBy: [attacks],
    threat: 'T244',
    attacks: ['is answered alike for known, unknown, disabled and passwordless ones'],
  },
  {
    name: 'nothing is done for an unknown address',
    file: routes,
    before: asked,
    after: `if (${isUnknown}) return { data: null };\n      ${asked}`,
    seenBy: ['test/attack/people/mail-timing.test.ts'],
    threat: 'T244',
    attacks: ['does not tell an unknown address from that of an enabled account'],
  },
  {
    name: 'a link outlives what it stands on',
    file: sql,
    before:
      'create trigger users_password_codes after update of password_hash, enabled, deleted_at, mail on users',
    after: 'create trigger users_password_codes after update of deleted_at on users',
    seenBy: [attacks],
    threat: 'T245',
    attacks: [
      'is refused after the password was changed by its owner',
      'is refused after the password was reset by an administrator',
      'is refused after the address was changed',
      'is refused after another link was used',
    ],
  },
  {
    name: 'a link does not expire',
    file: codes,
    before: ' and expires_at > clock_timestamp()\n    returning',
    after: '\n    returning',
    also: [{ file: routes, before: spend, after: '' }],
    seenBy: [attacks],
    threat: 'T245',
    attacks: ['a link of before > is refused after its half hour'],
  },
  {
    name: 'the own address is changed with a token alone',
    file: `${src}/people/users/user-actions.ts`,
    before: "ofOthers: true,\n    action: 'user.mail',",
    after: "ofOthers: false,\n    action: 'user.mail',",
    seenBy: [attacks],
    threat: 'T247',
    attacks: ['the own address > is not changed with a token alone'],
  },
  {
    name: 'a link is asked for without a captcha',
    file: routes,
    before: 'await checkCaptcha(body);',
    after: '',
    seenBy: [attacks],
    threat: 'T249',
    attacks: ['asking without a captcha, or with one twice > is refused'],
  },
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: It is source text.
  {
    name: 'password links survive a change of the password',
    file: sql,
    before:
      '(old.password_hash is distinct from new.password_hash and old.epoch is distinct from new.epoch)\n    or',
    after: '',
    seenBy: [attacks],
    threat: 'T245',
    attacks: [
      'is refused after the password was changed by its owner',
      'is refused after the password was reset by an administrator',
      'is refused after another link was used',
    ],
  },
  {
    name: 'a wrong code is not counted',
    file: codes,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: It is source text.
    before: '(hash <> ${hash})::int',
    after: '0',
    seenBy: [attacks],
    threat: 'T236',
    attacks: ['is over after five wrong ones, also for the right one'],
  },
  {
    name: 'another spelling of a code is the same code',
    file: links,
    before: 'return isExact ? {',
    after: 'return isExact || code !== undefined ? {',
    seenBy: [attacks],
    threat: 'T236',
    attacks: ['with codes that were made up, or are spelt otherwise'],
  },
  {
    name: 'a mail of a person outside the data scope is sent again',
    file: `${src}/people/mail/mail-store.ts`,
    before: 'if (mail?.visible !== true) throw',
    after: 'if (mail === undefined) throw',
    seenBy: [`${test}/people/mail/mail-scope.test.ts`],
  },
  {
    name: 'mails without a user are shown to everyone',
    file: `${src}/people/mail/mail-store.ts`,
    before: 'departments}::bigint[]), false)',
    after: 'departments}::bigint[]), true)',
    seenBy: [`${test}/people/mail/mail-scope.test.ts`, 'test/conformance/data-scope.test.ts'],
  },
  {
    name: 'no mail tells that the password was changed',
    file: sql,
    before: `perform tell_by_mail(new.id, 'password_changed', '{}');`,
    after: 'null;',
    seenBy: [`${test}/people/mail/notices.test.ts`],
  },
  {
    name: 'no mail tells that a factor was removed',
    file: sql,
    before: `perform tell_by_mail(new.user_id, 'factor_removed', jsonb_build_object('factor', new.kind));`,
    after: 'null;',
    seenBy: [`${test}/people/mail/notices.test.ts`],
  },
  {
    name: 'a forgotten password is set where a provider decides about the account',
    file: codes,
    before: `      and not users.decided_by_provider
`,
    after: '',
    seenBy: [`${test}/people/mail/notices.test.ts`],
  },
  {
    name: 'a password link opens an account whose provider now decides about sign-in',
    file: 'packages/server/src/cluster/store/migrations/0041-codes-of-decided-accounts.sql',
    before: `new.password_hash like '$%'`,
    after: 'false',
    seenBy: [`${test}/people/mail/notices.test.ts`],
  },
];
