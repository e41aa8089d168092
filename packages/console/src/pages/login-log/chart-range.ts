// The time that the chart shows: that of the filter, as far as the service counts.
import { type LogFilter, lastMilliseconds } from './log-filter.ts';

export interface ChartRange {
  readonly from: string;
  readonly to: string;
  /** The filter reaches further back than the chart. */
  readonly isCut: boolean;
}

const day = 86_400_000;
/** The service counts 92 days; rounding to whole hours must not exceed them. */
const longest = 91 * day;
const unlessGiven = 30 * day;

export function chartRange({ last, from, to }: LogFilter, now: number): ChartRange {
  const end = to === undefined ? now : Date.parse(to);
  const given = from === undefined ? undefined : Math.min(Date.parse(from), end);
  const wanted = last === undefined ? given : end - lastMilliseconds(last);
  const start = Math.max(wanted ?? end - unlessGiven, end - longest);
  return {
    from: new Date(start).toISOString(),
    to: new Date(end).toISOString(),
    isCut: wanted === undefined || wanted < start,
  };
}
