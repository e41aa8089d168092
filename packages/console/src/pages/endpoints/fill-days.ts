// Fills in the days without uses. Days are UTC days, as in the service's counts.
export interface DayUses {
  readonly day: string;
  readonly uses: number;
}

export const shownDays = 30;
const dayMilliseconds = 86_400_000;

/** Oldest first; the last is the day of `now`. */
export function fillDays(days: readonly DayUses[], now: number): DayUses[] {
  const known = new Map(days.map(({ day, uses }) => [day, uses]));
  return Array.from({ length: shownDays }, (_, place) => {
    const day = new Date(now - (shownDays - 1 - place) * dayMilliseconds).toISOString().slice(0, 10);
    return { day, uses: known.get(day) ?? 0 };
  });
}
