// The filter of the audit log as the address of the page has it. What the service would refuse is left out.
import { findRange, type LastRange, startOfRange } from '../../logs/last-range.ts';

export interface AuditFilter {
  readonly action?: string;
  readonly actorId?: number;
  readonly target?: string;
  /** A time that ends now; it takes the place of the moments. */
  readonly last?: LastRange;
  /** Moments in UTC, as the service takes them. */
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

/** The filter as the address has it. */
export function writeFilter(filter: AuditFilter): Record<string, string> {
  return Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, String(value)]));
}

/** The filter as the service takes it. */
export function toQuery({ last, ...filter }: AuditFilter, now: number): Omit<AuditFilter, 'last'> {
  return last === undefined ? filter : { ...filter, from: new Date(startOfRange(last, now)).toISOString() };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isMoment(value: unknown): value is string {
  return isText(value) && /^\d{4}-\d\d-\d\dT.*Z$/.test(value) && !Number.isNaN(Date.parse(value));
}
