// When the host of this virtual machine gave its processors to another machine: a time that was measured then says nothing
// about the service.
import { readFileSync } from 'node:fs';

const windowMilliseconds = 250;
/** Of all processors' time. */
const disturbingShare = 0.02;
/** What piled up meanwhile is worked off for a while. */
const recoveryMilliseconds = 1000;

export interface StealWatch {
  stop(): void;
  /** Whether anything disturbed what went on in these moments, by `Date.now()`, or just before them. */
  wasDisturbed(from: number, to: number): boolean;
  readonly share: number;
}

export function watchSteal(): StealWatch {
  const startedAt = Date.now();
  const disturbed = new Set<number>();
  let before = readTimes();
  let windows = 0;
  const windowOf = (at: number) => Math.floor((at - startedAt) / windowMilliseconds);
  const timer = setInterval(() => {
    const times = readTimes();
    windows += 1;
    if ((times.steal - before.steal) / (times.all - before.all) > disturbingShare)
      disturbed.add(windowOf(Date.now()) - 1);
    before = times;
  }, windowMilliseconds);
  return {
    stop: () => clearInterval(timer),
    wasDisturbed: (from, to) =>
      [...disturbed].some(
        (window) => window >= windowOf(from - recoveryMilliseconds) && window <= windowOf(to) + 1,
      ),
    get share() {
      return disturbed.size / Math.max(1, windows);
    },
  };
}

function readTimes(): { all: number; steal: number } {
  const [, ...times] = readFileSync('/proc/stat', 'utf8').split('\n', 1).join('').trim().split(/\s+/);
  const numbers = times.slice(0, 8).map(Number);
  return { all: numbers.reduce((sum, value) => sum + value, 0), steal: numbers[7] ?? 0 };
}
