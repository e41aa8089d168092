// The filter of the audit log as the address of the page has it. What the service would refuse is left out.

export interface AuditFilter {
  readonly action?: string;
  readonly actorId?: number;
  readonly target?: string;
  /** Moments in UTC, as the service takes them. */
  readonly from?: string;
  readonly to?: string;
}

type Query = Readonly<Record<string, unknown>>;

export function readFilter({ action, actorId, target, from, to }: Query): AuditFilter {
  return {
    ...(isText(action) && /^[a-z][a-z._-]{0,63}$/.test(action) ? { action } : {}),
    ...(isText(actorId) && /^(0|[1-9]\d{0,14})$/.test(actorId) ? { actorId: Number(actorId) } : {}),
    ...(isText(target) && target.length <= 128 && !target.includes('\0') ? { target } : {}),
    ...(isMoment(from) ? { from } : {}),
    ...(isMoment(to) ? { to } : {}),
  };
}

/** The value of a field for local time, like `2026-11-15T09:30`, as a moment in UTC; undefined for an empty one. */
export function momentOf(local: string): string | undefined {
  const at = new Date(local);
  return local === '' || Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** The other way: a moment as a field for local time shows it. */
export function localOf(moment: string | undefined): string {
  if (moment === undefined) return '';
  const at = new Date(moment);
  const two = (part: number) => `${part}`.padStart(2, '0');
  const year = `${at.getFullYear()}`.padStart(4, '0');
  return `${year}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isMoment(value: unknown): value is string {
  return isText(value) && /^\d{4}-\d\d-\d\dT.*Z$/.test(value) && !Number.isNaN(Date.parse(value));
}
