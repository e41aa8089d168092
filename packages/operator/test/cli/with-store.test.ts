// How every command on the database ends where it cannot begin.
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { commandLine, fileOf } from '../../../../test/rig/start-process.ts';
import { createFreshDatabase } from '../../../server/test/fresh-database.ts';
import { performCommand } from './perform-command.ts';

it('ends with 69 where Postgres does not answer', async () => {
  const ended = await performCommand(['user', 'list'], { url: 'postgres://postgres@127.0.0.1:9/none' });
  expect(ended).toMatchObject({ code: 69, stdout: '' });
  expect(ended.stderr).toMatch(/^Postgres does not answer at [\d.:]+ \(ECONNREFUSED\)\. Check/);
});

it('ends with 78 where the settings are refused', async () => {
  const environment = { HASH_PASSES: 'many' };
  const ended = await performCommand(['user', 'list'], {
    url: 'postgres://postgres@127.0.0.1:9/none',
    environment,
  });
  expect(ended).toMatchObject({ code: 78, stdout: '' });
  expect(ended.stderr).toMatch(/^[^\n]*`hash\.passes` \(HASH_PASSES\) must be integer\.\n$/);
});

it('ends with 78 and names every setting that is refused', async () => {
  const environment = { HASH_PASSES: 'many', APPLICATION_PORT: 'none' };
  const ended = await performCommand(['user', 'list'], {
    url: 'postgres://postgres@127.0.0.1:9/none',
    environment,
  });
  expect(ended).toMatchObject({ code: 78, stdout: '' });
  expect(ended.stderr).toMatch(/^The settings are refused; .*\n( {2}- .*\n){2}$/);
});

it('ends with 64 where the command line is wrong', async () => {
  const url = 'postgres://postgres@127.0.0.1:9/none';
  for (const command of [['usr'], ['user'], ['user', 'list', '--nmae'], ['user', 'show']]) {
    const ended = await performCommand(command, { url });
    expect(ended).toMatchObject({ code: 64, stdout: '' });
    expect(ended.stderr).not.toBe('');
  }
});

it('ends with 0 where the reader of its output has seen enough', () => {
  const main = fileOf(commandLine);
  const script = `${process.execPath} ${main} config schema | true; echo \${PIPESTATUS[0]}`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  expect({ stdout, stderr }).toEqual({ stdout: '0\n', stderr: '' });
});

it('lists what `migrate` would apply without a lock, applies it once, and then the other commands work', async () => {
  const { url, store, drop } = await createFreshDatabase({ migrated: false });
  try {
    expect(await performCommand(['user', 'list'], { url })).toMatchObject({
      code: 1,
      stderr: 'The database lacks tables. Run `portcullis migrate` first.\n',
    });
    for (const command of [
      ['user', 'erase', '--id', '7', '--yes'],
      ['user', 'erased'],
      ['log', 'verify'],
      ['log', 'head'],
      ['log', 'maintain'],
      ['recover'],
    ])
      expect(await performCommand(command, { url }), command.join(' ')).toEqual({
        code: 1,
        stdout: '',
        stderr: 'The database lacks tables. Run `portcullis migrate` first.\n',
      });
    const dry = await performCommand(['migrate', '--dry-run', '--json'], { url });
    const { pending } = JSON.parse(dry.stdout);
    expect(dry.code).toBe(0);
    expect(pending[0]).toBe('0001-initial');
    expect(await store.introspection.getTables()).toEqual([]);
    const applied = await performCommand(['migrate'], { url });
    expect(applied).toMatchObject({
      code: 0,
      stdout: pending.map((name: string) => `Applied ${name}.\n`).join(''),
    });
    expect((await performCommand(['migrate'], { url })).stdout).toBe('Nothing to do.\n');
    expect((await performCommand(['migrate', '--dry-run', '--json'], { url })).stdout).toBe(
      '{"pending":[]}\n',
    );
    expect(await performCommand(['user', 'list'], { url })).toMatchObject({
      code: 0,
      stdout: 'There are no users.\n',
    });
  } finally {
    await drop();
  }
});
