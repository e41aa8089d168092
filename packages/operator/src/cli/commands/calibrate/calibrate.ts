// `portcullis calibrate`: measures password hashing (Argon2id) on this machine and recommends its cost.
import { availableParallelism, totalmem } from 'node:os';
import {
  examineProcessConfig,
  isHashCostAccepted,
  makeThreadsFor,
} from '@portcullis/server/base/settings/config.ts';
import type { HashCost } from '@portcullis/server/sign-in/login/credentials/password-hashes.ts';
import type { Command } from 'commander';
import { addExamples } from '../../../terminal/help.ts';
import { outputOf, paint, table } from '../../../terminal/output.ts';
import { wholeNumber } from '../../../terminal/parse-argument.ts';
import { showWait } from '../../../terminal/progress.ts';
import { settingsFileOf } from '../config.ts';
import { type HashMeasure, measureHash } from './measure-hash.ts';

/** The Argon2id parameters that OWASP recommends and that use enough memory, and stronger ones. */
const candidates: readonly HashCost[] = [
  [19, 2],
  [32, 2],
  [46, 1],
  [46, 2],
  [64, 2],
  [64, 3],
].map(([mebibytes = 0, passes = 0]) => ({ memoryKibibytes: mebibytes * 1024, passes }));

/**
 * A login waits at most one second for a hash slot and is then refused. At a quarter of a second per hash, one slot
 * serves four logins in that time.
 */
const defaultTargetMilliseconds = 250;
/**
 * The largest share of the memory (of the machine, or of the container's limit) that all
 * concurrent hashes together can use.
 */
const mostOfMemory = 0.25;

interface CalibrateOptions {
  readonly target: number;
  readonly seconds: number;
}

export function addCalibrate(program: Command): void {
  const calibrate = program
    .command('calibrate')
    .description('Measure password hashing on this machine, and recommend its cost.')
    .option(
      '--target <milliseconds>',
      'what a hash may take while all slots are busy; a login waits at most 1000 for one',
      wholeNumber(10_000),
      defaultTargetMilliseconds,
    )
    .option('--seconds <seconds>', 'how long each setting is measured', wholeNumber(60), 1)
    .action(async (options: CalibrateOptions) => {
      const { config } = examineProcessConfig(settingsFileOf(calibrate));
      makeThreadsFor(config);
      const { concurrency } = config.hash;
      const measures = await measureAll(config.hash, options.seconds * 1000);
      const recommended = recommend(measures, { ...options, concurrency });
      outputOf(calibrate).show(
        {
          concurrency,
          cores: availableParallelism(),
          targetMilliseconds: options.target,
          measures: measures.map((measure) => ({ ...measure, isCurrent: isSame(measure, config.hash) })),
          recommended,
        },
        () =>
          [
            `${concurrency} at a time on ${availableParallelism()} cores (\`hash.concurrency\`).`,
            '',
            tableOf(measures, config.hash, recommended),
            '',
            ...adviceOf(recommended, config.hash, options.target),
          ].join('\n'),
      );
    });
  addExamples(calibrate, 'portcullis calibrate', 'portcullis calibrate --target 500 --json');
}

const isSame = (a: HashCost, b: HashCost) => a.memoryKibibytes === b.memoryKibibytes && a.passes === b.passes;
const strengthOf = ({ memoryKibibytes, passes }: HashCost) => memoryKibibytes * passes;

async function measureAll(
  current: HashCost & { readonly concurrency: number },
  durationMilliseconds: number,
): Promise<HashMeasure[]> {
  const isKnown = candidates.some((candidate) => isSame(candidate, current));
  const costs = [...candidates, ...(isKnown ? [] : [current])].sort((a, b) => strengthOf(a) - strengthOf(b));
  const measures: HashMeasure[] = [];
  const measureEach = async () => {
    for (const cost of costs)
      measures.push(await measureHash(cost, { concurrency: current.concurrency, durationMilliseconds }));
  };
  await showWait(() => `Measuring ${measures.length + 1} of ${costs.length} settings`, measureEach());
  return measures;
}

interface Limits {
  readonly target: number;
  readonly concurrency: number;
}

interface Recommendation extends HashCost {
  readonly isWithinTarget: boolean;
}

/** The strongest cost within the target time. If none is, the fastest cost that production accepts. */
export function recommend(measures: readonly HashMeasure[], { target, concurrency }: Limits): Recommendation {
  const memoryKibibytes =
    Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY) / 1024;
  const accepted = measures.filter(isHashCostAccepted);
  const [strongest] = accepted
    .filter(
      (measure) =>
        measure.busyMilliseconds <= target &&
        measure.memoryKibibytes * concurrency <= memoryKibibytes * mostOfMemory,
    )
    .sort((a, b) => strengthOf(b) - strengthOf(a) || b.memoryKibibytes - a.memoryKibibytes);
  const [fastest] = accepted.toSorted((a, b) => a.busyMilliseconds - b.busyMilliseconds);
  const chosen = strongest ?? fastest ?? { memoryKibibytes: 19_456, passes: 2 };
  return {
    memoryKibibytes: chosen.memoryKibibytes,
    passes: chosen.passes,
    isWithinTarget: strongest !== undefined,
  };
}

function tableOf(
  measures: readonly HashMeasure[],
  current: HashCost & { readonly concurrency: number },
  recommended: HashCost,
): string {
  const cores = Math.min(current.concurrency, availableParallelism());
  const mebibytes = (kibibytes: number) => Number((kibibytes / 1024).toFixed(1));
  return table(
    ['Memory', 'Passes', 'Alone', 'All busy', 'A second', 'Per core', 'Memory of all', ''],
    measures.map((measure) => [
      `${mebibytes(measure.memoryKibibytes)} MiB`,
      measure.passes,
      `${Math.round(measure.aloneMilliseconds)} ms`,
      `${Math.round(measure.busyMilliseconds)} ms`,
      measure.perSecond.toFixed(1),
      (measure.perSecond / cores).toFixed(1),
      `${mebibytes(measure.memoryKibibytes * current.concurrency)} MiB`,
      [isSame(measure, current) ? 'current' : '', isSame(measure, recommended) ? 'recommended' : '']
        .filter(Boolean)
        .join(', '),
    ]),
  );
}

function adviceOf(recommended: Recommendation, current: HashCost, target: number): string[] {
  const { memoryKibibytes, passes, isWithinTarget } = recommended;
  const reason = isWithinTarget
    ? `It is the strongest of these that takes at most ${target} ms while all slots are busy, in a quarter of the memory.`
    : `None takes at most ${target} ms while all slots are busy: this is the fastest that is still expensive to guess. Fewer at a time (\`hash.concurrency\`) or a faster machine would help.`;
  if (isSame(recommended, current)) return [paint('green', 'Leave it as it is.'), reason];
  return [
    paint('bold', `Set hash.memoryKibibytes to ${memoryKibibytes} and hash.passes to ${passes}.`),
    reason,
    'Passwords get the new cost one by one, each at its next login.',
  ];
}
