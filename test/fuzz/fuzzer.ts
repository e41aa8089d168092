// What every fuzzer is to the command line.
import { judgesTimes } from '../rig/judges-times.ts';

export interface FuzzRun {
  readonly cases: number;
  /** The first of the seeds. A failure names the seed that makes it the first case of a run. */
  readonly seed: number;
  readonly progress: (done: number) => void;
}

export interface FuzzResult {
  readonly passed: number;
  readonly failures: readonly string[];
  readonly remarks: readonly string[];
}

export interface Fuzzer {
  readonly title: string;
  readonly defaultCases: number;
  /** Where every change is run; the night has the others. */
  readonly smallCases: number;
  readonly run: (run: FuzzRun) => Promise<FuzzResult> | FuzzResult;
}

/** For a service under test: a machine that may stand still is waited for, see test/rig/patient-pool.ts. */
export const patience = { RIG_PATIENCE: String(!judgesTimes) };

/** No run goes on after this many failures: one is enough to look for the fault. */
export const mostFailures = 10;
