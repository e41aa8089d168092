// A git repository with the files of this checkout as they are now, committed or not: what a reader would clone.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repository } from '../rig/start-process.ts';
import { listFiles } from './check-links.ts';

export function createCloneSource(folder: string): void {
  for (const file of listFiles()) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(repository, file), join(folder, file), { verbatimSymlinks: true });
  }
  git(folder, 'init', '--quiet', '--initial-branch', 'main');
  git(folder, 'add', '--all');
  git(
    folder,
    '-c',
    'user.name=docs',
    '-c',
    'user.email=docs@localhost',
    'commit',
    '--quiet',
    '-m',
    'As it is',
  );
}

/** Lets the address that the pages clone from stand for the folder. */
export function cloneFrom(folder: string, address: string): Record<string, string> {
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `url.file://${folder}.insteadOf`,
    GIT_CONFIG_VALUE_0: address,
  };
}

function git(folder: string, ...words: string[]): void {
  const { status, stderr } = spawnSync('git', words, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${words[0]} failed: ${stderr}`);
}
