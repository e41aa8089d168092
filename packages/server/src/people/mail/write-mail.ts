// Renders a mail as plain text and HTML with the same words, without images, scripts or remote content.
import type { Language, MailKind } from '@portcullis/contract';
import { factorNames, greetings, mailTexts, origins, otherFactor } from './mail-texts.ts';

export interface MailFacts {
  readonly kind: MailKind;
  readonly username: string;
  readonly name: string;
  readonly at: Date;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly link?: { readonly url: string; readonly expiresAt: Date } | undefined;
}

export interface WrittenMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export function writeMail(mail: MailFacts, language: Language): WrittenMail {
  const words = mailTexts[language][mail.kind];
  const fill = createFill(mail, language);
  const before = [greetings[language], ...words.before].map(fill);
  const after = words.after.map(fill);
  const url = mail.link?.url;
  const text = [...before, ...(url === undefined ? [] : [url]), ...after].join('\n\n');
  const link =
    url === undefined
      ? []
      : [`<p><a href="${escaped(url)}">${escaped(words.link ?? url)}</a></p><p>${escaped(url)}</p>`];
  const paragraph = (line: string) => `<p>${escaped(line)}</p>`;
  const body = [...before.map(paragraph), ...link, ...after.map(paragraph)].join('\n');
  const head = '<meta charset="utf-8"><meta name="referrer" content="no-referrer">';
  const html = `<!doctype html>\n<html lang="${language}"><head>${head}</head>\n<body>\n${body}\n</body></html>\n`;
  return { subject: words.subject, text: `${text}\n`, html };
}

function createFill({ username, name, at, facts, link }: MailFacts, language: Language) {
  const textOf = (value: unknown) => (typeof value === 'string' ? plain(value) : '');
  const from = { ip: textOf(facts.ip), agent: textOf(facts.agent) || '-' };
  const values: Readonly<Record<string, string>> = {
    username: plain(username),
    name: plain(name || username),
    at: moment(at),
    until: link === undefined ? '' : moment(link.expiresAt),
    factor: factorNames[language][textOf(facts.factor)] ?? otherFactor[language],
    origin: from.ip === '' ? '' : replaceAll(origins[language], from),
  };
  return (line: string) => replaceAll(line, values);
}

/** In one pass, so that braces in a user's name are not read as a placeholder. */
function replaceAll(line: string, values: Readonly<Record<string, string>>): string {
  return line.replace(/\{([a-z]+)\}/g, (placeholder, name: string) => values[name] ?? placeholder);
}

/** On one line, without anything that a mail client would turn into a link. */
function plain(text: string): string {
  return text
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/:\/\//g, ': //')
    .slice(0, 256);
}

function moment(at: Date): string {
  return at.toISOString().slice(0, 16).replace('T', ' ');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => entities[sign] ?? '');
}
