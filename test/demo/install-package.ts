// Packs what is published and installs it into empty folders elsewhere, from npm's cache.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export type PackageName = 'portcullis' | 'create-portcullis' | '@portcullis/client' | '@portcullis/guard';

export interface Installed {
  readonly folder: string;
  readonly milliseconds: number;
}

export interface PackedPackages {
  /** The folder with the tarballs. */
  readonly packs: string;
  fileOf(name: PackageName): string;
  /** A new folder with nothing but the package in it, from npm's cache alone, and how long that took. */
  install(name: PackageName): Promise<Installed>;
  remove(): Promise<void>;
}

export async function packPackages(): Promise<PackedPackages> {
  const folders: string[] = [];
  const create = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portcullis-package-'));
    folders.push(folder);
    return folder;
  };
  const packs = await create();
  await run('npm', ['run', 'package', '--', '--pack-destination', packs], { maxBuffer: 16 * 1024 * 1024 });
  const files = await readdir(packs);
  const fileOf = (name: PackageName) => {
    const start = `${name.replace('@', '').replace('/', '-')}-`;
    const file = files.find((one) => one.startsWith(start) && /^\d/.test(one.slice(start.length)));
    if (file === undefined) throw new Error(`${name} was not packed.`);
    return join(packs, file);
  };
  const installWith = async (name: PackageName, ...options: string[]) => {
    const folder = await create();
    await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
    const quiet = ['--no-audit', '--no-fund', '--no-update-notifier'];
    await run('npm', ['install', ...quiet, ...options, fileOf(name)], { cwd: folder });
    return folder;
  };
  const installOffline = async (name: PackageName) => {
    const startedAt = performance.now();
    const folder = await installWith(name, '--offline');
    return { folder, milliseconds: performance.now() - startedAt };
  };
  return {
    packs,
    fileOf,
    async install(name) {
      // What npm's cache lacks is fetched, and that takes no part in the time.
      return await installOffline(name).catch(async () => {
        await installWith(name, '--prefer-offline', '--fetch-retries=6');
        return await installOffline(name);
      });
    },
    async remove() {
      for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The packages of a folder, and their size on the disk. */
export async function weigh(folder: string): Promise<{ readonly packages: number; readonly bytes: number }> {
  const { stdout: listed } = await run('npm', ['ls', '--all', '--parseable'], { cwd: folder });
  const { stdout: size } = await run('du', ['-s', '--block-size=1', 'node_modules'], { cwd: folder });
  // The first line is the folder itself.
  return { packages: new Set(listed.trim().split('\n')).size - 1, bytes: Number.parseInt(size, 10) };
}
