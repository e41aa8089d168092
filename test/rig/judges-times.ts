import { note } from './notes.ts';

/**
 * Whether a time may fail a suite. Where every change is run, others use the machine too, and it can stand still for
 * seconds: times are printed there. By hand and at night they are judged.
 */
export const judgesTimes = process.env.CI !== 'true';

/** As `judgesTimes`, for a check: where it is not judged, the closing line of the suite counts it. */
export function isJudged(what: string): boolean {
  if (!judgesTimes) note('not judged', what);
  return judgesTimes;
}

/** Throws where something took longer than it may, and only tells of it where times are not judged. */
export function judgeTime(what: string, milliseconds: number, mostMilliseconds: number): void {
  const mayFail = isJudged(`${what.charAt(0).toLowerCase()}${what.slice(1)}`);
  if (milliseconds < mostMilliseconds) return;
  const told = `${what} took ${Math.round(milliseconds)} ms, and has ${mostMilliseconds} ms.`;
  if (mayFail) throw new Error(told);
  console.log(told);
}
