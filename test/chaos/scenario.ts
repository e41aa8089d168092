// What every scenario is to the command line.
import type { Cluster } from './start-cluster.ts';

/** The parts that the time of a scenario goes to. */
export const parts = ['start', 'work', 'end'] as const;
export type Part = (typeof parts)[number];

export interface ChaosRun {
  /** Trials, rounds, members or schedules: what the scenario counts. */
  readonly size: number;
  /** How much happens meanwhile, where that is given. */
  readonly events?: number;
  readonly instances: number;
  /** Where the scenario sends mail. */
  readonly mails?: number;
  /** Business services with a guard, where the scenario has them. */
  readonly guards: number;
  readonly leaseSeconds: number;
  readonly seed: number;
  readonly progress: (done: number) => void;
  /** From now on the time counts as this part. It begins with the start. */
  readonly enter: (part: Part) => void;
}

export interface ChaosResult {
  readonly passed: number;
  readonly failures: readonly string[];
  /** Figures of the run. */
  readonly remarks: readonly string[];
}

interface Facts {
  readonly title: string;
  /** Small enough for every change; the large sizes are one flag away. */
  readonly size: number;
  readonly instances: number;
  /** Where no size is given. A size alone is of instances alone. */
  readonly guards?: number;
  readonly leaseSeconds: number;
  /** Takes too long for every change: it is left out where no name is given. */
  readonly onlyByName?: true;
}

/** Starts and ends itself what it needs. */
export interface OwnScenario extends Facts {
  readonly run: (run: ChaosRun) => Promise<ChaosResult> | ChaosResult;
}

/**
 * Uses a cluster that others used before and will use afterwards: its first users keep their epoch, the roles have their
 * first rules again, and what it started beside the cluster is stopped.
 */
export interface ClusterScenario extends Facts {
  readonly rules: number;
  readonly runOn: (cluster: Cluster, run: ChaosRun) => Promise<ChaosResult>;
}

export type Scenario = OwnScenario | ClusterScenario;

/** No run goes on after this many failures: one is enough to look for the fault. */
export const mostFailures = 10;
