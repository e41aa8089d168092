/**
 * Whether a time may fail a suite. Where every change is run, others use the machine too, and it can stand still for
 * seconds: times are printed there. By hand and at night they are judged.
 */
export const judgesTimes = process.env.CI !== 'true';

/** Throws where something took longer than it may, and only tells of it where times are not judged. */
export function judgeTime(what: string, milliseconds: number, mostMilliseconds: number): void {
  if (milliseconds < mostMilliseconds) return;
  const told = `${what} took ${Math.round(milliseconds)} ms, and has ${mostMilliseconds} ms.`;
  if (judgesTimes) throw new Error(told);
  console.log(told);
}
