// Breaks the code on purpose and counts what the tests catch: `npm run mutation -- faults --only lease --workers 1`.
import { parseArgs } from 'node:util';
import { plantFaults } from './plant-faults.ts';
import { mutatePolicy } from './policy.ts';

interface Run {
  /** Only the faults whose name or file holds this text. */
  readonly only: string;
  readonly workers: number;
}

const runs: Readonly<Record<string, (run: Run) => number | Promise<number>>> = {
  policy: mutatePolicy,
  faults: plantFaults,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string', default: '' }, workers: { type: 'string', default: '2' } },
});

const [name = ''] = positionals;
const run = runs[name];
if (run === undefined || positionals.length > 1)
  refuse(`Name what is to be broken, one of: ${Object.keys(runs).join(', ')}.`);
const workers = Number(values.workers);
if (!Number.isSafeInteger(workers) || workers < 1) refuse('Give a whole number of workers.');
process.exitCode = await run({ only: values.only, workers });

function refuse(reason: string): never {
  console.error(reason);
  process.exit(2);
}
