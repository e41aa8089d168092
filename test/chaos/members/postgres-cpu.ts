// The processor time that a Postgres server has used so far: the postmaster, its children, and those that have ended,
// which the kernel adds to the postmaster's account. Linux only.
import { readFileSync } from 'node:fs';

const ticksPerSecond = 100;

export function readPostgresCpuMilliseconds(postmaster: number): number {
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ');
  const own = readTicks(postmaster, { withEndedChildren: true });
  const live = children
    .filter((pid) => pid !== '')
    .map((pid) => readTicks(Number(pid), { withEndedChildren: false }));
  return ([own, ...live].reduce((sum, ticks) => sum + ticks, 0) * 1000) / ticksPerSecond;
}

/** 0 for a process that has just ended: its time is in its parent's account. */
function readTicks(pid: number, { withEndedChildren }: { withEndedChildren: boolean }): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Counted from the end of the second field, the command in parentheses, which may hold spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [user, system, endedUser, endedSystem] = fields.slice(11, 15).map(Number);
    const own = (user ?? 0) + (system ?? 0);
    return withEndedChildren ? own + (endedUser ?? 0) + (endedSystem ?? 0) : own;
  } catch {
    return 0;
  }
}
