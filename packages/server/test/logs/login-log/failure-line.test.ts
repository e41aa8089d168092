import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createFailureLine } from '../../../src/logs/login-log/failure-line.ts';
import { createLoginRecord } from '../../../src/logs/login-log/login-record.ts';
import { hideName } from './rows.ts';

const client = { browser: undefined, os: undefined, platform: undefined, location: undefined };

function lineOf(change: { username?: string | undefined; userAgent?: string }, level = 'info'): string {
  const lines: string[] = [];
  const logger = pino({ level, base: null }, { write: (line) => void lines.push(line) });
  const attempt = {
    outcome: 'failure',
    reason: 'credentials_wrong',
    username: 'mei',
    userId: 7,
    roleKey: 'editor',
    jti: undefined,
    ip: '192.0.2.1',
    userAgent: 'curl/8',
    requestId: 'r-1',
    ...change,
  } as const;
  const stamp = { id: 'id', at: new Date(0), instance: 'i' };
  createFailureLine(logger)(createLoginRecord(attempt, stamp, client, hideName));
  expect(lines).toHaveLength(1);
  return lines[0] ?? '';
}

it('says address, reason, request and username, in this order, and nothing else of the attempt', () => {
  expect(lineOf({}).replace(/"time":\d+/, '"time":0')).toBe(
    '{"level":30,"time":0,"ip":"192.0.2.1","reason":"credentials_wrong","requestId":"r-1","username":"mei","msg":"a login failed"}\n',
  );
});

it('has no username where none was sent', () => {
  expect(JSON.parse(lineOf({ username: undefined }))).not.toHaveProperty('username');
});

it.each([
  'x","ip":"203.0.113.9',
  'x\n{"level":30,"time":1794736443952,"pid":1,"hostname":"h","ip":"203.0.113.9","reason":"captcha_wrong",',
  '\u2028\u0085\r\n\x1b[2J',
  '\ud800',
])('is one line, whatever the username: %j', (username) => {
  const line = lineOf({ username });
  expect(line.indexOf('\n')).toBe(line.length - 1);
  expect(JSON.parse(line)).toMatchObject({ ip: '192.0.2.1', username: hideName(username) });
});

it.each(['warn', 'error', 'silent'])('is written at the level %s too', (level) => {
  expect(lineOf({}, level)).toContain('a login failed');
});
