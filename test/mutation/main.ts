// Breaks the code on purpose and counts what the tests catch: `npm run mutation -- weaknesses --only lease --workers 1`;
// `npm run mutation -- controls --changed`; `npm run mutation -- strangers --seed 1 --count 200 --at HEAD`.
import { parseArgs } from 'node:util';
import { type ControlOptions, runControls } from './controls.ts';
import { plantWeaknesses } from './plant-weaknesses.ts';
import { mutatePolicy } from './policy.ts';
import { plantStrangers, type StrangersOptions } from './strangers.ts';

const runs: Readonly<
  Record<string, (options: StrangersOptions & ControlOptions) => number | Promise<number>>
> = {
  controls: runControls,
  policy: mutatePolicy,
  weaknesses: plantWeaknesses,
  strangers: plantStrangers,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    /** Of weaknesses and controls, those whose name or file holds this text; of strangers, a module. */
    only: { type: 'string', default: '' },
    /** Of controls: those of the modules that a change touches; and since which revision, where it is not the usual one. */
    changed: { type: 'boolean', default: false },
    since: { type: 'string', default: process.env.CONTROLS_SINCE ?? '' },
    /** Of controls: at most so many, evenly spread. */
    most: { type: 'string' },
    workers: { type: 'string', default: '2' },
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '200' },
    at: { type: 'string', default: 'HEAD' },
    bar: { type: 'string', default: '0.85' },
    /** Seconds for one of the strangers' faults. */
    limit: { type: 'string', default: '300' },
    resume: { type: 'boolean', default: true },
  },
});

const [name = ''] = positionals;
const run = runs[name];
if (run === undefined || positionals.length > 1)
  refuse(`Name what is to be broken, one of: ${Object.keys(runs).join(', ')}.`);
const { only, at, resume, changed, since } = values;
const [workers, seed, count, limitSeconds] = [values.workers, values.seed, values.count, values.limit].map(
  readCount,
) as [number, number, number, number];
const bar = Number(values.bar);
if (!(bar >= 0 && bar <= 1)) refuse('Give a bar between 0 and 1.');
process.exitCode = await run({
  only,
  workers,
  seed,
  count,
  at,
  bar,
  limitSeconds,
  resume,
  changed,
  since,
  most: values.most === undefined ? undefined : readCount(values.most),
});

function readCount(text: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1) refuse(`Give a whole number instead of ${text}.`);
  return count;
}

function refuse(reason: string): never {
  console.error(reason);
  process.exit(2);
}
