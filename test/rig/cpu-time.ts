// The processor time that a process has used so far, all threads together: it shows work that the clock on a busy
// machine would not. Linux only.
import { readdirSync, readFileSync } from 'node:fs';

/** What `getconf CLK_TCK` says on every Linux that Node runs on. */
const ticksPerSecond = 100;

export function readCpuMilliseconds(pid: number): number {
  const { user, system } = readStat(pid);
  return toMilliseconds(user + system);
}

/** With its children, those that have ended too. */
export function readFamilyCpuMilliseconds(pid: number): number {
  const { user, system, ofEnded } = readStat(pid);
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        return [readStat(Number(name))];
      } catch {
        // It has ended meanwhile.
        return [];
      }
    })
    .filter(({ parent }) => parent === pid);
  const ticks = children.reduce((sum, child) => sum + child.user + child.system, user + system + ofEnded);
  return toMilliseconds(ticks);
}

export function parentOf(pid: number): number {
  return readStat(pid).parent;
}

function toMilliseconds(ticks: number): number {
  return (ticks * 1000) / ticksPerSecond;
}

function readStat(pid: number) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field, the command in parentheses, may hold spaces: the others are counted from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (place: number) => Number(fields[place]);
  return { parent: field(1), user: field(11), system: field(12), ofEnded: field(13) + field(14) };
}
