// The figures of a day out of the counted hours.
import { type CountedHour, sumByHour } from '../../chart/build-bars.ts';

export interface LoginFigures {
  /** Since the reader's own midnight. */
  readonly loginsToday: number;
  /** In the hour that runs and the 23 before it. */
  readonly failuresOfDay: number;
  readonly failuresOfDayBefore: number;
}

const hour = 3_600_000;

/** From where on hours are needed. */
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
