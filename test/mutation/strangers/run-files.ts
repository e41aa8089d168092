// Runs test files of a tree in the order given, until one fails: `node run-files.ts '{"root":..., "project":..., "files":[...]}'`.
// A separate process, so that what is left behind ends with it. The last line that it writes is the verdict.
import { relative } from 'node:path';
import { startVitest, type TestModule, type TestSpecification, type Vitest } from 'vitest/node';

export interface FilesRun {
  readonly root: string;
  readonly project: string;
  readonly files: readonly string[];
}

export interface FilesVerdict {
  /** Broken: the modules of a file could not be loaded. Hung: no test, no hook and no file ended for a long time. */
  readonly result: 'passed' | 'failed' | 'hung' | 'broken';
  /** Where it is not passed. */
  readonly file?: string;
  readonly title?: string;
  readonly message?: string;
  /** Of files that were run to their end, in milliseconds. */
  readonly times: Readonly<Record<string, number>>;
}

const testTimeout = 120_000;
/** A loop without an end stops the worker, and with it the time limits of its tests. */
const silenceMilliseconds = 150_000;

const run = JSON.parse(process.argv[2] ?? '') as FilesRun;
const times: Record<string, number> = {};
let current: TestModule | undefined;
let heardAt = performance.now();
const hear = () => {
  heardAt = performance.now();
};
const watch = setInterval(() => {
  if (performance.now() - heardAt < silenceMilliseconds) return;
  finish({ result: 'hung', ...(current && { file: nameOf(current) }), title: 'no test ended', message: '' });
}, 1000);

class AsGiven {
  shard = (files: TestSpecification[]) => files;
  sort = (files: TestSpecification[]) =>
    files.toSorted((a, b) => run.files.indexOf(nameOf(a)) - run.files.indexOf(nameOf(b)));
}

const vitest = await startVitest('test', [...run.files], {
  root: run.root,
  project: run.project,
  watch: false,
  bail: 1,
  maxWorkers: 1,
  testTimeout,
  hookTimeout: testTimeout,
  sequence: { sequencer: AsGiven },
  reporters: [
    {
      onTestModuleStart(module) {
        current = module;
        hear();
      },
      onTestModuleCollected: hear,
      onTestCaseResult: hear,
      onHookEnd: hear,
      onTestModuleEnd(module) {
        times[nameOf(module)] = Math.round(module.diagnostic().duration);
        hear();
      },
    },
  ],
});
finish(judge(vitest));

function finish(verdict: Omit<FilesVerdict, 'times'>): never {
  clearInterval(watch);
  process.stdout.write(`\n${JSON.stringify({ ...verdict, times } satisfies FilesVerdict)}\n`);
  process.exit();
}

function judge({ state }: Vitest): Omit<FilesVerdict, 'times'> {
  const loaded = state.getTestModules();
  const tests = loaded.flatMap((module) => [...module.children.allTests()]);
  for (const test of tests) {
    const { state: outcome, errors = [] } = test.result();
    if (outcome === 'failed')
      return {
        result: 'failed',
        file: nameOf(test.module),
        title: test.fullName,
        message: firstLine(errors[0]),
      };
  }
  for (const module of loaded) {
    const file = nameOf(module);
    const suites = [...module.children.allSuites()];
    const [error] = [...suites.flatMap((suite) => suite.errors()), ...module.errors()];
    if (error === undefined) continue;
    // Its tests are known, so its modules were loaded: what failed is their preparation.
    const isLoaded = [...module.children.allTests()].length > 0;
    return {
      result: isLoaded ? 'failed' : 'broken',
      file,
      title: 'the preparation',
      message: firstLine(error),
    };
  }
  const [unhandled] = state.getUnhandledErrors();
  if (unhandled !== undefined)
    return {
      result: 'failed',
      ...(current && { file: nameOf(current) }),
      title: 'an error that no test awaits',
      message: firstLine(unhandled),
    };
  if (!tests.some((test) => test.result().state === 'passed'))
    return { result: 'broken', title: 'no test ran' };
  return { result: 'passed' };
}

function nameOf({ moduleId }: { readonly moduleId: string }): string {
  return relative(run.root, moduleId);
}

function firstLine(error: unknown): string {
  const { name = '', message = '' } = error as { name?: string; message?: string };
  return `${name}: ${message}`.split('\n', 1)[0]?.slice(0, 300) ?? '';
}
