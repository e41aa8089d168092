// For how long somebody asks, and what of it may be given.
const hour = 3600;
const day = 24 * hour;

export const askedDurations = [hour, 8 * hour, day, 3 * day, 7 * day] as const;
const givenDurations = [hour, 8 * hour, 3 * day];

/** Never longer than was asked, and that last. */
export function durationsUpTo(asked: number): number[] {
  return [...givenDurations.filter((seconds) => seconds < asked), asked];
}

/** Undefined where the text is no whole number of hours, or more than was asked. */
export function readHours(text: string, asked: number): number | undefined {
  const hours = /^\d{1,4}$/.test(text.trim()) ? Number(text) : 0;
  return hours > 0 && hours * hour <= asked ? hours * hour : undefined;
}
