// Locates PGlite, the Postgres of the demo: installed next to this package, or fetched once with npm into a cache
// folder of the user. It is 27 MB and only the demo needs it, so it is not a dependency.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { CommandFailure, exitCodes } from '../terminal/exit-codes.ts';

const name = '@electric-sql/pglite';
/** The fetched code is executed, so the lock file pins its content hash as well as its name. */
export const pglite = {
  version: '0.5.14',
  integrity:
    'sha512-aAQe7iArcFB2w1xtx91l3l9trxhMzD6aZf+WnosSHNhwgp70EJz80Igw/bHnW14fUEFYWPBoQ1sGom8Xc0Jttg==',
} as const;
const wanted = `${name}@${pglite.version}`;
const entry = join('node_modules', name, 'dist/index.js');

/** Returns the URL of the module. */
export async function findPglite(say: (line: string) => void, cache = defaultCache()): Promise<string> {
  return findInstalled() ?? (await fetchOnce(say, join(cache, `pglite-${pglite.version}`)));
}

const defaultCache = () => join(homedir(), '.cache', 'portcullis');

function findInstalled(): string | undefined {
  try {
    return import.meta.resolve('@electric-sql/pglite');
  } catch {
    return undefined;
  }
}

export async function fetchOnce(say: (line: string) => void, folder: string): Promise<string> {
  const file = join(folder, entry);
  if (existsSync(file)) return pathToFileURL(file).href;
  say(`Fetching PGlite ${pglite.version} into ${folder}, once: 27 MB ...`);
  try {
    await install(folder);
  } catch (error) {
    throw new CommandFailure(
      `The demo runs on PGlite, and npm could not fetch it: ${reasonOf(error)}
Try again when the registry can be reached, or install it beside Portcullis: npm install ${wanted}`,
      exitCodes.unavailable,
    );
  }
  return pathToFileURL(file).href;
}

/** Installs atomically (into a temporary folder, then a rename): a second demo can fetch it at the same time. */
async function install(folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const half = await mkdtemp(`${folder}-`);
  try {
    const dependencies = { [name]: pglite.version };
    const lock = { lockfileVersion: 3, packages: { '': { dependencies }, [`node_modules/${name}`]: pglite } };
    await writeFile(join(half, 'package.json'), JSON.stringify({ private: true, dependencies }));
    await writeFile(join(half, 'package-lock.json'), JSON.stringify(lock));
    const given = [
      'ci',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
      '--loglevel=error',
    ];
    // On Windows, npm is a shell script.
    await promisify(execFile)('npm', given, { cwd: half, shell: process.platform === 'win32' });
    await rename(half, folder).catch((error: unknown) => {
      if (!existsSync(join(folder, entry))) throw error;
    });
  } finally {
    await rm(half, { recursive: true, force: true });
  }
}

function reasonOf(error: unknown): string {
  const { stderr, message } = error as { readonly stderr?: string; readonly message: string };
  const lines = (stderr ?? '').split('\n').map((line) => line.replace(/^npm (error|ERR!)\s*/, '').trim());
  return lines.find((line) => line !== '' && !/^code /.test(line)) ?? message;
}
