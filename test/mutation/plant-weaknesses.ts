// Plants the entries of `test/weaknesses`, one at a time, in copies of the tree, and runs the tests that each entry names. A
// weakness that no test sees is a missing test. Those that name their attacks are planted by controls.ts, which asks for more.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { threatIds } from '../attack/threats.ts';
import { equivalents, weaknesses } from '../weaknesses/all.ts';
import { plantedFiles, type Weakness } from '../weaknesses/weakness.ts';
import { copyTree } from './copy-tree.ts';
import { lintWeaknesses } from './lint-weaknesses.ts';
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
export async function plantWeaknesses({ only, workers }: PlantOptions): Promise<number> {
  const problems = lintWeaknesses([...weaknesses, ...equivalents], { read: readSource }, threatIds);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) return 1;
  const chosen = weaknesses.filter(
    ({ name, file, attacks }) => attacks === undefined && (name.includes(only) || file.includes(only)),
  );
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
  console.log(`mutation weaknesses: ${files.length} test files on the sound code`);
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
  return report(chosen, outcomes, only === '' ? equivalents.length : 0);
}

/** Each copy takes the next weakness when it is done with the last one. */
async function plantAll(
  chosen: readonly Weakness[],
  copies: readonly string[],
): Promise<Map<Weakness, Outcome>> {
  const outcomes = new Map<Weakness, Outcome>();
  const waiting = chosen.values();
  const work = async (copy: string) => {
    for (const weakness of waiting) {
      const startedAt = performance.now();
      const outcome = await plant(weakness, copy);
      outcomes.set(weakness, outcome);
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
      console.log(
        `${outcomes.size}/${chosen.length} ${words[outcome.result]} ${weakness.name} (${seconds} s)${outcome.detail && `: ${outcome.detail}`}`,
      );
    }
  };
  await Promise.all(copies.map(work));
  return outcomes;
}

const words = { failed: 'caught', hung: 'caught', passed: 'SURVIVED', broken: 'broken' } as const;

async function plant(weakness: Weakness, copy: string): Promise<Outcome> {
  const sound = (file: string) => readFileSync(join(root, file), 'utf8');
  const texts = plantedFiles(weakness, sound);
  for (const [file, text] of texts) writeFileSync(join(copy, file), text);
  try {
    return await runTests({ copy, files: weakness.seenBy, maxWorkers: 1, limitMilliseconds });
  } finally {
    for (const file of texts.keys()) writeFileSync(join(copy, file), sound(file));
  }
}

function report(
  chosen: readonly Weakness[],
  outcomes: ReadonlyMap<Weakness, Outcome>,
  unfelt: number,
): number {
  const of = (...results: Outcome['result'][]) =>
    chosen.filter((weakness) => results.includes(outcomes.get(weakness)?.result ?? 'broken'));
  const [caught, survived, broken] = [of('failed', 'hung'), of('passed'), of('broken')];
  console.log('');
  for (const file of new Set(chosen.map((weakness) => weakness.file))) {
    const count = (some: readonly Weakness[]) => some.filter((weakness) => weakness.file === file).length;
    console.log(`${file}: ${count(caught)} of ${count(chosen)} caught`);
  }
  for (const { name, file, seenBy } of survived)
    console.log(`SURVIVED ${name} (${file}); not seen by ${seenBy.join(', ')}`);
  for (const weakness of broken)
    console.log(`broken ${weakness.name} (${weakness.file}): ${outcomes.get(weakness)?.detail}`);
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
