// How many hashes a server computes at the same time, seen from outside: each runs on one of libuv's threads, which are
// otherwise asleep. A thread that waits for a processor counts too, so a busy machine changes nothing. Linux only.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

function countRunning(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).filter((id) => {
    try {
      return /\(libuv-worker\) R /.test(readFileSync(`/proc/${pid}/task/${id}/stat`, 'latin1'));
    } catch {
      return false;
    }
  }).length;
}

/**
 * How many ran at once while this was done, in a tenth of all looks or more: a single look may meet one thread before it
 * ends a hash and another after it began the next.
 */
export async function runningDuring(pid: number, work: () => Promise<unknown>): Promise<number> {
  const looks: number[] = [];
  let isDone = false;
  const done = work().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    looks.push(countRunning(pid));
    await sleep(5);
  }
  await done;
  return looks.sort((a, b) => b - a)[Math.floor(looks.length / 10)] ?? 0;
}

export function readResidentBytes(pid: number): number {
  return 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);
}
