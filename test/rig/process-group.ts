// Whether processes of a group still run. Linux only.
import { readdirSync, readFileSync } from 'node:fs';

/** Not where all have ended, even if their parent has not waited for them yet. */
export function isGroupRunning(group: number): boolean {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((process) => isRunningIn(group, process));
}

function isRunningIn(group: number, process: string): boolean {
  try {
    const stat = readFileSync(`/proc/${process}/stat`, 'utf8');
    // The second field, the command in parentheses, may hold spaces.
    const [state, , itsGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(itsGroup) === group && state !== 'Z';
  } catch {
    // It is gone meanwhile.
    return false;
  }
}
