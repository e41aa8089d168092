// Benchmark of a change with more guards and instances than one machine can run: a simulation with the measured costs
// of two instances. It is compared with measurements at sizes that the machine can run, then extended.
import { createLatency } from '../test/chaos/latency.ts';
import { createChance } from '../test/chaos/simulation/chance.ts';
import { startCluster } from '../test/chaos/start-cluster.ts';
import { type Bench, type BenchResult, printLine } from './bench.ts';
import { measure, type Round } from './relays/measure.ts';
import { type Costs, type Place, simulateChanges } from './scale/simulate.ts';

const measuredChanges = 100;
const simulatedChanges = 10_000;
const seed = 1;

/** The setup of the measurement: all guards are in one process, and everything runs on two cores. */
const here = { relays: 2, guardProcesses: 1, cores: 2, roundTrip: 0.1 } as const;
/** The extrapolated setup: every process has a core, and a network connects them. */
const there = { guardProcesses: 'each', cores: 'each', roundTrip: 0.5 } as const;
const regions = { count: 3, roundTrip: 60 } as const;

const onPaper: readonly (readonly [what: string, place: Place])[] = [
  ['10 guards, 1 instance', { ...there, guards: 10, relays: 1 }],
  ['1,000 guards, 2 instances', { ...there, guards: 1000, relays: 2 }],
  ['10,000 guards, 2 instances', { ...there, guards: 10_000, relays: 2 }],
  ['10,000 guards, 20 instances', { ...there, guards: 10_000, relays: 20 }],
  ['100,000 guards, 20 instances', { ...there, guards: 100_000, relays: 20 }],
  ['100,000 guards, 100 instances', { ...there, guards: 100_000, relays: 100 }],
  ['100,000 guards, 1,000 instances', { ...there, guards: 100_000, relays: 1000 }],
  [
    'the same 20, two thirds of them in two other regions',
    { ...there, guards: 100_000, relays: 20, regions },
  ],
];

export const benchScale: Bench = {
  async run({ quick }) {
    const cluster = await startCluster({ instances: 2, leaseSeconds: 10, rules: 1000 });
    try {
      const [seconds, changes] = quick ? [2, 20] : [10, measuredChanges];
      // Warms the processes up: a cold process is slow, and the simulation uses the values that are measured first.
      await measure(cluster, { guards: 0, seconds: 1, changes });
      const without = await measure(cluster, { guards: 0, seconds, changes });
      const rounds: Round[] = [];
      for (const guards of [10, 100, 1000]) rounds.push(await measure(cluster, { guards, seconds, changes }));
      return report(without, rounds);
    } finally {
      await cluster.stop();
    }
  },
};

function report(without: Round, rounds: readonly Round[]): BenchResult {
  const largest = rounds.at(-1);
  if (largest === undefined) throw new Error('Nothing was measured.');
  const costs = readCosts(without, largest);
  printLine({ relay: costs.relay, guard: costs.guard, report: costs.report });
  const compared = rounds.map(({ guards, latency }) => {
    const simulated = simulate({ ...here, guards }, costs);
    return { guards, measured: latency, simulated, ratio: simulated.at(0.5) / latency.at(0.5) };
  });
  const milliseconds = (value: number) => `${value.toFixed(value < 100 ? 1 : 0)} ms`;
  const tables = [
    `Two instances, one Postgres and the guards of one process on two cores, measured (${largest.changes} logouts each) and simulated, at the median; then simulated alone, with a core for each process and ${there.roundTrip} ms there and back between instance and guard.`,
    '',
    `Fed with: ${costs.relay.toFixed(0)} us of an instance and ${costs.guard.toFixed(0)} us of a guard's process for each guard and change, ${costs.report.toFixed(0)} us of Postgres for each instance and change, and the times of calls without guards.`,
    '',
    '| Guards | Measured | Simulated |',
    '|--:|--:|--:|',
    ...compared.map(
      ({ guards, measured, simulated }) =>
        `| ${guards.toLocaleString('en')} | ${milliseconds(measured.at(0.5))} | ${milliseconds(simulated.at(0.5))} |`,
    ),
    '',
    '| Simulated | p50 | p99 |',
    '|---|--:|--:|',
    ...onPaper.map(([what, place]) => {
      const latency = simulate(place, costs);
      return `| ${what} | ${milliseconds(latency.at(0.5))} | ${milliseconds(latency.at(0.99))} |`;
    }),
  ].join('\n');
  return {
    tables,
    bars: compared.map(({ guards, ratio }) => ({
      what: `simulated against measured, ${guards.toLocaleString('en')} guards, off by`,
      value: Math.abs(ratio - 1) * 100,
      limit: 25,
      unit: '%',
      better: 'lower',
    })),
    charts: {},
  };
}

/** Includes the lease renewals of that period, because they delay a change too. */
function readCosts(without: Round, { guards, changes, changing }: Round): Costs {
  const microseconds = (of: 'cpu' | 'crowdCpu') =>
    ((changing[of] - without.changing[of]) / (guards * changes)) * 1000;
  const idle = without.quiet.postgresCpu / without.quiet.seconds;
  const postgres = Math.max(0, without.changing.postgresCpu - idle * without.changing.seconds);
  return {
    base: Array.from({ length: 100 }, (_, percent) => without.latency.at(percent / 100)),
    relay: microseconds('cpu'),
    guard: microseconds('crowdCpu'),
    report: (postgres / (without.changes * here.relays)) * 1000,
  };
}

function simulate(place: Place, costs: Costs) {
  const { fraction } = createChance(seed, 0);
  const latency = createLatency();
  for (const milliseconds of simulateChanges(place, costs, simulatedChanges, fraction))
    latency.add(milliseconds);
  return latency;
}
