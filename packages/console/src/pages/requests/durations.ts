// The durations that can be requested and granted.
const hour = 3600;
const day = 24 * hour;

export const requestableDurations = [hour, 8 * hour, day, 3 * day, 7 * day] as const;
const approvableDurations = [hour, 8 * hour, 3 * day];

/** Up to the requested duration, with the requested one last. */
export function durationsUpTo(requested: number): number[] {
  return [...approvableDurations.filter((seconds) => seconds < requested), requested];
}

/** Undefined if the text is not a whole number of hours, or more than was requested. */
export function readHours(text: string, requested: number): number | undefined {
  const hours = /^\d{1,4}$/.test(text.trim()) ? Number(text) : 0;
  return hours > 0 && hours * hour <= requested ? hours * hour : undefined;
}
