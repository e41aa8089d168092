// Benchmark of one decision with 100 to a million rules, beside other policy engines.
import { type Bar, type Bench, type BenchResult, median, printLine } from './bench.ts';
import { decisionChart } from './policy/chart.ts';
import { type Costs, measureCosts } from './policy/costs.ts';
import {
  casbinAsync,
  casbinSync,
  cedar,
  findMyWayIndex,
  portcullis,
  portcullisMatched,
} from './policy/engines.ts';
import { type Measured, measureDecisions } from './policy/measure.ts';

export const benchPolicy: Bench = { run };

async function run({ quick }: { readonly quick: boolean }): Promise<BenchResult> {
  const costs = measureCosts(quick ? 5 : 15);
  const measured = await measureDecisions(
    quick
      ? { sizes: [100, 10_000, 100_000], rounds: 11, slowRounds: 3, mostSlowRules: 10_000 }
      : { sizes: [100, 10_000, 100_000, 1_000_000], rounds: 41, slowRounds: 6, mostSlowRules: 100_000 },
  );
  printLine({ bench: 'policy', ...costs });
  return {
    tables: tables(measured, costs),
    bars: bars(measured, costs),
    charts: { 'policy.svg': decisionChart(measured) },
  };
}

function bars(measured: readonly Measured[], costs: Costs): Bar[] {
  const ours = (rules: number) => nanoseconds(measured, portcullis.name, rules);
  const casbin = Math.min(
    nanoseconds(measured, casbinSync.name, 10_000),
    nanoseconds(measured, casbinAsync.name, 10_000),
  );
  const lower = (what: string, value: number, limit: number, unit: string): Bar => {
    return { what, value, limit, unit, better: 'lower' };
  };
  const slowest = Math.max(ours(100), ours(10_000), ours(100_000));
  const added = [100, 10_000, 100_000].map((rules) =>
    difference(measured, [portcullisMatched.name, rules], [portcullis.name, rules]),
  );
  const growth = ratio(measured, [portcullis.name, 100_000], [portcullis.name, 100]);
  return [
    lower('Median decision, up to 100,000 rules', slowest, 1000, 'ns'),
    // A third of the requests is refused and has no rule, so an allowed one costs half as much again.
    lower('The matched rule of an allowed request, up to 100,000 rules', Math.max(...added) * 1.5, 500, 'ns'),
    lower('Growth of the median from 100 to 100,000 rules', growth, 1.5, 'x'),
    {
      what: 'Faster than casbin at 10,000 rules',
      value: casbin / ours(10_000),
      limit: 20_000,
      unit: 'x',
      better: 'higher',
    },
    lower(
      'Time against the find-my-way index at 10,000 rules',
      ratio(measured, [portcullis.name, 10_000], [findMyWayIndex.name, 10_000]),
      1.1,
      'x',
    ),
    lower('Compile 100,000 rules', costs.compileMilliseconds, 500, 'ms'),
    lower("Apply one role's change among 100,000 rules", costs.applyMilliseconds, 5, 'ms'),
    lower('Memory of 100,000 rules', costs.megabytes, 60, 'MB'),
    lower('The costliest decision that the grammar admits', costs.worstMicroseconds, 2000, 'us'),
  ];
}

function tables(measured: readonly Measured[], costs: Costs): string {
  const engines = [portcullis, portcullisMatched, findMyWayIndex, cedar, casbinSync, casbinAsync].map(
    ({ name }) => name,
  );
  const sizes = [...new Set(measured.map(({ rules }) => rules))];
  const rows = sizes.map((rules) => {
    const cells = engines.map((engine) =>
      cell(measured.find((m) => m.engine === engine && m.rules === rules)),
    );
    return `| ${rules.toLocaleString('en')} | ${cells.join(' | ')} |`;
  });
  const changes = costs.applyByRoleSize.map(({ rules, milliseconds }) => {
    return `| ${rules.toLocaleString('en')} | ${milliseconds.toFixed(2)} ms |`;
  });
  return [
    '## One decision',
    '',
    '![Time of one decision by number of rules](benchmarks/policy.svg)',
    '',
    'Median time of one decision. An administration API of 2,500 endpoints; a role has 100 rules (at a million rules',
    '1,000), so that 100,000 rules are 1,000 roles; 8,192 different requests of 1,024 tokens, about two thirds of them',
    'allowed. All engines take turns in one process, in many rounds; shown is the lower quartile of the rounds, and a ratio',
    'is the median of the ratios within the rounds, because the machine is shared. A dash is an engine that would take',
    'minutes to load.',
    '',
    `| Rules | ${engines.join(' | ')} |`,
    `|--:|${engines.map(() => '--:').join('|')}|`,
    ...rows,
    '',
    'What one changed rule costs, by the number of rules that its role has:',
    '',
    '| Rules of the role | Time |',
    '|--:|--:|',
    ...changes,
    '',
  ].join('\n');
}

function cell(measured: Measured | undefined): string {
  if (measured === undefined) return '-';
  const { nanoseconds: value } = measured;
  if (value < 10_000) return `${Math.round(value)} ns`;
  if (value < 10_000_000) return `${Math.round(value / 1000).toLocaleString('en')} us`;
  return `${Math.round(value / 1_000_000)} ms`;
}

function find(measured: readonly Measured[], engine: string, rules: number): Measured {
  const found = measured.find((m) => m.engine === engine && m.rules === rules);
  if (found === undefined) throw new Error(`${engine} was not measured at ${rules} rules.`);
  return found;
}

function nanoseconds(measured: readonly Measured[], engine: string, rules: number): number {
  return find(measured, engine, rules).nanoseconds;
}

type Place = readonly [engine: string, rules: number];

// The median of the ratios per round: a disturbance of a round slows both sides of its ratio.
function ratio(measured: readonly Measured[], above: Place, below: Place): number {
  const divisors = find(measured, ...below).byRound;
  return median(find(measured, ...above).byRound.map((time, round) => time / (divisors[round] ?? time)));
}

function difference(measured: readonly Measured[], whole: Place, part: Place): number {
  const parts = find(measured, ...part).byRound;
  return median(find(measured, ...whole).byRound.map((time, round) => time - (parts[round] ?? 0)));
}
