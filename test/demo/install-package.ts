// Packs the published package and installs it into empty folders elsewhere, from npm's cache.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface PackedPackage {
  /** A new folder with nothing but the package in it, from npm's cache alone, and how long that took. */
  install(): Promise<{ readonly folder: string; readonly milliseconds: number }>;
  remove(): Promise<void>;
}

export async function packPackage(): Promise<PackedPackage> {
  const folders: string[] = [];
  const create = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portcullis-package-'));
    folders.push(folder);
    return folder;
  };
  const packs = await create();
  const given = ['pack', '-w', 'packages/portcullis', '--json', '--pack-destination', packs];
  const { stdout } = await run('npm', given, { maxBuffer: 16 * 1024 * 1024 });
  const [, filename] = /"filename": "([^"]+)"/.exec(stdout) ?? [];
  const installWith = async (...options: string[]) => {
    const folder = await create();
    await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
    const quiet = ['--no-audit', '--no-fund', '--no-update-notifier'];
    await run('npm', ['install', ...quiet, ...options, join(packs, String(filename))], { cwd: folder });
    return folder;
  };
  const installOffline = async () => {
    const startedAt = performance.now();
    const folder = await installWith('--offline');
    return { folder, milliseconds: performance.now() - startedAt };
  };
  return {
    async install() {
      // What npm's cache lacks is fetched, and that takes no part in the time.
      return await installOffline().catch(async () => {
        await installWith('--prefer-offline', '--fetch-retries=6');
        return await installOffline();
      });
    },
    async remove() {
      for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
