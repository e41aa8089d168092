// Debian's buildah with a separate store, without a daemon and without a runtime for containers: a process in it has a root
// and a separate user, and the network of this machine.
import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Runs a program to its end; what it wrote to stdout. What it wrote to both is in the error where it fails. */
export async function run(program: string, words: readonly string[]): Promise<string> {
  try {
    return (await execute(program, [...words], { maxBuffer: 64 * 1024 * 1024 })).stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    const told = `${stdout}\n${stderr}`.trim().slice(-4000);
    throw new Error(`${program} ${words.join(' ')} failed:\n${told || String(error)}`);
  }
}

export interface Buildah {
  /** For whatever is made on the way; it goes with the store. */
  readonly folder: string;
  /** The words of a command that uses this store. */
  words(...words: string[]): string[];
  run(...words: string[]): Promise<string>;
  remove(): Promise<void>;
}

export async function openBuildah(): Promise<Buildah> {
  await installTools();
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-image-'));
  const store = ['--root', join(folder, 'store'), '--runroot', join(folder, 'state')];
  const words = (...given: string[]) => ['--storage-driver', 'vfs', ...store, ...given];
  return {
    folder,
    words,
    run: (...given) => run('buildah', words(...given)),
    async remove() {
      // Whatever is still mounted below is not ours to empty.
      await run('rm', ['-rf', '--one-file-system', folder]);
    },
  };
}

/** No other suite needs them. */
async function installTools(): Promise<void> {
  const isThere = (tool: string) => run('sh', ['-c', `PATH=$PATH:/usr/sbin command -v ${tool}`]);
  try {
    await Promise.all(['buildah', 'debootstrap'].map(isThere));
  } catch {
    await run('apt-get', ['update', '-qq']);
    await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'buildah', 'debootstrap']);
  }
}
