import { expect, it } from 'vitest';
import { lintAnchorUrl } from '../../../src/base/settings/lint-anchor-url.ts';

const isRefused = (anchorUrl: string, isDev: boolean) => lintAnchorUrl({ anchorUrl }, isDev).length > 0;

it.each([
  'http://evidence.example/heads',
  'http://192.0.2.1/',
  'http://127.0.0.1.evidence.example/',
  'http://localhost.evidence.example/',
  'ftp://127.0.0.1/',
  'file:///etc/passwd',
  'evidence.example/heads',
  'https://',
  'https://user:secret@evidence.example/heads',
])('heads do not leave for %s, in dev neither', (url) => {
  expect([isRefused(url, false), isRefused(url, true)]).toEqual([true, true]);
});

it.each(['http://127.0.0.1:9000/heads', 'http://localhost/', 'http://[::1]:9000/'])(
  'heads leave for %s of this host in dev alone',
  (url) => {
    expect([isRefused(url, false), isRefused(url, true)]).toEqual([true, false]);
  },
);

it.each(['', 'https://evidence.example/heads?key=1', 'https://127.0.0.1/'])('%j is fine', (url) => {
  expect([isRefused(url, false), isRefused(url, true)]).toEqual([false, false]);
});

it('no reason shows the address, which may hold a secret', () => {
  expect(lintAnchorUrl({ anchorUrl: 'http://evidence.example/canary' }, false).join()).not.toContain(
    'canary',
  );
});
