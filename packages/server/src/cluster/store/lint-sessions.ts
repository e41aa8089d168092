// Pooler check: whether a connection is a database session. A pooler in transaction or statement mode gives each statement another
// session. Notifications (LISTEN) are then lost, and the next session does not know a prepared statement.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { openStore, type Store } from './store.ts';

interface SessionsOptions {
  readonly url: string;
  /** Sends the notifications; the listener has a separate connection. */
  readonly store: Store;
  /** The number of notifications to send before the check fails. */
  readonly notifications?: number;
}

const notificationMilliseconds = 500;

/** Each problem of the connection with its remedy; empty when there is none. */
export async function lintSessions({ url, store, notifications = 10 }: SessionsOptions): Promise<string[]> {
  const channel = `portcullis_${randomUUID().replaceAll('-', '_')}`;
  const hearing = new AbortController();
  const listener = openStore({
    url,
    poolSize: 1,
    // A failed connection also fails the first statement; a connection that breaks later receives nothing.
    onConnectionLost: () => {},
    listen: { channel, onNotification: () => hearing.abort() },
  });
  try {
    await sql`select 1`.execute(listener);
    for (let sent = 0; sent < notifications && !hearing.signal.aborted; sent += 1) {
      await sql`select pg_notify(${channel}, '')`.execute(store);
      await sleep(notificationMilliseconds, undefined, { signal: hearing.signal }).catch(() => {});
    }
  } finally {
    await listener.destroy();
  }
  return hearing.signal.aborted
    ? []
    : [
        '`database.url` connects to a pooler that shares sessions between clients, so instances receive no notifications of changes. Set `pool_mode = session` in PgBouncer, or connect directly to Postgres.',
      ];
}
