// One cluster for neighbours that want the same: starting one costs more than most of them do on it.
import { isDeepStrictEqual } from 'node:util';
import type { ChaosRun, Scenario } from './scenario.ts';
import { type Cluster, startCluster } from './start-cluster.ts';

export interface Entry {
  readonly name: string;
  readonly scenario: Scenario;
  readonly run: Omit<ChaosRun, 'progress' | 'enter'>;
}

interface SharedOptions {
  readonly instances: number;
  readonly leaseSeconds: number;
  readonly rules: number;
}

export interface SharedCluster {
  take(options: SharedOptions): Promise<Cluster>;
  /** Stops it unless the next one wants just that. */
  keep(options: SharedOptions | undefined): Promise<void>;
}

/** Undefined where the scenario has a separate cluster, or none. */
export function sharedOptionsOf({ scenario, run }: Entry): SharedOptions | undefined {
  return 'run' in scenario ? undefined : optionsOn(scenario, run);
}

export function optionsOn(
  scenario: { readonly rules: number },
  { instances, leaseSeconds, guards }: Entry['run'],
): SharedOptions {
  // Every guard has a separate memory.
  return { instances, leaseSeconds, rules: guards > fewGuards ? rulesOfMany : scenario.rules };
}

const fewGuards = 100;
const rulesOfMany = 1000;

export function createSharedCluster(): SharedCluster {
  let current: { readonly cluster: Cluster; readonly options: SharedOptions } | undefined;
  return {
    async take(options) {
      current ??= { cluster: await startCluster(options), options };
      return current.cluster;
    },
    async keep(options) {
      if (isDeepStrictEqual(options, current?.options)) return;
      const ended = current;
      current = undefined;
      await ended?.cluster.stop();
    },
  };
}

/** Neighbours that share a cluster stay together; everybody else is alone. */
export function groupNeighbours(entries: readonly Entry[]): Entry[][] {
  const groups: Entry[][] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    const options = sharedOptionsOf(entry);
    const isSame = last?.[0] !== undefined && isDeepStrictEqual(options, sharedOptionsOf(last[0]));
    if (options !== undefined && isSame) last?.push(entry);
    else groups.push([entry]);
  }
  return groups;
}
