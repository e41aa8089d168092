// Runs the threats: `npm run attack`, or at full size `npm run attack -- --full`. A word picks test files by name.
import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { full: { type: 'boolean', default: false } },
});
process.env.ATTACK_FULL = String(values.full);
const vitest = await startVitest('test', positionals, {
  project: 'attack',
  watch: false,
  ...(values.full ? { testTimeout: 3_600_000 } : {}),
});
const tests = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests()]);
const passed = tests.filter((test) => test.result().state === 'passed').length;
// A test whose preparation failed was skipped: only what passed is no failure.
const failed = tests.length - passed + vitest.state.getUnhandledErrors().length;
console.log(`${passed} passed, ${failed} failed`);
await vitest.close();
if (failed > 0 || passed === 0) process.exitCode = 1;
