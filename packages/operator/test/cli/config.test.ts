// `portcullis config`.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { traceSettings } from '@portcullis/server/base/settings/trace-settings.ts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { performCommand } from './perform-command.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'config-'));
});
afterAll(() => rm(folder, { recursive: true }));

const url = 'postgres://clerk:hidden-word@db.example.com/portcullis?sslmode=verify-full';
const run = (command: string[], environment: Record<string, string> = {}) =>
  performCommand(['config', ...command], { url, environment });

describe('`config print`', () => {
  it('prints what is refused too, and says why at the end', async () => {
    const ended = await run(['print'], { APPLICATION_PORT: 'high', AUTH_MASTER_KEY: 'hidden-word' });
    expect(ended.code).toBe(78);
    expect(ended.stderr).toContain('`application.port` (APPLICATION_PORT) must be integer.');
    expect(ended.stdout).toMatch(/\nhash\.passes +default +2\n/);
    expect(ended.stdout + ended.stderr).not.toContain('hidden-word');
  });

  it('says where each value came from, and shows no secret', async () => {
    const file = join(folder, 'portcullis.yaml');
    await writeFile(file, 'hash: { passes: 3 }\ndecision: { secret: hidden-word-hidden-word-hidden-word }\n');
    const secretFile = join(folder, 'secret');
    await writeFile(secretFile, 'hidden-word');
    const environment = { LIMIT_BURST: '300', DECISION_PREVIOUS_SECRET_FILE: secretFile };
    const ended = await run(['print', '--config', file, '--json'], environment);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).not.toContain('hidden-word');
    const { settings } = JSON.parse(ended.stdout);
    const shown = (wanted: string) => {
      const { value, origin } = settings.find(({ key }: { key: string }) => key === wanted);
      return [value, origin];
    };
    expect(shown('hash.passes')).toEqual([3, file]);
    expect(shown('limit.burst')).toEqual([300, 'LIMIT_BURST']);
    expect(shown('limit.connectionsPerNetwork')).toEqual([512, 'default']);
    expect(shown('decision.secret')).toEqual(['***', file]);
    expect(shown('decision.previousSecret')).toEqual(['***', 'DECISION_PREVIOUS_SECRET_FILE']);
    expect(shown('database.url')).toEqual([
      'postgres://clerk:***@db.example.com/portcullis?sslmode=verify-full',
      'DATABASE_URL',
    ]);
  });

  it.each([
    [
      'postgres://clerk@db/x?password=hidden-word&sslmode=require',
      'postgres://clerk@db/x?password=***&sslmode=require',
    ],
    ['postgres://clerk:hidden-word@word@db/x', 'postgres://clerk:***@db/x'],
    ['postgres://clerk:12/hidden-word@db/x', '***'],
    ['postgres://clerk:12#hidden-word@db/x', '***'],
    ['postgres://clerk:12?hidden-word@db/x', '***'],
    ['host=db password=hidden-word', '***'],
    ['postgres:///x?host=/run/postgresql', 'postgres:///x?host=/run/postgresql'],
  ])('shows %s as %s', (text, shown) => {
    const traced = traceSettings({ environment: { DATABASE_URL: text } });
    expect(traced.find(({ key }) => key === 'database.url')?.value).toBe(shown);
  });
});

it('`config schema` is one that takes files and refuses misspelt ones', async () => {
  const { stdout } = await run(['schema']);
  const validate = new Ajv2020({ strict: false }).compile(JSON.parse(stdout));
  expect(validate({ hash: { passes: 3 }, limit: null })).toBe(true);
  expect(validate({})).toBe(true);
  expect(validate({ hash: { pases: 3 } })).toBe(false);
  expect(validate({ hash: { passes: 'many' } })).toBe(false);
});
