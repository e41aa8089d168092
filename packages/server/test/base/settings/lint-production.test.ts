import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { lintProduction } from '../../../src/base/settings/lint-production.ts';
import { readSettings } from '../../../src/base/settings/read-settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'portcullis-lint-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWithMode(mode: number): string {
  const file = join(folder, mode.toString(8));
  writeFileSync(file, 'postgres://postgres@127.0.0.1/portcullis');
  chmodSync(file, mode);
  return file;
}

const lint = (environment: Record<string, string>) =>
  lintProduction(readSettings({ environment }), environment);

describe('the file of a secret', () => {
  it.each([0o644, 0o604, 0o444, 0o666])('with mode %o is refused with what to do', (mode) => {
    const file = fileWithMode(mode);
    expect(lint({ DATABASE_URL_FILE: file })).toEqual([
      expect.stringMatching(new RegExp(`DATABASE_URL_FILE.*chmod 600 ${file}`)),
    ]);
    expect(lint({ AUTH_MASTER_KEY_FILE: file })).toHaveLength(1);
  });

  it.each([0o600, 0o400, 0o640, 0o440])('with mode %o is taken', (mode) => {
    expect(lint({ DATABASE_URL_FILE: fileWithMode(mode) })).toEqual([]);
  });
});

describe('the cost of a password hash', () => {
  it.each([
    ['7167', '10'],
    ['7168', '4'],
    ['19456', '1'],
    ['17919', '2'],
    ['64', '10'],
  ])('of %s KiB and %s passes is refused', (memory, passes) => {
    expect(lint({ HASH_MEMORY_KIBIBYTES: memory, HASH_PASSES: passes })).toEqual([
      expect.stringMatching(/hash\.memoryKibibytes.*7168.*35840/),
    ]);
  });

  it.each([
    ['7168', '5'],
    ['19456', '2'],
    ['17920', '2'],
    ['47104', '1'],
  ])('of %s KiB and %s passes is taken', (memory, passes) => {
    expect(lint({ HASH_MEMORY_KIBIBYTES: memory, HASH_PASSES: passes })).toEqual([]);
  });
});

describe('the secret of the decision listener', () => {
  const good = '0123456789abcdef0123456789abcdef';
  it.each([
    ['short', good.slice(1)],
    ['of too few characters', 'abcdefgabcdefgabcdefgabcdefgabcdefgabcdefg'],
    ['with a space', `${good} ${good}`],
    ['with a letter that no header carries', `${good}é`],
  ])('that is %s is refused, and so is the previous one', (_name, text) => {
    expect(lint({ DECISION_SECRET: text })).toEqual([
      expect.stringMatching(/decision\.secret.*openssl rand/),
    ]);
    expect(lint({ DECISION_SECRET: good, DECISION_PREVIOUS_SECRET: text })).toEqual([
      expect.stringMatching(/decision\.previousSecret.*openssl rand/),
    ]);
  });

  it.each(['', good, `${good}${good}`])('%j is taken', (text) => {
    expect(lint({ DECISION_SECRET: text, DECISION_PREVIOUS_SECRET: text })).toEqual([]);
  });
});
