// Sums the hourly counts of a day.
import { type CountedHour, sumByHour } from '../../chart/build-bars.ts';

export interface LoginFigures {
  /** Since midnight in the reader's time zone. */
  readonly loginsToday: number;
  /** In the current hour and the 23 before it. */
  readonly failuresOfDay: number;
  readonly failuresOfDayBefore: number;
}

const hour = 3_600_000;

/** The start of the required hours. */
export function figuresFrom(now: number): string {
  return new Date(Math.floor(now / hour) * hour - 47 * hour).toISOString();
}

export function sumLogins(hours: readonly CountedHour[], now: number): LoginFigures {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const newest = Math.floor(now / hour) * hour;
  const figures = { loginsToday: 0, failuresOfDay: 0, failuresOfDayBefore: 0 };
  for (const [at, { logins, failures }] of sumByHour(hours)) {
    if (at >= midnight) figures.loginsToday += logins;
    const age = Math.round((newest - at) / hour);
    if (age < 24) figures.failuresOfDay += failures;
    else if (age < 48) figures.failuresOfDayBefore += failures;
  }
  return figures;
}
