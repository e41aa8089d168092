// The controls of the attacks: `npm run mutation -- controls`. Plants each weakness that names its attacks, one at a time, in a copy
// of the tree, and requires that these attacks succeed against the weakened service. `--changed` takes those of the modules that
// a change touches, as .ci/run does; the night runs all of them.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { threatIds } from '../attack/threats.ts';
import { closeSuite, collectNotes } from '../rig/notes.ts';
import { weaknesses } from '../weaknesses/all.ts';
import { plantedFiles, threatsOf, type Weakness } from '../weaknesses/weakness.ts';
import { findChangedFiles, touches } from './changed-modules.ts';
import { copyTree } from './copy-tree.ts';
import { judgeControl, type Verdict } from './judge-control.ts';
import { lintWeaknesses } from './lint-weaknesses.ts';
import { createControlWorker } from './start-control-worker.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const limitMilliseconds = 240_000;

export interface ControlOptions {
  /** A part of the name, of a file or of the threat. */
  readonly only: string;
  readonly workers: number;
  /** Those of the modules that a change touches alone. */
  readonly changed: boolean;
  /** The revision before the change; empty where it is the usual one. */
  readonly since: string;
  /** The most controls to run, spread evenly over those that were chosen; undefined for all. */
  readonly most: number | undefined;
}

export interface Control extends Weakness {
  readonly attacks: NonNullable<Weakness['attacks']>;
}

export const controls = weaknesses.filter((weakness): weakness is Control => weakness.attacks !== undefined);

/** Resolves with the exit code. */
export async function runControls({ only, workers, changed, since, most }: ControlOptions): Promise<number> {
  collectNotes();
  const problems = lintWeaknesses(weaknesses, { read: readSource }, threatIds);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) return 1;
  const files = changed ? findChangedFiles(root, since) : undefined;
  const called = controls
    .filter((control) => files === undefined || touches(files, control))
    .filter((control) => partsOf(control).some((part) => part.includes(only)));
  const chosen = spread(called, most);
  console.log(`${chosen.length} of ${controls.length} controls, for ${countThreats(controls)} threats`);
  if (chosen.length < called.length)
    console.log(`The change calls for ${called.length}: the nightly run executes the others.`);
  const verdicts = await runAll(chosen, Math.min(workers, chosen.length));
  const count = (result: Verdict['result']) => verdicts.filter((verdict) => verdict.result === result).length;
  closeSuite({ passed: count('succeeded'), failed: count('failed'), notJudged: count('not judged') });
  // Where a change touches no module with a control, there is nothing to run.
  return count('failed') > 0 || (chosen.length === 0 && files === undefined) ? 1 : 0;
}

/** At most so many, evenly spread over the list. */
export function spread<Item>(items: readonly Item[], most = items.length): Item[] {
  const step = Math.max(1, items.length / most);
  return items.filter((_, index) => Math.floor(index / step) > Math.floor((index - 1) / step));
}

export function countThreats(some: readonly Weakness[]): number {
  return new Set(some.flatMap(threatsOf)).size;
}

function partsOf(weakness: Weakness): string[] {
  return [weakness.name, weakness.file, ...threatsOf(weakness), ...weakness.seenBy];
}

/** Each copy takes the next control when it is done with the last one. */
async function runAll(chosen: readonly Control[], workers: number): Promise<Verdict[]> {
  const copies = Array.from({ length: workers }, () => mkdtempSync(join(tmpdir(), 'controls-')));
  const stop = () => process.exit(130);
  process
    .once('exit', () => copies.forEach((copy) => void rmSync(copy, { recursive: true, force: true })))
    .once('SIGINT', stop)
    .once('SIGTERM', stop);
  // Those of one test file beside each other: it is read once.
  const waiting = chosen.toSorted((one, other) => one.seenBy[0].localeCompare(other.seenBy[0])).values();
  const verdicts: Verdict[] = [];
  const work = async (copy: string) => {
    // Some tests run a command as another user.
    chmodSync(copy, 0o755);
    copyTree(root, copy);
    const worker = createControlWorker(copy, limitMilliseconds);
    let before: string[] = [];
    for (const control of waiting) {
      const startedAt = performance.now();
      const texts = plantedFiles(control, (file) => readFileSync(join(root, file), 'utf8'));
      for (const [file, text] of texts) writeFileSync(join(copy, file), text);
      const changed = [...new Set([...before, ...texts.keys()])];
      before = [...texts.keys()];
      const tests = control.seenBy.filter((test) => !test.startsWith('npm run '));
      const verdict = judgeControl(
        control.attacks,
        await worker.run({ changed, tests, titles: control.attacks }),
      );
      for (const file of texts.keys())
        writeFileSync(join(copy, file), readFileSync(join(root, file), 'utf8'));
      verdicts.push(verdict);
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
      console.log(
        `${verdicts.length}/${chosen.length} ${words[verdict.result]} ${threatsOf(control).join(' ')} ${control.name} (${seconds} s)`,
      );
      for (const problem of verdict.problems) console.log(`  ${problem}`);
    }
    await worker.stop();
  };
  await Promise.all(copies.map(work));
  return verdicts;
}

const words = { succeeded: 'ok', failed: 'FAILED', 'not judged': 'not judged' } as const;

function readSource(file: string): string | undefined {
  try {
    return readFileSync(join(root, file), 'utf8');
  } catch {
    return undefined;
  }
}
