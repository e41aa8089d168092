// Two logs in one line of time. Ids begin with the time, so their order is the order of both.
import type { Activity, AuditItem, LoginLogItem } from '@portcullis/contract';

interface Logs {
  /** Newest first, as `changes`. */
  readonly logins: readonly LoginLogItem[];
  /** The id down to which all logins are there; undefined where there are no more. */
  readonly loginsEnd: string | undefined;
  /** One more than the limit, where there are so many. */
  readonly changes: readonly AuditItem[];
  readonly limit: number;
}

interface Merged {
  readonly items: Activity[];
  /** The id from which on the next page goes on; undefined where this is the last. */
  readonly next: string | undefined;
}

export function mergeLogs({ logins, loginsEnd, changes, limit }: Logs): Merged {
  const all: Activity[] = [
    ...logins.map((login) => ({ id: login.id, at: login.at, login, change: null })),
    ...changes.map((change) => ({ id: change.id, at: change.at, login: null, change })),
  ].sort((one, other) => (one.id < other.id ? 1 : -1));
  // Below their end, logins may be missing: changes from there on wait for the next page.
  const known = loginsEnd === undefined ? all : all.filter(({ id }) => id >= loginsEnd);
  const items = known.slice(0, limit);
  if (known.length > limit) return { items, next: items.at(-1)?.id };
  return { items, next: loginsEnd };
}
