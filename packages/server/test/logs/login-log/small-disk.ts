// A disk that is really full, or really read-only: a file system in memory. Only root may mount one.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmdirSync } from 'node:fs';
import { afterEach, beforeEach } from 'vitest';

export const maySetUpDisks = isMountable();

export interface SmallDisk {
  readonly folder: string;
  remount(options: string): void;
}

/** One of so many megabytes for every test. */
export function useSmallDisk(parent: () => string, megabytes: number): () => SmallDisk {
  let folder = '';
  beforeEach(() => {
    folder = `${parent()}/disk`;
    mkdirSync(folder);
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'portcullis', folder]);
  });
  afterEach(() => {
    execFileSync('umount', ['--lazy', folder]);
    rmdirSync(folder);
  });
  return () => ({
    folder,
    remount: (options) => void execFileSync('mount', ['-o', `remount,${options}`, folder]),
  });
}

function isMountable(): boolean {
  try {
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'portcullis', '/mnt'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
