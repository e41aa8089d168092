// Merges the login log and the audit log into one page, newest first. The ids of both logs are UUIDs that begin with the time, so
// the order of the ids is the order in time.
import type { Activity, AuditItem, LoginLogItem } from '@portcullis/contract';

interface Logs {
  /** Newest first; `changes` too. */
  readonly logins: readonly LoginLogItem[];
  /** All logins from this id upwards are in `logins`. Undefined if no older logins exist. */
  readonly loginsEnd: string | undefined;
  /** Up to `limit` + 1 records. */
  readonly changes: readonly AuditItem[];
  readonly limit: number;
}

interface Merged {
  readonly items: Activity[];
  /** The next page continues below this id. Undefined on the last page. */
  readonly next: string | undefined;
}

export function mergeLogs({ logins, loginsEnd, changes, limit }: Logs): Merged {
  const all: Activity[] = [
    ...logins.map((login) => ({ id: login.id, at: login.at, login, change: null })),
    ...changes.map((change) => ({ id: change.id, at: change.at, login: null, change })),
  ].sort((one, other) => (one.id < other.id ? 1 : -1));
  // Logins below `loginsEnd` are not read yet, so changes below it wait for the next page.
  const known = loginsEnd === undefined ? all : all.filter(({ id }) => id >= loginsEnd);
  const items = known.slice(0, limit);
  if (known.length > limit) return { items, next: items.at(-1)?.id };
  return { items, next: loginsEnd };
}
