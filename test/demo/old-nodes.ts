// Node in other versions than the one that runs this, from npm, kept for the next time as scripts/use-node does.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export function findNode(major: number): string {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), `portcullis-node${major}`);
  const file = join(cache, 'node_modules/node/bin/node');
  if (!existsSync(file))
    execFileSync('npm', [
      'install',
      ...['--prefix', cache, '--no-save', '--silent', '--fetch-retries=6', `node@${major}`],
    ]);
  return file;
}
