// Runs tests in a copy of the tree again and again, for one control after another: the tests and what they import are read once.
// Started in the copy by start-control-worker.ts.
import { join } from 'node:path';
import { createVitest, type TestModule, type Vitest } from 'vitest/node';

/** What the parent sends: one control. */
export interface ControlRun {
  /** Files that were changed since the last run. */
  readonly changed: readonly string[];
  readonly tests: readonly string[];
  /** Parts of titles. */
  readonly titles: readonly string[];
}

export interface TestOutcome {
  readonly title: string;
  readonly state: string;
  /** By its own words, and not because its preparation failed. */
  readonly isLeftOut: boolean;
  /** Of the first thing that went wrong. */
  readonly error?: { readonly name: string; readonly message: string };
}

/** What the parent gets: the tests with such a title, and what kept a file from being run at all. */
export interface ControlAnswer {
  readonly outcomes: readonly TestOutcome[];
  readonly faults: readonly string[];
}

const root = process.cwd();
const vitest = await createVitest('test', {
  root,
  watch: false,
  maxWorkers: 1,
  testTimeout: 60_000,
  hookTimeout: 60_000,
  reporters: [{}],
});
await vitest.standalone();

process.on('message', async (run: ControlRun) => {
  process.send?.(await runOnce(vitest, run));
});
process.once('disconnect', async () => {
  await vitest.close();
  process.exit();
});
process.send?.('ready');

async function runOnce(on: Vitest, { changed, tests, titles }: ControlRun): Promise<ControlAnswer> {
  for (const file of changed) on.invalidateFile(join(root, file));
  on.setGlobalTestNamePattern(new RegExp(titles.map(literally).join('|')));
  const files = new Set(tests.map((file) => join(root, file)));
  const specifications = await on.globTestSpecifications([...tests]);
  const run = await on.runTestSpecifications(specifications.filter(({ moduleId }) => files.has(moduleId)));
  // Vitest keeps the files of earlier runs.
  const testModules = run.testModules.filter(({ moduleId }) => files.has(moduleId));
  return {
    outcomes: testModules.flatMap((module) => outcomesOf(module, titles)),
    faults: testModules.flatMap((module) =>
      [module, ...module.children.allSuites()].flatMap((part) => part.errors().map(({ message }) => message)),
    ),
  };
}

function outcomesOf(module: TestModule, titles: readonly string[]): TestOutcome[] {
  return [...module.children.allTests()]
    .filter(({ fullName }) => titles.some((title) => fullName.includes(title)))
    .map((test) => {
      const { state, errors: [error] = [] } = test.result();
      const what = error && { error: { name: String(error.name), message: error.message } };
      return { title: test.fullName, state, isLeftOut: test.options.mode === 'skip', ...what };
    });
}

function literally(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
