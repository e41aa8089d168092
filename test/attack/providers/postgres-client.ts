// A separate connection that holds locks for as long as a test requires, and the list of connections that wait for them.
import pg from 'pg';
import { expect, onTestFinished } from 'vitest';

/** A busy machine takes long to come that far. */
export const patience = { timeout: 60_000 };

export async function openClient(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/**
 * Resolves when as many statements wait for a lock as there is work, or when one of the works has ended without that. For a
 * lock of this kind, where one is given: `transactionid` is that of a row.
 */
export async function untilWaiting(
  database: { query(text: string, values: readonly unknown[]): Promise<readonly unknown[]> },
  works: readonly Promise<unknown>[],
  lock = '%',
): Promise<void> {
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  for (const work of works) work.then(end, end);
  const isWaiting = async () => {
    const waiting = await database.query(
      `select from pg_stat_activity
       where wait_event_type = 'Lock' and wait_event like $1 and datname = current_database()`,
      [lock],
    );
    return waiting.length >= works.length;
  };
  await expect.poll(async () => hasEnded || (await isWaiting()), patience).toBe(true);
}
