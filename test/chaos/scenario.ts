// What every scenario is to the command line.

export interface ChaosRun {
  /** Trials, rounds, members or schedules: what the scenario counts. */
  readonly size: number;
  readonly instances: number;
  /** Business services with a guard, where the scenario has them. */
  readonly guards: number;
  readonly leaseSeconds: number;
  readonly seed: number;
  readonly progress: (done: number) => void;
}

export interface ChaosResult {
  readonly passed: number;
  readonly failures: readonly string[];
  /** Figures of the run. */
  readonly remarks: readonly string[];
}

export interface Scenario {
  readonly title: string;
  /** Small enough for every change; the large sizes are one flag away. */
  readonly size: number;
  readonly instances: number;
  readonly leaseSeconds: number;
  readonly run: (run: ChaosRun) => Promise<ChaosResult> | ChaosResult;
}

/** How far a figure may miss its bar: a run that is small enough for every change shares its machine with others. */
export function barFactor(isSmall: boolean): number {
  return isSmall ? 4 : 1;
}

/** No run goes on after this many failures: one is enough to look for the fault. */
export const mostFailures = 10;
