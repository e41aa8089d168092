// Formats a number of seconds in the largest unit that divides it.
const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** @example formatDuration('en-GB', 28_800); // '8 hours' */
export function formatDuration(locale: string, seconds: number): string {
  const [unit, length] = units.find(([, each]) => seconds % each === 0) ?? ['second', 1];
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(seconds / length);
}
