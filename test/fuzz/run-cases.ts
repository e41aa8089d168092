// Runs the cases of a fuzzer that talks to a server: many at once, each with a separate random source, so that a
// failure is repeated by its seed alone.
import type { Server } from '../rig/start-server.ts';
import { type FuzzRun, mostFailures } from './fuzzer.ts';
import { Random } from './random.ts';

interface CaseOptions {
  readonly name: string;
  readonly server: Server;
  readonly atOnce: number;
  /** What is wrong, or undefined. */
  readonly runCase: (random: Random, index: number) => Promise<string | undefined>;
}

export interface CasesResult {
  readonly done: number;
  readonly passed: number;
  readonly failures: string[];
  readonly casesPerSecond: number;
}

export async function runCases(run: FuzzRun, options: CaseOptions): Promise<CasesResult> {
  const { name, server, atOnce, runCase } = options;
  const { cases, seed, progress } = run;
  const failures: string[] = [];
  const startedAt = performance.now();
  let next = 0;
  let done = 0;
  let failed = 0;
  let hasEnded = false;
  void server.process.exited.then((code) => {
    hasEnded = true;
    failures.push(`The server ended with ${code}. It wrote last:\n${server.process.output.slice(-2000)}`);
  });

  async function work(): Promise<void> {
    while (next < cases && failures.length < mostFailures && !hasEnded) {
      const index = next;
      next += 1;
      const failure = await runCase(new Random(seed + index), seed + index);
      if (failure !== undefined) {
        failed += 1;
        // What was on its way with it may fail for the same reason.
        if (failures.length < mostFailures)
          failures.push(`${failure}\n  again: npm run fuzz -- ${name} --seed ${seed + index} --cases 1`);
      }
      done += 1;
      progress(done);
    }
  }

  await Promise.all(Array.from({ length: atOnce }, work));
  const casesPerSecond = Math.round(done / ((performance.now() - startedAt) / 1000));
  return { done, passed: done - failed, failures: [...failures], casesPerSecond };
}
