// The time range of the chart: the range of the filter, limited to what the service counts.
import { findRange, startOfRange } from '../../logs/last-range.ts';
import type { LogFilter } from './log-filter.ts';

export interface ChartRange {
  readonly from: string;
  readonly to: string;
  /** The filter reaches further back than the chart. */
  readonly isCut: boolean;
}

const day = 86_400_000;
/** The service counts 92 days; rounding to whole hours must stay below this. */
const longest = 91 * day;
const unlessGiven = 30 * day;

export function chartRange({ last, from, to }: LogFilter, now: number): ChartRange {
  const end = to === undefined ? now : Date.parse(to);
  const given = from === undefined ? undefined : Math.min(Date.parse(from), end);
  const range = findRange(last);
  const wanted = range === undefined ? given : startOfRange(range, now);
  const start = Math.max(wanted ?? end - unlessGiven, end - longest);
  return {
    from: new Date(start).toISOString(),
    to: new Date(end).toISOString(),
    isCut: wanted === undefined || wanted < start,
  };
}
