// Runs scenarios one after the other and tells what became of each. One that throws has failed, and the others still
// run; what a failed one leaves of its cluster is not used again.
import { type ChaosResult, type Part, parts } from './scenario.ts';
import {
  createSharedCluster,
  type Entry,
  optionsOn,
  type SharedCluster,
  sharedOptionsOf,
} from './shared-cluster.ts';

export interface Totals {
  readonly passed: number;
  readonly failed: number;
}

export async function runInTurn(entries: readonly Entry[]): Promise<Totals> {
  using strays = collectStrays();
  const shared = createSharedCluster();
  let totals = { passed: 0, failed: 0 };
  for (const [index, entry] of entries.entries()) {
    console.log(titleOf(entry));
    const clock = createPartClock();
    const result = await runOne(entry, shared, clock.enter).catch(failureOf);
    clock.enter('end');
    const next = result.failures.length > 0 ? undefined : entries[index + 1];
    const ended = await shared.keep(next && sharedOptionsOf(next)).then(() => [], told);
    const failures = [...result.failures, ...ended, ...strays.take()];
    for (const remark of result.remarks) console.log(`  ${remark}`);
    for (const failure of failures) console.log(`  FAILED ${failure}`);
    console.log(`chaos ${entry.name}: ${result.passed} passed, ${failures.length} failed (${clock.text()})`);
    totals = { passed: totals.passed + result.passed, failed: totals.failed + failures.length };
  }
  return totals;
}

async function runOne(
  entry: Entry,
  shared: SharedCluster,
  enter: (part: Part) => void,
): Promise<ChaosResult> {
  const { scenario } = entry;
  const run = { ...entry.run, progress: progressOf(entry), enter };
  if ('run' in scenario) return await scenario.run(run);
  return await scenario.runOn(await shared.take(optionsOn(scenario, run)), run);
}

function titleOf({ name, scenario: { title }, run: { size, instances, guards, leaseSeconds } }: Entry) {
  const members = `${instances} instances${guards > 0 ? ` and ${guards} guards` : ''}`;
  return `chaos ${name}: ${title}; ${size.toLocaleString('en')} trials, ${members}, lease ${leaseSeconds} s`;
}

function progressOf({ name, run: { size } }: Entry): (done: number) => void {
  let shownAt = performance.now();
  return (done) => {
    if (performance.now() - shownAt < 10_000) return;
    shownAt = performance.now();
    console.log(`chaos ${name}: ${done.toLocaleString('en')} of ${size.toLocaleString('en')}`);
  };
}

const told = (error: unknown) => [error instanceof Error ? (error.stack ?? String(error)) : String(error)];

function failureOf(error: unknown): ChaosResult {
  return { passed: 0, failures: told(error), remarks: [] };
}

/** What a scenario left behind may throw when nothing waits for it: that is a failure, and not the end of the run. */
function collectStrays() {
  let strays: string[] = [];
  const collect = (error: unknown) => void strays.push(...told(error));
  process.on('uncaughtException', collect).on('unhandledRejection', collect);
  return {
    [Symbol.dispose]: () => void process.off('uncaughtException', collect).off('unhandledRejection', collect),
    take(): string[] {
      const taken = strays;
      strays = [];
      return taken;
    },
  };
}

/** `31 s: start 4.1, work 25.0, end 1.9`. */
function createPartClock() {
  const milliseconds = { start: 0, work: 0, end: 0 };
  let part: Part = 'start';
  let since = performance.now();
  function enter(next: Part): void {
    const now = performance.now();
    milliseconds[part] += now - since;
    [part, since] = [next, now];
  }
  return {
    enter,
    text(): string {
      enter(part);
      const all = parts.reduce((sum, one) => sum + milliseconds[one], 0);
      const each = parts.map((one) => `${one} ${(milliseconds[one] / 1000).toFixed(1)}`);
      return `${(all / 1000).toFixed(0)} s: ${each.join(', ')}`;
    },
  };
}
