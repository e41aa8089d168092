// Runs the threats: `npm run attack`, or at full size `npm run attack -- --full`. A word picks test files by name. With
// `--careless` the controls of the directories: see careless.ts.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startVitest, type TestCase, type Vitest } from 'vitest/node';
import { judgesTimes } from '../rig/judges-times.ts';
import { closeSuite, collectNotes } from '../rig/notes.ts';
import { howItSucceeded } from './careless.ts';

collectNotes();

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { full: { type: 'boolean', default: false }, careless: { type: 'boolean', default: false } },
});
process.env.ATTACK_CARELESS = String(values.careless);
process.env.ATTACK_FULL = String(values.full);
// Services that are not about it wait for Postgres as long as it takes, where the machine may stand still.
process.env.PORTCULLIS_TEST_PATIENCE = String(!judgesTimes);

/** What they see depends on time, or they take all of the machine: one after the other, before the rest. */
const alone =
  /attack\/(directories\/directories-size(-leavers)?|flood|guess-race|login|login\/passwords|login\/directory-timing|office|process-log|resources|slow-clients|timing|ways-in\/ways-in-races)\.test\.ts$/;
/** Files whose services can run carelessly. The controls of `decided-accounts` and `oidc-groups` are in test/weaknesses. */
const controlled = /attack\/directories\/(?!directories-size|decided-accounts|oidc-groups)/;
const files = globSync(join(import.meta.dirname, '**/*.test.ts'))
  .filter((file) => positionals.length === 0 || positionals.some((word) => file.includes(word)))
  .filter((file) => !values.careless || controlled.test(file));
let passed = 0;
let failed = 0;
let skipped = 0;
await run(
  files.filter((file) => values.full || alone.test(file)),
  1,
);
await run(
  files.filter((file) => !values.full && !alone.test(file)),
  2,
);
// Vitest has set it as well, by whatever else went wrong; of controls, by every row.
if (values.careless) process.exitCode = 0;
closeSuite({ passed, failed, skipped });
if (passed === 0) process.exitCode = 1;

async function run(some: readonly string[], maxWorkers: number): Promise<void> {
  if (some.length === 0) return;
  const vitest = await startVitest('test', [...some], {
    project: 'attack',
    watch: false,
    maxWorkers,
    testTimeout: values.full ? 3_600_000 : 600_000,
    hookTimeout: 300_000,
    // Of controls, every row fails: what is of interest is how.
    reporters: values.careless ? [{}] : ['default'],
  });
  const tests = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests()]);
  if (values.careless) countControls(tests);
  else countTests(some, tests, vitest.state);
  await vitest.close();
}

function countTests(files: readonly string[], tests: readonly TestCase[], state: Vitest['state']): void {
  const good = tests.filter((test) => test.result().state === 'passed').length;
  // By its own words; one whose preparation failed was skipped too, and has failed.
  const left = tests.filter(({ options }) => options.mode === 'skip').length;
  passed += good;
  skipped += left;
  const empty = files.length - state.getTestModules().length;
  failed += tests.length - good - left + state.getUnhandledErrors().length + empty;
}

function countControls(tests: readonly TestCase[]): void {
  for (const test of tests) {
    const how = howItSucceeded(test);
    if (how === undefined) failed += 1;
    else passed += 1;
    console.log(`${test.fullName}: ${how ?? 'WITHOUT A CONTROL, nothing got in'}`);
  }
}
