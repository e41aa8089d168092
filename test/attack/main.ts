// Runs the threats: `npm run attack`, or at full size `npm run attack -- --full`. A word picks test files by name. Their controls:
// `npm run mutation -- controls`.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startVitest, type TestCase, type Vitest } from 'vitest/node';
import { judgesTimes } from '../rig/judges-times.ts';
import { closeSuite, collectNotes } from '../rig/notes.ts';

collectNotes();

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { full: { type: 'boolean', default: false } },
});
process.env.ATTACK_FULL = String(values.full);
// Services that are not about it wait for Postgres as long as it takes, where the machine may stand still.
process.env.PORTCULLIS_TEST_PATIENCE = String(!judgesTimes);

/** What they see depends on time, or they take all of the machine: one after the other, before the rest. */
const alone =
  /attack\/(directories\/directories-size(-leavers)?|flood|guess-race|login|login\/passwords|login\/directory-timing|office|process-log|resources|slow-clients|timing|sign-in-methods\/sign-in-methods-races)\.test\.ts$/;
const files = globSync(join(import.meta.dirname, '**/*.test.ts')).filter(
  (file) => positionals.length === 0 || positionals.some((word) => file.includes(word)),
);
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
    reporters: ['default'],
  });
  const tests = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests()]);
  countTests(some, tests, vitest.state);
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
