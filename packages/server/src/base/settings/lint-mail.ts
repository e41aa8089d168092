// Lint of the mail settings: what sending needs, and the page that links point to. Neither is ever read from a request.
import { existsSync } from 'node:fs';
import { mailAddressPattern } from '@portcullis/contract';
import type { Settings } from './schema.ts';

type MailSettings = Settings['mail'];

const address = new RegExp(mailAddressPattern);

export function lintMail(mail: MailSettings, isDev: boolean): string[] {
  return [...lintPasswordPage(mail, isDev), ...(mail.host === '' ? [] : lintServer(mail, isDev))];
}

function lintPasswordPage({ passwordPage }: MailSettings, isDev: boolean): string[] {
  if (passwordPage === '') return [];
  const url = URL.parse(passwordPage);
  const isSecure =
    url?.protocol === 'https:' ||
    (isDev && url?.protocol === 'http:' && ['localhost', '127.0.0.1'].includes(url.hostname));
  const isPlain = url?.href === passwordPage && url.search === '' && url.hash === '' && url.username === '';
  return isSecure && isPlain
    ? []
    : [
        '`mail.passwordPage` is not the URL of an `https://` page. Write it as `https://admin.example.com/console/new-password`, without `?` and `#`.',
      ];
}

function lintServer(
  { from, username, password, allowPlaintext, host, caFile }: MailSettings,
  isDev: boolean,
): string[] {
  const problems: string[] = [];
  if (!address.test(from))
    problems.push('`mail.from` is not a mail address. Write it as `portcullis@example.com`, without a name.');
  if ((username === '') !== (password === ''))
    problems.push('`mail.username` and `mail.password` must be set together. Set both, or remove both.');
  if (caFile !== '' && !existsSync(caFile))
    problems.push(`\`mail.caFile\` names ${caFile}, which does not exist. Correct the path.`);
  if (!isDev && allowPlaintext && password !== '' && !isOwnHost(host))
    problems.push(
      '`mail.allowPlaintext` would send `mail.password` unencrypted over the network. Use TLS, or an SMTP server on this host.',
    );
  return problems;
}

function isOwnHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
