// Whether a connection is a session of its own. A pooler in transaction or statement mode gives every statement another
// one: then nobody hears the doorbell, and a statement that was planned is unknown to the next session.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { openStore, type Store } from './store.ts';

interface SessionsOptions {
  readonly url: string;
  /** Rings; the listener has a connection of its own. */
  readonly store: Store;
  /** How often it is rung, in vain, before the answer is no. */
  readonly rings?: number;
}

const ringMilliseconds = 500;

/** What is wrong with the way to Postgres, with what to do; empty where nothing is. */
export async function lintSessions({ url, store, rings = 10 }: SessionsOptions): Promise<string[]> {
  const channel = `portcullis_${randomUUID().replaceAll('-', '_')}`;
  const hearing = new AbortController();
  const listener = openStore({
    url,
    poolSize: 1,
    // Fails the statement that runs on it too; where it breaks later, nothing is heard.
    onConnectionLost: () => {},
    listen: { channel, onNotification: () => hearing.abort() },
  });
  try {
    await sql`select 1`.execute(listener);
    for (let ring = 0; ring < rings && !hearing.signal.aborted; ring += 1) {
      await sql`select pg_notify(${channel}, '')`.execute(store);
      await sleep(ringMilliseconds, undefined, { signal: hearing.signal }).catch(() => {});
    }
  } finally {
    await listener.destroy();
  }
  return hearing.signal.aborted
    ? []
    : [
        '`database.url` leads to a pooler that shares sessions between clients, so that no instance hears of a change. Set `pool_mode = session` in PgBouncer, or connect to Postgres itself.',
      ];
}
