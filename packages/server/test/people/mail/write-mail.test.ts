// Which words a mail has, in both of its parts.
import { describe, expect, it } from 'vitest';
import { type MailFacts, writeMail } from '../../../src/people/mail/write-mail.ts';

const mail: MailFacts = {
  kind: 'new_device',
  username: 'mei',
  name: '',
  at: new Date('2026-01-02T03:04:05Z'),
  facts: {},
};
const seen = 'Your account mei was signed in to from a browser or program that was not seen before';
const link = { url: 'https://admin.example.com/p#c', expiresAt: new Date('2026-01-02T04:05:06Z') };

/** The paragraphs of both parts: of the text, and of the body as HTML. */
function paragraphsOf(facts: Partial<MailFacts>, language: 'en' | 'zh' = 'en') {
  const { text, html } = writeMail({ ...mail, ...facts }, language);
  const body = html.slice(html.indexOf('<body>\n') + 7, html.indexOf('\n</body>'));
  return { text: text.trimEnd().split('\n\n'), html: body.split('\n') };
}

describe('a mail', () => {
  it('with a link has the same words in both parts, around the link', () => {
    const before = [
      'Hello mei,',
      'A new password was asked for. Your username is mei. Set the password here:',
    ];
    const after = [
      'The link works once, until 2026-01-02 04:05 (UTC), and ends all your sessions. It does not sign you in, and a second factor stays in force.',
      'If you did not ask for it, do nothing: your password stays as it is.',
    ];
    const anchor = `<p><a href="${link.url}">Set a new password</a></p><p>${link.url}</p>`;
    const inTags = (line: string) => `<p>${line}</p>`;
    expect(paragraphsOf({ kind: 'password_reset', link })).toEqual({
      text: [...before, link.url, ...after],
      html: [...before.map(inTags), anchor, ...after.map(inTags)],
    });
  });

  it('contains no link in either part when it has none', () => {
    const { text, html } = paragraphsOf({ kind: 'password_changed' });
    expect([text.length, html.length]).toEqual([3, 3]);
    expect(`${text} ${html}`).not.toContain('http');
  });

  it.each<[what: string, facts: MailFacts['facts'], line: string]>([
    ['nothing where the address is not known', { agent: 'curl' }, `${seen}, at 2026-01-02 03:04 (UTC).`],
    [
      'the address and the program',
      { ip: '192.0.2.1', agent: 'curl' },
      `${seen}, at 2026-01-02 03:04 (UTC). Address: 192.0.2.1. Browser or program: curl.`,
    ],
    [
      'the address alone where the program is not known',
      { ip: '192.0.2.1', agent: 7 },
      `${seen}, at 2026-01-02 03:04 (UTC). Address: 192.0.2.1. Browser or program: -.`,
    ],
  ])('of a new device names %s', (_what, facts, line) => {
    expect(paragraphsOf({ facts }).text[1]).toBe(line);
  });

  it.each([
    ['en', 'totp', 'The authenticator app of your account mei'],
    ['en', 'other', 'A way to sign in of your account mei'],
    ['zh', 'passkey', '您的账号 mei 的通行密钥'],
  ] as const)('of a factor that was removed names it: in %s, of %s', (language, factor, words) => {
    expect(paragraphsOf({ kind: 'factor_removed', facts: { factor } }, language).text[1]).toContain(words);
  });

  it('greets by the name, and by the username without one', () => {
    expect(paragraphsOf({ name: '林美' }, 'zh').text[0]).toBe('林美，您好：');
    expect(paragraphsOf({}).text[0]).toBe('Hello mei,');
  });
});
