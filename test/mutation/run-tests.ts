// Runs test files in a copy of the tree and says how that ended, by what each test did: a module that does not load is no
// test that failed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Outcome {
  readonly result: 'passed' | 'failed' | 'hung' | 'broken';
  /** The first test that failed, or what is broken. */
  readonly detail: string;
}

interface RunOptions {
  readonly copy: string;
  /** Test files, or suites such as `npm run operate`. */
  readonly files: readonly string[];
  readonly maxWorkers: number;
  readonly limitMilliseconds: number;
}

/** A test that waits for ever fails automatically within this time; the whole run is ended later. */
const testTimeoutMilliseconds = 60_000;

/** Vitest's files first, because they are the quicker ones. */
export async function runTests({ files, ...options }: RunOptions): Promise<Outcome> {
  const suites = files.filter((file) => file.startsWith('npm run '));
  const tests = files.filter((file) => !suites.includes(file));
  let outcome: Outcome | undefined;
  if (tests.length > 0) outcome = await runFiles({ ...options, files: tests });
  for (const suite of suites) {
    if (outcome !== undefined && outcome.result !== 'passed') return outcome;
    outcome = await runSuite(suite, options);
  }
  return outcome ?? { result: 'broken', detail: 'no test is named' };
}

async function runFiles({ copy, files, maxWorkers, limitMilliseconds }: RunOptions): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'mutation-report-'));
  const outputFile = join(folder, 'report.json');
  const options = {
    root: copy,
    bail: 1,
    maxWorkers,
    testTimeout: testTimeoutMilliseconds,
    reporter: 'json',
    outputFile,
  };
  const command = [
    process.execPath,
    join(copy, 'node_modules/vitest/vitest.mjs'),
    'run',
    ...Object.entries(options).map(([name, value]) => `--${name}=${value}`),
    ...files.map((file) => join(copy, file)),
  ];
  try {
    const ended = await runProcess(command, copy, limitMilliseconds);
    return ended.isHung ? hung(limitMilliseconds) : judge(readReport(outputFile), ended.code, ended.errors);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A separate program: `npm run operate -- deployment`. It ends with a line of what passed and failed. */
async function runSuite(
  suite: string,
  { copy, limitMilliseconds }: Omit<RunOptions, 'files'>,
): Promise<Outcome> {
  const ended = await runProcess(
    suite.replace('npm run', 'npm run --silent').split(' '),
    copy,
    limitMilliseconds,
  );
  if (ended.isHung) return hung(limitMilliseconds);
  const [, passed = '0', failed = '0'] = /^(\d+) passed, (\d+) failed/m.exec(ended.output) ?? [];
  if (Number(failed) > 0)
    return { result: 'failed', detail: /^FAILED .*/m.exec(ended.errors + ended.output)?.[0] ?? suite };
  if (ended.code === 0 && Number(passed) > 0) return { result: 'passed', detail: '' };
  return { result: 'broken', detail: `${suite}: ${lastLine(ended.errors)}` };
}

function hung(limitMilliseconds: number): Outcome {
  return { result: 'hung', detail: `by the time limit of ${limitMilliseconds / 1000} s` };
}

async function runProcess([file = '', ...args]: readonly string[], copy: string, limitMilliseconds: number) {
  // A separate group: the processes that tests start end with it.
  const child = spawn(file, args, { cwd: copy, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const end = () => killGroup(child.pid);
  // Before the copies are removed, in which it may be writing.
  process.prependOnceListener('exit', end);
  let isHung = false;
  const timer = setTimeout(() => {
    isHung = true;
    end();
  }, limitMilliseconds);
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, isHung, output, errors };
  } finally {
    clearTimeout(timer);
    process.off('exit', end);
  }
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** What is used of Vitest's JSON report. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

function readReport(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return undefined;
  }
}

function judge(report: Report | undefined, code: number | null, errors: string): Outcome {
  if (report === undefined) return { result: 'broken', detail: `no report: ${lastLine(errors)}` };
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.find(({ status }) => status === 'failed');
  if (failed !== undefined) return outcomeOf(failed.fullName.trim(), failed.failureMessages?.[0] ?? '');
  const unready = report.testResults.find(({ status }) => status === 'failed');
  // Its tests are known, so all modules were loaded: what failed is their preparation.
  if (unready !== undefined && unready.assertionResults.length > 0)
    return { result: 'failed', detail: `the preparation: ${firstLine(unready.message)}` };
  if (unready !== undefined) return { result: 'broken', detail: firstLine(unready.message) };
  if (code !== 0) return { result: 'broken', detail: `no test failed: ${lastLine(errors)}` };
  if (!tests.some(({ status }) => status === 'passed')) return { result: 'broken', detail: 'no test ran' };
  return { result: 'passed', detail: '' };
}

function outcomeOf(title: string, message: string): Outcome {
  if (/^(ReferenceError|SyntaxError)\b/.test(message))
    return { result: 'broken', detail: `${title}: ${firstLine(message)}` };
  if (/^Error: (Test|Hook) timed out/.test(message))
    return { result: 'hung', detail: `${title} (by the time limit of a test)` };
  return { result: 'failed', detail: title };
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
