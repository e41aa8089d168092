// A separate folder for every test of a file, in which no file is open at the end.
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';

/** Short, whatever the environment says: the path of a socket has little room. */
const base = '/tmp';

export function useTemporaryFolder(): () => string {
  let folder = '';
  beforeEach(async () => {
    folder = join(base, `portcullis-${randomBytes(6).toString('hex')}`);
    await mkdir(folder);
  });
  afterEach(async () => {
    const left = await listOpenFiles(folder);
    await rm(folder, { recursive: true, force: true });
    expect(left, 'files that were left open').toEqual([]);
  });
  return () => folder;
}

/** The files of the folder that this process has open. */
export async function listOpenFiles(folder: string): Promise<string[]> {
  const numbers = await readdir('/proc/self/fd');
  const paths = await Promise.all(
    numbers.map((number) => readlink(`/proc/self/fd/${number}`).catch(() => '')),
  );
  return paths.filter((path) => path.startsWith(`${folder}/`));
}
