// Runs a tampering and its verification in a transaction that is rolled back, so that nothing has to be undone.
import { sql } from 'kysely';
import type { Store, StoreTransaction } from '../../packages/server/src/cluster/store/store.ts';

class GivenUp extends Error {}

/** With every right, also past the triggers, and with texts as `verify` reads them. */
export async function givenUp<T>(
  store: Store,
  work: (transaction: StoreTransaction) => Promise<T>,
): Promise<T> {
  let result: { readonly value: T } | undefined;
  const running = store.transaction().execute(async (transaction) => {
    await sql`set local session_replication_role = replica`.execute(transaction);
    await sql`set local time zone 'UTC'`.execute(transaction);
    await sql`set local datestyle = 'ISO'`.execute(transaction);
    result = { value: await work(transaction) };
    throw new GivenUp();
  });
  await running.catch((error: unknown) => {
    if (!(error instanceof GivenUp)) throw error;
  });
  if (result === undefined) throw new Error('Nothing was done.');
  return result.value;
}
