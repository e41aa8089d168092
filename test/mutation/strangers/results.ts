// What was tried is kept, a line of JSON for each fault, so that a run that was interrupted goes on where it was.
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Rule } from './fault.ts';
import type { Verdict } from './try-fault.ts';

export interface Result {
  readonly id: string;
  readonly module: string;
  readonly rule: Rule;
  readonly file: string;
  readonly line: number;
  readonly before: string;
  readonly after: string;
  readonly verdict: Verdict;
  readonly detail: string;
  readonly seconds: number;
}

export interface Results {
  readonly kept: ReadonlyMap<string, Result>;
  add(result: Result): void;
}

/** `goesOn`: with what an earlier run kept. */
export function openResults(file: string, goesOn: boolean): Results {
  mkdirSync(dirname(file), { recursive: true });
  if (!goesOn) rmSync(file, { force: true });
  const kept = new Map<string, Result>();
  // The last line is no result where the run ended while it was being written: it is cut off.
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole !== text) writeFileSync(file, whole);
  for (const line of whole.split('\n').slice(0, -1)) {
    const result = JSON.parse(line) as Result;
    // With more time it may be decided.
    if (result.verdict !== 'undecided') kept.set(result.id, result);
  }
  return {
    kept,
    add(result) {
      kept.set(result.id, result);
      appendFileSync(file, `${JSON.stringify(result)}\n`);
    },
  };
}
