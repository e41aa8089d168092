// Formats a time relative to now.

const steps = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** @example formatSince('en-GB', Date.now() - 180_000, Date.now()); // '3 min ago' */
export function formatSince(locale: string, at: number, now: number): string {
  const seconds = Math.max(0, (now - at) / 1000);
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' });
  const step = steps.find(([, length]) => seconds >= length);
  return step === undefined
    ? format.format(0, 'second')
    : format.format(-Math.floor(seconds / step[1]), step[0]);
}
