// Benchmark of guards: their cost for the instances that grant them leases, and for Postgres. Two instances, and up to
// 10,000 guards in one process that renew leases and acknowledge changes like real guards.
import { fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, startCluster } from '../test/chaos/start-cluster.ts';
import type { Bench, BenchResult } from './bench.ts';
import {
  costsOf,
  endToken,
  measure,
  openCrowd,
  type Round,
  spend,
  transactionsOf,
} from './relays/measure.ts';

const busyChangesPerSecond = 20;

export const benchRelays: Bench = {
  async run({ quick }) {
    const cluster = await startCluster({ instances: 2, leaseSeconds: 10, rules: 1000 });
    try {
      const [seconds, changes] = quick ? [3, 20] : [20, 100];
      const without = await measure(cluster, { guards: 0, seconds, changes });
      const rounds: Round[] = [];
      for (const guards of quick ? [100, 500] : [100, 1000, 10_000])
        rounds.push(await measure(cluster, { guards, seconds, changes }));
      const busy = quick ? { guards: 200, seconds: 5 } : { guards: 1000, seconds: 60 };
      return report(without, rounds, { ...busy, losses: await countLosses(cluster, busy) });
    } finally {
      await cluster.stop();
    }
  },
};

/** Counts the guards that lose their lease while changes follow each other without a pause and both cores are busy. */
async function countLosses(cluster: Cluster, { guards, seconds }: { guards: number; seconds: number }) {
  await using crowd = await openCrowd(cluster, guards);
  const burners = Array.from({ length: 2 }, () => fork(new URL('relays/burn.ts', import.meta.url)));
  try {
    const { losses } = await spend(cluster, crowd, async () => {
      const pending: Promise<void>[] = [];
      for (let change = 0; change < seconds * busyChangesPerSecond; change += 1) {
        pending.push(endToken(cluster, change));
        await sleep(1000 / busyChangesPerSecond);
      }
      await Promise.all(pending);
    });
    return losses;
  } finally {
    for (const burner of burners) burner.kill();
  }
}

function report(
  without: Round,
  rounds: readonly Round[],
  busy: { guards: number; seconds: number; losses: number },
): BenchResult {
  const lines = rounds.map((round) => {
    const { renewal, change } = costsOf(round, without);
    const { guards, latency } = round;
    const times = `${latency.at(0.5).toFixed(0)} / ${latency.at(0.99).toFixed(0)} ms`;
    return `| ${guards.toLocaleString('en')} | ${renewal.toFixed(1)} us | ${change.toFixed(1)} us | ${times} | ${transactionsOf(round).toFixed(1)} |`;
  });
  const largest = rounds.at(-1);
  const [smallest] = rounds;
  if (largest === undefined || smallest === undefined) throw new Error('Nothing was measured.');
  const costs = costsOf(largest, without);
  const guards = largest.guards.toLocaleString('en');
  return {
    tables: [
      'Two instances, one Postgres, guards of one process. Processor time is of the instances; a change is a logout.',
      '',
      '| Guards | Renewal | Guard and change | Change, p50 / p99 | Transactions of a change |',
      '|--:|--:|--:|--:|--:|',
      `| 0 | | | ${without.latency.at(0.5).toFixed(0)} / ${without.latency.at(0.99).toFixed(0)} ms | ${transactionsOf(without).toFixed(1)} |`,
      ...lines,
      '',
      `${busy.guards.toLocaleString('en')} guards, ${busyChangesPerSecond} changes a second for ${busy.seconds} s, both processors busy: ${busy.losses} leases lost.`,
    ].join('\n'),
    bars: [
      { what: `a renewal, ${guards} guards`, value: costs.renewal, limit: 30, unit: 'us', better: 'lower' },
      {
        what: `a guard and change, ${guards} guards`,
        value: costs.change,
        limit: 60,
        unit: 'us',
        better: 'lower',
      },
      {
        what: 'transactions of a change, most guards against fewest',
        value: transactionsOf(largest) / transactionsOf(smallest),
        limit: 1.25,
        unit: 'times',
        better: 'lower',
      },
      {
        what: 'leases lost with both processors busy',
        value: busy.losses,
        limit: 0,
        unit: 'leases',
        better: 'lower',
      },
    ],
    charts: {},
  };
}
