// Breaks compile and decide in one place at a time and looks whether the tests of the package notice. At least
// 95 of 100 mutants must die, and every survivor needs a reason in `survivors.ts`.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Mutant, mutantsOf } from './mutants.ts';
import { survivors } from './survivors.ts';

const files = [
  'compile.ts',
  'decide.ts',
  'role-index.ts',
  'role-trie.ts',
  'pack-indexes.ts',
  'canonical-path.ts',
  'method.ts',
  'rule-text.ts',
  'matched.ts',
];
const bar = 0.95;

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Returns the exit code. */
export function mutatePolicy(): number {
  const copy = mkdtempSync(join(tmpdir(), 'mutation-'));
  try {
    return mutateIn(copy);
  } finally {
    rmSync(copy, { recursive: true });
  }
}

function mutateIn(copy: string): number {
  mkdirSync(join(copy, 'packages'));
  cpSync(join(root, 'packages/policy'), join(copy, 'packages/policy'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  if (isKilled(quickCheck(copy)) || isKilled(wholeSuite(copy))) {
    console.error('The tests fail before anything is broken.');
    return 1;
  }
  const mutants = files.flatMap((file) => mutantsOf(file, readFileSync(sourcePath(copy, file), 'utf8')));
  const alive = mutants.filter((mutant, index) => {
    if (index % 25 === 0) console.log(`mutation: ${index} of ${mutants.length}`);
    return !isMutantKilled(copy, mutant);
  });
  return report(mutants.length, alive);
}

function report(total: number, alive: readonly Mutant[]): number {
  const unexplained = alive.filter((mutant) => survivors[mutant.name] === undefined);
  for (const mutant of alive) {
    console.log(`survives: ${mutant.name}\n  ${survivors[mutant.name] ?? 'WITHOUT A REASON'}`);
  }
  const killed = total - alive.length;
  const share = killed / total;
  console.log(`${killed} of ${total} mutants killed: ${(100 * share).toFixed(1)} % (bar ${100 * bar} %)`);
  console.log(`${killed} passed, ${unexplained.length} failed`);
  return share < bar || unexplained.length > 0 ? 1 : 0;
}

function isMutantKilled(copy: string, { file, source }: Mutant): boolean {
  const path = sourcePath(copy, file);
  const sound = readFileSync(path, 'utf8');
  writeFileSync(path, source);
  try {
    return isKilled(quickCheck(copy)) || isKilled(wholeSuite(copy));
  } finally {
    writeFileSync(path, sound);
  }
}

// Most mutants die on the decision cases alone, which start ten times faster than the whole suite.
function quickCheck(copy: string) {
  const script = join(root, 'test/mutation/quick-check.ts');
  return spawnSync(process.execPath, [script, copy], { timeout: 10_000 });
}

function wholeSuite(copy: string) {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  return spawnSync(process.execPath, [vitest, 'run', '--root', copy, '--bail', '1'], { timeout: 60_000 });
}

// A mutant that never ends is stopped, which counts as noticed.
function isKilled({ status }: { status: number | null }): boolean {
  return status !== 0;
}

function sourcePath(copy: string, file: string): string {
  return join(copy, 'packages/policy/src', file);
}
