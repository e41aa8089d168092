// Derived faults: rules derive them from the product's source, a seed picks a sample, and each is tried in a copy of one
// commit. A fault counts when its modules load: whatever fails then, the start of a service too, is a test that saw it.
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deriveFaults } from './strangers/derive-faults.ts';
import type { Fault } from './strangers/fault.ts';
import { type Module, modules } from './strangers/modules.ts';
import { countOf, percent, printReport, rateOf } from './strangers/report.ts';
import { openResults, type Results } from './strangers/results.ts';
import { type Sampled, sampleFaults } from './strangers/sample-faults.ts';
import { type Knowledge, tryFault } from './strangers/try-fault.ts';
import { openWorkplace, root, type Workplace } from './strangers/workplace.ts';
import { equivalentFaults } from './strangers-equivalent.ts';

export interface StrangersOptions {
  /** The name of one module; all of them by default. */
  readonly only: string;
  readonly workers: number;
  readonly seed: number;
  readonly count: number;
  /** A commit. What is not committed is not measured. */
  readonly at: string;
  /** The share that must be caught. */
  readonly bar: number;
  /** For one fault. What is not decided then counts as not caught, and the next run tries it again. */
  readonly limitSeconds: number;
  /** Go on with what an earlier run of the same commit and seed kept. */
  readonly resume: boolean;
}

const mostEquivalent = 0.05;
const resultsFolder = join(root, 'coverage/strangers');

/** Resolves with the exit code. */
export async function plantStrangers(options: StrangersOptions): Promise<number> {
  const chosen = modules.filter(({ name }) => options.only === '' || name === options.only);
  if (chosen.length === 0) {
    console.error(`Name one of the modules: ${modules.map(({ name }) => name).join(', ')}.`);
    return 2;
  }
  const commit = execFileSync('git', ['rev-parse', '--verify', `${options.at}^{commit}`], {
    cwd: root,
    encoding: 'utf8',
  }).trim();
  const stop = () => process.exit(130);
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const workplaces = await Promise.all(Array.from({ length: options.workers }, () => openWorkplace(commit)));
  try {
    const sample = sampleFaults(deriveAll(chosen, workplaces), options.seed, options.count);
    const tried = sample.filter((sampled) => !isEquivalent(sampled));
    const results = openResults(
      join(resultsFolder, `${commit.slice(0, 12)}-seed${options.seed}.jsonl`),
      options.resume,
    );
    await tryAll(tried, workplaces, results, options.limitSeconds * 1000);
    return judge(sample, results, options.bar);
  } finally {
    await Promise.all(workplaces.map((workplace) => workplace.close()));
  }
}

function deriveAll(chosen: readonly Module[], [workplace]: readonly Workplace[]): Map<string, Fault[]> {
  const copy = workplace?.copy ?? '';
  return new Map(
    chosen.map(({ name, sources }) => {
      const files = globSync([...sources], { cwd: copy }).sort();
      return [name, files.flatMap((file) => deriveFaults(file, readFileSync(join(copy, file), 'utf8')))];
    }),
  );
}

function isEquivalent({ fault }: Sampled): boolean {
  return equivalentFaults.some(
    ({ file, rule, before, after }) =>
      file === fault.file && rule === fault.rule && before === fault.before && after === fault.after,
  );
}

/** Each copy takes the next fault when it is done with the last one. */
async function tryAll(
  sample: readonly Sampled[],
  workplaces: readonly Workplace[],
  results: Results,
  limitMilliseconds: number,
) {
  const knowledge: Knowledge = { controls: new Map(), times: new Map() };
  const waiting = sample.filter(({ id }) => !results.kept.has(id)).values();
  const work = async (workplace: Workplace) => {
    for (const { id, module: name, fault } of waiting) {
      const module = modules.find((each) => each.name === name) as Module;
      const startedAt = performance.now();
      const outcome = await tryFault({ workplace, module, fault, knowledge, limitMilliseconds });
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      const { file, rule, line, before, after } = fault;
      results.add({ id, module: name, rule, file, line, before, after, ...outcome, seconds });
      const done = keptOf(sample, results);
      console.log(
        `${done.length}/${sample.length} ${outcome.verdict} (${seconds} s; ${percent(rateOf(done))} so far) ${file}:${line} [${rule}]${outcome.detail && `: ${outcome.detail}`}`,
      );
    }
  };
  await Promise.all(workplaces.map(work));
}

function keptOf(sample: readonly Sampled[], { kept }: Results) {
  return sample.flatMap(({ id }) => kept.get(id) ?? []);
}

function judge(sample: readonly Sampled[], results: Results, bar: number): number {
  const equivalent = sample.filter(isEquivalent).length;
  const counted = keptOf(
    sample.filter((sampled) => !isEquivalent(sampled)),
    results,
  );
  printReport(counted, equivalent);
  const { caught, missed } = countOf(counted);
  const tooMany = equivalent > mostEquivalent * sample.length;
  if (tooMany) console.log(`At most ${percent(mostEquivalent)} of a sample may be equivalent.`);
  console.log(`${caught} passed, ${missed} failed`);
  return tooMany || rateOf(counted) < bar ? 1 : 0;
}
