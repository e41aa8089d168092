import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { writeCommands } from '../../../src/pages/quick-start/write-commands.ts';

const place = { origin: 'https://auth.example', username: '美美+ops@example', userId: 7, dev: false };
const { guard: code, ...shell } = writeCommands(place);

test.each(Object.entries({ ...shell, devLogin: writeCommands({ ...place, dev: true }).login }))(
  'writes a command that the shell can read: %s',
  (_name, command) => {
    execFileSync('bash', ['-n'], { input: command });
  },
);

test('every call goes to the address of this service', () => {
  const { login, call, explain, routes, follow } = shell;
  for (const command of [login, call, explain, routes, follow])
    expect(command).toContain('https://auth.example/api/v1/');
});

test('asks for a captcha except in dev, and sets dev of a guard only in dev', () => {
  const dev = writeCommands({ ...place, dev: true });
  expect(shell.login).toContain('/api/v1/getCaptcha');
  expect(dev.login).not.toContain('getCaptcha');
  expect(dev.guard).toContain('dev: true');
  expect(code).not.toContain('dev:');
});
