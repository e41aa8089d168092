// A table that takes no writes of one kind for a while, so that a test sees the answer to the caller.
import { sql } from 'kysely';
import type { Store } from '../src/cluster/store/store.ts';

export const refusal = 'no writes now';

/** As `update on mails`. */
export async function whileRefused<Result>(
  store: Store,
  writes: string,
  work: () => Promise<Result>,
): Promise<Result> {
  await sql`create function refuse_writes() returns trigger language plpgsql as $$
    begin raise exception '${sql.raw(refusal)}'; end $$`.execute(store);
  try {
    await sql`create trigger refuse_writes before ${sql.raw(writes)}
      for each row execute function refuse_writes()`.execute(store);
    return await work();
  } finally {
    await sql`drop function refuse_writes cascade`.execute(store);
  }
}
