// Parses the filter of the audit log from the address. It leaves out values that the service would refuse.
import { findRange, type LastRange, startOfRange } from '../../logs/last-range.ts';

export interface AuditFilter {
  readonly action?: string;
  readonly actorId?: number;
  readonly target?: string;
  /** A range that ends now; it replaces the two times. */
  readonly last?: LastRange;
  /** UTC times, in the format of the service. */
  readonly from?: string;
  readonly to?: string;
}

type Query = Readonly<Record<string, unknown>>;

export function readFilter({ action, actorId, target, last, from, to }: Query): AuditFilter {
  const range = isText(last) ? findRange(last) : undefined;
  const isEmpty = isMoment(from) && isMoment(to) && Date.parse(from) >= Date.parse(to);
  return {
    ...(isText(action) && /^[a-z][a-z._-]{0,63}$/.test(action) ? { action } : {}),
    ...(isText(actorId) && /^(0|[1-9]\d{0,14})$/.test(actorId) ? { actorId: Number(actorId) } : {}),
    ...(isText(target) && target.length <= 128 && !target.includes('\0') ? { target } : {}),
    ...(range === undefined ? {} : { last: range }),
    ...(isMoment(from) && range === undefined ? { from } : {}),
    ...(isMoment(to) && range === undefined && !isEmpty ? { to } : {}),
  };
}

/** The filter as URL query parameters. */
export function writeFilter(filter: AuditFilter): Record<string, string> {
  return Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, String(value)]));
}

/** The filter as parameters of the service. */
export function toQuery({ last, ...filter }: AuditFilter, now: number): Omit<AuditFilter, 'last'> {
  return last === undefined ? filter : { ...filter, from: new Date(startOfRange(last, now)).toISOString() };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isMoment(value: unknown): value is string {
  return isText(value) && /^\d{4}-\d\d-\d\dT.*Z$/.test(value) && !Number.isNaN(Date.parse(value));
}
