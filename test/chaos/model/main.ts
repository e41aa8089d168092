// Runs the model alone: `node test/chaos/model/main.ts --schedules 10000000 --seed 7`, with `--mutation <name>` or
// `--mutation all` for the mutations only.
import { parseArgs } from 'node:util';
import { isMutation, type Mutation, mutations } from './rules.ts';
import { runModel } from './run-model.ts';

const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '200000' },
    seed: { type: 'string', default: '1' },
    mutation: { type: 'string' },
  },
});

const schedules = Number(values.schedules);
const seed = Number(values.seed);
if (!Number.isSafeInteger(schedules) || schedules < 1 || !Number.isSafeInteger(seed)) {
  console.error('Give whole numbers: --schedules from 1 on, and --seed.');
  process.exit(2);
}

const onlyMutations = findMutations(values.mutation);
const { passed, failed } = runModel({
  schedules,
  seed,
  ...(onlyMutations === undefined ? {} : { onlyMutations }),
});
console.log(`${passed} passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;

function findMutations(name: string | undefined): readonly Mutation[] | undefined {
  if (name === undefined) return undefined;
  if (name === 'all') return mutations;
  if (isMutation(name)) return [name];
  console.error(`There is no mutation "${name}". There are: all, ${mutations.join(', ')}.`);
  process.exit(2);
}
