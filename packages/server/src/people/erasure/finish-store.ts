// SQL that finishes an erasure: erases all data outside the logs, in the transaction that marks the erasure as finished.
import { sql } from 'kysely';
import type { Store } from '../../cluster/store/store.ts';
import { hasRejectedRecord } from './erase-login-records.ts';
import { type Person, personalData } from './personal-data-store.ts';

/** False if new records arrived meanwhile: then the logs must be erased again. */
export async function finishErasure(store: Store, id: string, person: Person): Promise<boolean> {
  return await store.transaction().execute(async (transaction) => {
    // A transaction that stores a record of this person either waits for this lock, or is waited for here.
    await transaction.selectFrom('erasures').select('id').where('id', '=', id).forUpdate().execute();
    const { rows } = await sql`
      select from login_log where (user_id & 1023) = (${person.userId}::bigint & 1023) and user_id = ${person.userId}
        and erasure is null limit 1`.execute(transaction);
    if (rows.length > 0) return false;
    if (await hasRejectedRecord(transaction, { userId: person.userId, names: [] })) return false;
    let erased = 0;
    for (const part of personalData) erased += await part.erase(transaction, person);
    await sql`update erasures set finished_at = now(), other_rows = other_rows + ${erased} where id = ${id}`.execute(
      transaction,
    );
    return true;
  });
}
