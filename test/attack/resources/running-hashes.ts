// How many hashes a server computes at the same time, seen from outside: each runs on one of libuv's threads, which are
// otherwise asleep, or at work for a moment. A thread that waits for a processor counts too, so a busy machine changes
// nothing. Linux only.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

interface Worker {
  readonly id: string;
  readonly isRunning: boolean;
  /** Processor time so far, in hundredths of a second. */
  readonly ticks: number;
}

function readWorkers(pid: number): Worker[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((id) => {
    try {
      const stat = readFileSync(`/proc/${pid}/task/${id}/stat`, 'latin1');
      const [, state, rest = ''] = /\(libuv-worker\) (\w) (.*)/.exec(stat) ?? [];
      const [user = 0, system = 0] = rest.split(' ').slice(10, 12).map(Number);
      return state === undefined ? [] : [{ id, isRunning: state === 'R', ticks: user + system }];
    } catch {
      return [];
    }
  });
}

/** What no write to the spool takes, and a hash many times over. */
const hashTicks = 3;

/**
 * How many ran at once while this was done, in a tenth of all looks or more: a single look may meet one thread before it
 * ends a hash and another after it began the next.
 */
export async function runningDuring(pid: number, work: () => Promise<unknown>): Promise<number> {
  const looks: number[] = [];
  /** The processor time that each thread had when it was last asleep. */
  const asleep = new Map<string, number>();
  let isDone = false;
  const done = work().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    let hashing = 0;
    for (const { id, isRunning, ticks } of readWorkers(pid)) {
      const before = asleep.get(id);
      if (!isRunning || before === undefined) asleep.set(id, ticks);
      else if (ticks - before >= hashTicks) hashing += 1;
    }
    looks.push(hashing);
    await sleep(5);
  }
  await done;
  return looks.sort((a, b) => b - a)[Math.floor(looks.length / 10)] ?? 0;
}

export function readResidentBytes(pid: number): number {
  return 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);
}
