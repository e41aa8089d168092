import { expect, it } from 'vitest';
import { lintMail } from '../../../src/base/settings/lint-mail.ts';
import { readSettings } from '../../../src/base/settings/read-settings.ts';

const { mail: defaults } = readSettings({ environment: {} });
const good = { ...defaults, host: 'smtp.example.com', from: 'portcullis@example.com' };
const page = 'https://admin.example.com/console/new-password';

it.each([
  [{ from: 'Portcullis <a@example.com>' }, /mail\.from/],
  [{ username: 'a' }, /mail\.username.*mail\.password/],
  [{ caFile: '/nowhere.pem' }, /mail\.caFile/],
  [{ allowPlaintext: true, username: 'a', password: 'b' }, /mail\.allowPlaintext/],
  [{ passwordPage: 'http://admin.example.com/' }, /mail\.passwordPage/],
  [{ passwordPage: `${page}#x` }, /mail\.passwordPage/],
  [{ passwordPage: 'admin.example.com' }, /mail\.passwordPage/],
])('outside dev, %j is refused', (some, reason) => {
  expect(lintMail({ ...good, ...some }, false)).toEqual([expect.stringMatching(reason)]);
});

it.each([
  {},
  { passwordPage: page },
  { allowPlaintext: true },
  { allowPlaintext: true, host: '127.0.0.1', username: 'a', password: 'b' },
])('outside dev, %j is accepted', (some) => {
  expect(lintMail({ ...good, ...some }, false)).toEqual([]);
});

it('accepts a page on this host in dev alone', () => {
  const mail = { ...defaults, passwordPage: 'http://localhost:8000/console/new-password' };
  expect([lintMail(mail, true).length, lintMail(mail, false).length]).toEqual([0, 1]);
});
