// Lint of the mail settings: what sending needs, and the page that links point to. Neither is ever read from a request.
import { existsSync } from 'node:fs';
import { mailAddressPattern } from '@portcullis/contract';
import type { Settings } from './schema.ts';

type MailSettings = Settings['mail'];

const address = new RegExp(mailAddressPattern);

export function lintMail(mail: MailSettings, isDev: boolean): string[] {
  return [...lintLinkPage(mail, isDev), ...(mail.host === '' ? [] : lintServer(mail, isDev))];
}

function lintLinkPage({ linkPage }: MailSettings, isDev: boolean): string[] {
  if (linkPage === '') return [];
  const url = URL.parse(linkPage);
  const isSecure =
    url?.protocol === 'https:' ||
    (isDev && url?.protocol === 'http:' && ['localhost', '127.0.0.1'].includes(url.hostname));
  const isPlain = url?.href === linkPage && url.search === '' && url.hash === '' && url.username === '';
  return isSecure && isPlain
    ? []
    : [
        '`mail.linkPage` is no page that a link can open. Write it as `https://admin.example.com/console/new-password`, without `?` and `#`.',
      ];
}

function lintServer(
  { from, username, password, plaintext, host, ca }: MailSettings,
  isDev: boolean,
): string[] {
  const problems: string[] = [];
  if (!address.test(from))
    problems.push('`mail.from` is no address. Write it as `portcullis@example.com`, without a name.');
  if ((username === '') !== (password === ''))
    problems.push('`mail.username` and `mail.password` belong together. Set both, or neither.');
  if (ca !== '' && !existsSync(ca))
    problems.push(`\`mail.ca\` names ${ca}, which does not exist. Check the path.`);
  if (!isDev && plaintext && password !== '' && !isOwnHost(host))
    problems.push(
      '`mail.plaintext` would send `mail.password` readable over the network. Use TLS, or a server on this host.',
    );
  return problems;
}

function isOwnHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
