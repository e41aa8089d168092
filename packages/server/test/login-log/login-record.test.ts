import type { LoginAttempt } from '@portcullis/contract';
import { describe, expect, it } from 'vitest';
import { createLoginRecord } from '../../src/login-log/login-record.ts';

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
const client = { browser: 'Firefox', os: 'Linux', platform: 'desktop', location: 'DE' };
const recordOf = (change: Partial<LoginAttempt>) =>
  createLoginRecord({ ...attempt, ...change }, stamp, client);

describe('a username', () => {
  it.each([
    ['hunter2!', '[hidden:8]'],
    ['correct horse', '[hidden:13]'],
    ['Pa$$w0rd', '[hidden:8]'],
    [' mei', '[hidden:4]'],
    ['mei ', '[hidden:4]'],
    ['-mei', '[hidden:4]'],
    ['mei\0', '[hidden:4]'],
    ['mei\n', '[hidden:4]'],
    ['me\u200bi', '[hidden:4]'],
    ['\ud800', '[hidden:1]'],
    ['mei\udc00', '[hidden:4]'],
    ["' or 1=1", '[hidden:8]'],
    ['<b>', '[hidden:3]'],
    ['', '[hidden:0]'],
    ['x'.repeat(65), '[hidden:65]'],
    ['[hidden:3]', '[hidden:10]'],
  ])('%j does not look like one and is stored as %s', (username, shown) => {
    expect(recordOf({ username }).username).toBe(shown);
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
  ])('%j is stored as it is', (username) => {
    expect(recordOf({ username }).username).toBe(username);
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
  expect(recordOf({})).toEqual({ ...attempt, ...stamp, ...client });
});
