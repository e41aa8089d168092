// Builds the bars of a time range from hourly counts. An hour without logins is an empty bar. Long ranges have wider
// bars, which start at even divisions of the day in the reader's time zone.
import type { Client } from '@portcullis/client';

type Counts = Awaited<ReturnType<Client['countLoginLogs']>>['data'];
export type CountedHour = Counts['hours'][number];

export interface Bar {
  /** In milliseconds; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  readonly logins: number;
  readonly failures: number;
}

export interface Bars {
  readonly hoursPerBar: number;
  readonly bars: readonly Bar[];
}

const hour = 3_600_000;
const day = 24 * hour;
/** The number of hours per bar, by the length of the range. */
const widths = [
  { until: 4 * day, hours: 1 },
  { until: 10 * day, hours: 3 },
  { until: 20 * day, hours: 6 },
] as const;

export function buildBars({ from, to, hours }: Pick<Counts, 'from' | 'to' | 'hours'>): Bars {
  const start = Math.floor(Date.parse(from) / hour) * hour;
  const end = Math.ceil(Date.parse(to) / hour) * hour;
  const hoursPerBar = widths.find(({ until }) => end - start <= until)?.hours ?? 24;
  const sums = sumByHour(hours);
  const bars: Bar[] = [];
  let key: string | undefined;
  for (let at = start; at < end; at += hour) {
    const { logins = 0, failures = 0 } = sums.get(at) ?? {};
    const nextKey = keyOf(at, hoursPerBar);
    const last = nextKey === key ? bars.pop() : undefined;
    bars.push({
      from: last?.from ?? at,
      to: at + hour,
      logins: (last?.logins ?? 0) + logins,
      failures: (last?.failures ?? 0) + failures,
    });
    key = nextKey;
  }
  return { hoursPerBar, bars };
}

interface Sums {
  logins: number;
  failures: number;
}

/** Sign-outs are counted as successes; this leaves them out, because they are not logins. */
export function sumByHour(hours: readonly CountedHour[]): ReadonlyMap<number, Readonly<Sums>> {
  const sums = new Map<number, Sums>();
  for (const { hour: at, outcome, reason, count } of hours) {
    const sum = sums.get(Date.parse(at)) ?? { logins: 0, failures: 0 };
    if (outcome === 'failure') sum.failures += count;
    else if (reason === 'ok') sum.logins += count;
    sums.set(Date.parse(at), sum);
  }
  return sums;
}

/** Equal for hours that belong to the same bar. */
function keyOf(at: number, hoursPerBar: number): string {
  if (hoursPerBar === 1) return String(at);
  const date = new Date(at);
  return `${date.toDateString()} ${Math.floor(date.getHours() / hoursPerBar)}`;
}
