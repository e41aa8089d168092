// SQL of the retention of the audit log: deletes whole months from its beginning on. Writers append at its end, so they never
// wait for a deletion.
import { sql } from 'kysely';
import type { Store } from '../../cluster/store/store.ts';
import type { AuditCheckpoint } from './audit-chain.ts';

export interface StoredCheckpoint extends AuditCheckpoint {
  readonly signature: Buffer;
}

/** The audit log has other content than what was verified. */
export class AuditLogChanged extends Error {}

const lockMilliseconds = 500;

export async function readCheckpoint(store: Store): Promise<StoredCheckpoint | undefined> {
  return await store
    .selectFrom('audit_log_checkpoint')
    .select(['seq', 'swept_before as sweptBefore', 'digest', 'signature'])
    .executeTakeFirst();
}

interface Left {
  /** The beginning of the months that are kept. */
  readonly keptFrom: Date;
  /** Whether the first remaining record is older. */
  readonly isDue: boolean;
}

/**
 * Uses the clock of the database, but never goes further than the clock of this host: a clock that is ahead must not cost a month.
 */
export async function readLeft(store: Store, keptMonths: number, now: Date): Promise<Left> {
  const { rows } = await sql<Left>`
    with kept as (
      select (date_trunc('month', least(now(), ${now}::timestamptz) at time zone 'UTC')
        - make_interval(months => ${keptMonths}::int)) at time zone 'UTC' as kept_from
    )
    select kept_from as "keptFrom", coalesce((
        select coalesce(greatest(audit_log.at, place.at), '-infinity') < kept_from
        from audit_log_chain as place left join audit_log on audit_log.id = place.id
        where seq > coalesce((select seq from audit_log_checkpoint), 0) order by seq limit 1
      ), false) as "isDue"
    from kept`.execute(store);
  const [left] = rows;
  if (left === undefined) throw new Error('Postgres did not say what time it is.');
  return left;
}

/**
 * Counts the records before that time, by their own time: those after the checkpoint, and those that are back although they were
 * swept.
 */
export async function countBefore(store: Store, at: Date): Promise<{ behind: number; back: number }> {
  const { rows } = await sql<{ behind: number; back: number }>`
    select count(*) filter (where place.seq > swept.seq) as behind, count(*) filter (where place.seq <= swept.seq) as back
    from audit_log join audit_log_chain as place on place.id = audit_log.id,
      (select coalesce(max(seq), 0) as seq from audit_log_checkpoint) as swept
    where audit_log.at < ${at}`.execute(store);
  return rows[0] ?? { behind: 0, back: 0 };
}

/**
 * Deletes the records after position `from` up to the checkpoint and stores the checkpoint, in one transaction. Returns false when
 * another process has done so. Rejects with `AuditLogChanged` when not all of these records exist.
 */
export async function sweepRecords(
  store: Store,
  from: number,
  checkpoint: StoredCheckpoint,
): Promise<boolean> {
  return await store.transaction().execute(async (transaction) => {
    await sql`set local lock_timeout = ${sql.lit(lockMilliseconds)}`.execute(transaction);
    // One sweep at a time. Readers and writers of the log do not wait for this lock.
    await sql`lock table audit_log_checkpoint in share row exclusive mode`.execute(transaction);
    const swept = (await readCheckpoint(transaction))?.seq ?? 0;
    if (swept >= checkpoint.seq) return false;
    if (swept !== from) throw new AuditLogChanged();
    const { numAffectedRows } = await sql`
      delete from audit_log using audit_log_chain as place
      where place.id = audit_log.id and seq > ${from} and seq <= ${checkpoint.seq}`.execute(transaction);
    if (Number(numAffectedRows) !== checkpoint.seq - from) throw new AuditLogChanged();
    const { seq, sweptBefore, digest, signature } = checkpoint;
    await transaction.deleteFrom('audit_log_checkpoint').execute();
    await transaction
      .insertInto('audit_log_checkpoint')
      .values({ seq, swept_before: sweptBefore, digest, signature })
      .execute();
    return true;
  });
}

/** Stores the signature of another key; does nothing when the checkpoint is another one by now. */
export async function renewSignature(store: Store, { seq, signature }: StoredCheckpoint): Promise<void> {
  await store.updateTable('audit_log_checkpoint').set({ signature }).where('seq', '=', seq).execute();
}
