// What fail2ban makes of a jail beside the shipped filter, as it would tell its server.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from '../rig/start-process.ts';

/** What its package brings, but for the jails and filters. */
const usual = ['fail2ban.conf', 'jail.conf', 'paths-common.conf', 'paths-debian.conf', 'action.d'];

/** A log that the jail names by `LOG` is there. */
export function commandsOfJail(jail: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-jail-'));
  try {
    for (const name of usual) cpSync(join('/etc/fail2ban', name), join(folder, name), { recursive: true });
    cpSync(join(repository, 'deploy/fail2ban/filter.d'), join(folder, 'filter.d'), { recursive: true });
    mkdirSync(join(folder, 'jail.d'));
    const log = join(folder, 'process.log');
    writeFileSync(log, '');
    writeFileSync(join(folder, 'jail.d/portcullis.conf'), jail.replace('LOG', log));
    const told = execFileSync('fail2ban-client', ['-c', folder, '-d'], { encoding: 'utf8', stdio: 'pipe' });
    return told
      .split('\n')
      .filter((line) => line.includes("'portcullis'"))
      .map((line) => line.replace(log, 'LOG'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
