// Relative time ranges that end now.
const hour = 3_600_000;

/** In hours. */
const lastHours = { '1h': 1, '24h': 24, '7d': 168, '30d': 720 } as const;
/** The ranges with a button; the other ranges occur in views and links. */
export const lastRanges = ['1h', '24h', '7d', '30d'] as const satisfies readonly (keyof typeof lastHours)[];
export const knownRanges = [...lastRanges, 'today', 'week'] as const;
export type LastRange = (typeof knownRanges)[number];

export function findRange(text: string | undefined): LastRange | undefined {
  return knownRanges.find((known) => known === text);
}

/** In milliseconds. A day starts at midnight in the reader's time zone, and a week starts on Monday. */
export function startOfRange(range: LastRange, now: number): number {
  if (range !== 'today' && range !== 'week') return now - lastHours[range] * hour;
  const start = new Date(now);
  start.setHours(0, 0, 0, 0);
  if (range === 'week') start.setDate(start.getDate() - ((start.getDay() + 6) % 7));
  return start.getTime();
}
