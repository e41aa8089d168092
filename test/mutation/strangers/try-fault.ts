// One fault in one copy: the suites of its module, the quick ones first, until a test fails that passes on the sound code.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canLoad } from './derive-faults.ts';
import { applyFault, type Fault } from './fault.ts';
import type { Module } from './modules.ts';
import type { FilesRun, FilesVerdict } from './run-files.ts';
import { selectTests } from './select-tests.ts';
import type { Workplace } from './workplace.ts';

/** Undecided: the time was over, and no test had failed. */
export type Verdict = 'caught' | 'survived' | 'undecided' | 'not loaded';

export interface Outcome {
  readonly verdict: Verdict;
  /** The test that failed and how, or why the fault is not counted, or where the time was over. */
  readonly detail: string;
}

/** What is known of test files on the sound code. */
export interface Knowledge {
  /** Whether a test file passes there; asked for the first time when it fails with a fault. */
  readonly controls: Map<string, Promise<boolean>>;
  /** How long files took, in milliseconds. */
  readonly times: Map<string, number>;
}

interface Trial {
  readonly workplace: Workplace;
  readonly module: Module;
  readonly fault: Fault;
  readonly knowledge: Knowledge;
  readonly limitMilliseconds: number;
}

const runFilesScript = fileURLToPath(new URL('run-files.ts', import.meta.url));

export async function tryFault(trial: Trial): Promise<Outcome> {
  const { workplace, fault } = trial;
  const path = join(workplace.copy, fault.file);
  const sound = readFileSync(path, 'utf8');
  if (!canLoad(fault, sound)) return { verdict: 'not loaded', detail: 'no syntax of the language' };
  const faulty = applyFault(sound, fault);
  const plant = (isPlanted: boolean) => writeFileSync(path, isPlanted ? faulty : sound);
  plant(true);
  try {
    return await runStages(trial, plant);
  } finally {
    plant(false);
    await workplace.tidy();
  }
}

async function runStages(
  { workplace, module, fault, knowledge, limitMilliseconds }: Trial,
  plant: (isPlanted: boolean) => void,
): Promise<Outcome> {
  const endsAt = performance.now() + limitMilliseconds;
  const isReliable = async (file: string, run: () => Promise<boolean>) => {
    const control = knowledge.controls.get(file) ?? withoutFault(plant, run);
    knowledge.controls.set(file, control);
    const isSound = await control;
    // The machine may be why: the next fault asks again.
    if (!isSound) knowledge.controls.delete(file);
    return isSound;
  };
  const stages = selectTests(workplace.copy, module, fault.file, knowledge.times);
  for (const { project, files } of stages) {
    let left = [...files];
    while (left.length > 0) {
      const limit = endsAt - performance.now();
      if (limit < 5000) return { verdict: 'undecided', detail: `the time was over before ${project}` };
      const verdict = await runFiles(workplace, { root: workplace.copy, project, files: left }, limit);
      if (verdict === undefined) return { verdict: 'undecided', detail: `the time was over in ${project}` };
      for (const [file, time] of Object.entries(verdict.times)) knowledge.times.set(file, time);
      const { result, file, title = '', message = '' } = verdict;
      if (result === 'passed') break;
      if (result === 'broken' || file === undefined || /syntax error at /.test(message))
        return { verdict: 'not loaded', detail: `${file}: ${title}: ${message}` };
      // Where it waited too long, the machine may be why: the control of now counts.
      if (result === 'hung' || /timed out/.test(message)) knowledge.controls.delete(file);
      const alone = { root: workplace.copy, project, files: [file] };
      if (
        await isReliable(
          file,
          async () => (await runFiles(workplace, alone, limitMilliseconds))?.result === 'passed',
        )
      )
        return { verdict: 'caught', detail: `${file}: ${title}: ${message}` };
      console.log(`not counted: ${file} fails on the sound code`);
      left = left.slice(left.indexOf(file) + 1);
    }
  }
  const part = module.browser?.find(([pattern]) => pattern.test(fault.file))?.[1];
  if (part === undefined) return { verdict: 'survived', detail: '' };
  const browse = () => runBrowser(workplace, part, limitMilliseconds);
  const seen = await browse();
  if (
    seen.verdict === 'caught' &&
    !(await isReliable(`browser ${part}`, async () => (await browse()).verdict === 'survived'))
  )
    return { verdict: 'survived', detail: `browser ${part} fails on the sound code` };
  return seen;
}

async function withoutFault(
  plant: (isPlanted: boolean) => void,
  run: () => Promise<boolean>,
): Promise<boolean> {
  plant(false);
  try {
    return await run();
  } finally {
    plant(true);
  }
}

/** Undefined where the time was over. */
async function runFiles(
  workplace: Workplace,
  run: FilesRun,
  limitMilliseconds: number,
): Promise<FilesVerdict | undefined> {
  const words = [process.execPath, runFilesScript, JSON.stringify(run)];
  const { output, isLate } = await workplace.run(words, limitMilliseconds);
  if (isLate) return undefined;
  const last = output.split('\n').findLast((line) => line.startsWith('{"result":'));
  if (last !== undefined) return JSON.parse(last) as FilesVerdict;
  return { result: 'broken', title: 'no verdict', message: output.slice(-500), times: {} };
}

async function runBrowser(workplace: Workplace, part: string, limitMilliseconds: number): Promise<Outcome> {
  const words = [process.execPath, 'test/browser/main.ts', part];
  const { output, isLate } = await workplace.run(words, limitMilliseconds);
  if (isLate) return { verdict: 'undecided', detail: `the time was over in browser ${part}` };
  const [, failed] = /^\d+ passed, (\d+) failed/m.exec(output) ?? [];
  if (failed === undefined)
    return { verdict: 'not loaded', detail: `browser ${part}: ${output.slice(-300)}` };
  if (failed === '0') return { verdict: 'survived', detail: '' };
  return { verdict: 'caught', detail: `browser ${part}: ${/^fail.*/im.exec(output)?.[0] ?? ''}` };
}
