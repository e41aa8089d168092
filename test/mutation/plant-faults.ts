// Plants the faults of `faults/`, one at a time, in copies of the tree, and runs the tests that must see each of them. A
// fault that no test sees is a test that is missing.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyTree } from './copy-tree.ts';
import { type Fault, planted } from './fault.ts';
import { faults, noFaults } from './faults/all.ts';
import { lintFaults } from './lint-faults.ts';
import { type Outcome, runTests } from './run-tests.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const limitMilliseconds = 300_000;
/** All files once, which may be most of the suite. */
const controlLimitMilliseconds = 3_600_000;

interface PlantOptions {
  readonly only: string;
  readonly workers: number;
}

/** Resolves with the exit code. */
export async function plantFaults({ only, workers }: PlantOptions): Promise<number> {
  const problems = lintFaults([...faults, ...noFaults], { read: readSource });
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) return 1;
  const chosen = faults.filter(({ name, file }) => name.includes(only) || file.includes(only));
  const copies = Array.from({ length: workers }, () => mkdtempSync(join(tmpdir(), 'mutation-')));
  const removeCopies = () => copies.forEach((copy) => void rmSync(copy, { recursive: true, force: true }));
  const stop = () => process.exit(130);
  process.once('exit', removeCopies).once('SIGINT', stop).once('SIGTERM', stop);
  for (const copy of copies) {
    // Some tests run a command as another user.
    chmodSync(copy, 0o755);
    copyTree(root, copy);
  }

  const files = [...new Set(chosen.flatMap(({ seenBy }) => seenBy))];
  console.log(`mutation faults: ${files.length} test files without a fault`);
  const control = await runTests({
    copy: copies[0] ?? '',
    files,
    maxWorkers: workers,
    limitMilliseconds: controlLimitMilliseconds,
  });
  if (control.result !== 'passed') {
    console.error(`The tests fail before anything is broken: ${control.detail}`);
    return 1;
  }
  const outcomes = await plantAll(chosen, copies);
  return report(chosen, outcomes, only === '' ? noFaults.length : 0);
}

/** Each copy takes the next fault when it is done with the last one. */
async function plantAll(chosen: readonly Fault[], copies: readonly string[]): Promise<Map<Fault, Outcome>> {
  const outcomes = new Map<Fault, Outcome>();
  const waiting = chosen.values();
  const work = async (copy: string) => {
    for (const fault of waiting) {
      const startedAt = performance.now();
      const outcome = await plant(fault, copy);
      outcomes.set(fault, outcome);
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
      console.log(
        `${outcomes.size}/${chosen.length} ${words[outcome.result]} ${fault.name} (${seconds} s)${outcome.detail && `: ${outcome.detail}`}`,
      );
    }
  };
  await Promise.all(copies.map(work));
  return outcomes;
}

const words = { failed: 'caught', hung: 'caught', passed: 'SURVIVED', broken: 'broken' } as const;

async function plant(fault: Fault, copy: string): Promise<Outcome> {
  const path = join(copy, fault.file);
  const sound = readFileSync(path, 'utf8');
  writeFileSync(path, planted(fault, sound));
  try {
    return await runTests({ copy, files: fault.seenBy, maxWorkers: 1, limitMilliseconds });
  } finally {
    writeFileSync(path, sound);
  }
}

function report(chosen: readonly Fault[], outcomes: ReadonlyMap<Fault, Outcome>, unfelt: number): number {
  const of = (...results: Outcome['result'][]) =>
    chosen.filter((fault) => results.includes(outcomes.get(fault)?.result ?? 'broken'));
  const [caught, survived, broken] = [of('failed', 'hung'), of('passed'), of('broken')];
  console.log('');
  for (const file of new Set(chosen.map((fault) => fault.file))) {
    const count = (some: readonly Fault[]) => some.filter((fault) => fault.file === file).length;
    console.log(`${file}: ${count(caught)} of ${count(chosen)} caught`);
  }
  for (const { name, file, seenBy } of survived)
    console.log(`SURVIVED ${name} (${file}); not seen by ${seenBy.join(', ')}`);
  for (const fault of broken)
    console.log(`broken ${fault.name} (${fault.file}): ${outcomes.get(fault)?.detail}`);
  console.log(`${caught.length} caught, ${survived.length} survived, ${unfelt} change nothing`);
  console.log(`${caught.length} passed, ${survived.length + broken.length} failed`);
  return survived.length + broken.length > 0 || chosen.length === 0 ? 1 : 0;
}

function readSource(file: string): string | undefined {
  try {
    return readFileSync(join(root, file), 'utf8');
  } catch {
    return undefined;
  }
}
