// Mail, and the links that set passwords. The texts that the careless service of the suite looks for stay.
import type { Weakness } from './weakness.ts';

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

export const mailWeaknesses: readonly Weakness[] = [
  {
    name: 'mail goes without TLS where the server has none',
    file: smtp,
    before: 'requireTLS: !plaintext,',
    after: 'requireTLS: false,',
    seenBy: [smtpTest],
  },
  {
    name: 'any certificate will do',
    file: smtp,
    before: "minVersion: 'TLSv1.2',",
    after: "minVersion: 'TLSv1.2', rejectUnauthorized: false,",
    seenBy: [smtpTest],
  },
  {
    name: 'a refused password of ours ends a mail',
    file: smtp,
    before: 'isOfMail && responseCode >= 500',
    after: 'responseCode >= 500',
    seenBy: [smtpTest],
  },
  {
    name: 'what a server answers is kept with the address',
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
    name: 'every wait for another try is as long as the first',
    file: sender,
    before: ' * 2 ** Math.min(tries - 1, 20)',
    after: '',
    seenBy: [senderTest],
  },
  {
    name: 'another instance may have a mail while it is being delivered',
    file: sender,
    before: 'options.timeoutSeconds + 15',
    after: '1',
    seenBy: [senderTest],
  },
  {
    name: 'a changed password leaves its links',
    file: sql,
    before:
      '(old.password_hash is distinct from new.password_hash and old.epoch is distinct from new.epoch)\n    or',
    after: '',
    seenBy: [attacks],
    threat: 'T245',
  },
  {
    name: 'a wrong code counts nothing',
    file: codes,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: It is source text.
    before: '(hash <> ${hash})::int',
    after: '0',
    seenBy: [attacks],
    threat: 'T236',
  },
  {
    name: 'another spelling of a code is the same code',
    file: links,
    before: 'return isExact ? {',
    after: 'return isExact || code !== undefined ? {',
    seenBy: [attacks],
    threat: 'T236',
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
    name: 'a link for a forgotten password is a way in past the provider that decides by now',
    file: 'packages/server/src/cluster/store/migrations/0041-codes-of-decided-accounts.sql',
    before: `new.password_hash like '$%'`,
    after: 'false',
    seenBy: [`${test}/people/mail/notices.test.ts`],
  },
];
