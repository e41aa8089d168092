import type { LoginAttempt } from '@portcullis/contract';
import { describe, expect, it } from 'vitest';
import { createLoginRecord } from '../../../src/logs/login-log/login-record.ts';
import { createPseudonymize } from '../../../src/logs/login-log/pseudonym.ts';

const attempt: LoginAttempt = {
  outcome: 'failure',
  reason: 'credentials_wrong',
  username: 'mei',
  userId: undefined,
  roleKey: undefined,
  jti: undefined,
  ip: '192.0.2.1',
  userAgent: 'curl/8',
  requestId: 'r-1',
};
const stamp = { id: 'id', at: new Date(0), instance: 'i' };
const hideName = createPseudonymize(Buffer.alloc(32, 7));
const client = { browser: 'Firefox', os: 'Linux', platform: 'desktop', location: 'DE' };
const recordOf = (change: Partial<LoginAttempt>) =>
  createLoginRecord({ ...attempt, ...change }, stamp, client, hideName);
const known = { userId: 7, roleKey: 'editor' };

describe('a username', () => {
  it.each(['mei', 'hunter2', 'Tr0ub4dor-3', 'x'.repeat(64), 'x'.repeat(2000), '', '\ud800', '[unknown:3:0]'])(
    'keeps the length and a keyed hash of the unknown name %j',
    (username) => {
      const shown = recordOf({ username }).username;
      expect(shown).toBe(hideName(username));
      expect(shown).toMatch(new RegExp(`^\\[unknown:${username.length}:[0-9a-f]{16}\\]$`));
    },
  );

  it('has one hash per unknown name and key', () => {
    expect(recordOf({ username: 'hunter2' }).username).toBe(recordOf({ username: 'hunter2' }).username);
    expect(hideName('hunter2')).not.toBe(createPseudonymize(Buffer.alloc(32, 8))('hunter2'));
    expect(hideName('hunter2')).not.toBe(hideName('hunter3'));
  });

  it.each([
    'hunter2!',
    'correct horse',
    'Pa$$w0rd',
    ' mei',
    'mei ',
    '-mei',
    'mei\0',
    'mei\n',
    'me\u200bi',
    '\ud800',
    'mei\udc00',
    "' or 1=1",
    '<b>',
    '',
    'x'.repeat(65),
  ])('%j does not look like one and is hidden, although an account was found', (username) => {
    expect(recordOf({ username, ...known }).username).toBe(hideName(username));
  });

  it.each([
    'mei',
    'Mei.Li-2',
    'mei@example.com',
    'a+b_c',
    '李梅',
    'Ünal',
    '1000',
    'x'.repeat(64),
    '𠮷'.repeat(64),
  ])('%j of an account is stored as it is', (username) => {
    expect(recordOf({ username, ...known }).username).toBe(username);
  });

  it('that was not sent stays missing', () => {
    expect(recordOf({ username: undefined }).username).toBeUndefined();
  });
});

describe('a user agent', () => {
  it.each([
    ['a\0b', 'a\\u0000b'],
    ['a\r\nb', 'a\\u000d\\u000ab'],
    ['\x1b[31m', '\\u001b[31m'],
    ['a\x7fb\x9fc', 'a\\u007fb\\u009fc'],
    ['a\ud800b', 'a\\ud800b'],
    ['\udc00', '\\udc00'],
    [`${'x'.repeat(255)}😀`, `${'x'.repeat(255)}\\ud83d`],
  ])('%j is stored as %j', (userAgent, shown) => {
    expect(recordOf({ userAgent }).userAgent).toBe(shown);
  });

  it.each(['curl/8', 'Mozilla/5.0 (X11)', '浏览器 😀', ''])('%j is stored as it is', (userAgent) => {
    expect(recordOf({ userAgent }).userAgent).toBe(userAgent);
  });

  it('is cut at 256 characters', () => {
    expect(recordOf({ userAgent: 'x'.repeat(1000) }).userAgent).toHaveLength(256);
  });

  it('that was not sent stays missing', () => {
    expect(recordOf({ userAgent: undefined }).userAgent).toBeUndefined();
  });
});

describe('an address', () => {
  it('of a link is stored without its interface', () => {
    expect(recordOf({ ip: 'fe80::1%eth0' }).ip).toBe('fe80::1');
  });
});

it('a record carries the attempt, its stamp and what is known of the client', () => {
  expect(recordOf(known)).toEqual({ ...attempt, ...known, ...stamp, ...client });
});
