// The processor time that a process has used so far, all threads together: it shows work that the clock on a busy
// machine would not. Linux only.
import { readFileSync } from 'node:fs';

/** What `getconf CLK_TCK` says on every Linux that Node runs on. */
const ticksPerSecond = 100;

export function readCpuMilliseconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field, the command in parentheses, may hold spaces: user and system time are counted from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond;
}
