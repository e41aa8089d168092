// SQL of sweeping the audit log: whole months go, from its beginning on. Writers only add at its end, so they wait for none
// of this.
import { sql } from 'kysely';
import type { Store } from '../../cluster/store/store.ts';
import type { AuditCheckpoint } from './audit-chain.ts';

export interface StoredCheckpoint extends AuditCheckpoint {
  readonly signature: Buffer;
}

/** The audit log holds something else than what was verified. */
export class AuditLogChanged extends Error {}

const lockMilliseconds = 500;

export async function readCheckpoint(store: Store): Promise<StoredCheckpoint | undefined> {
  return await store
    .selectFrom('audit_log_checkpoint')
    .select(['seq', 'swept_before as sweptBefore', 'digest', 'signature'])
    .executeTakeFirst();
}

interface Left {
  /** The first moment of the months to be kept. */
  readonly keptFrom: Date;
  /** Whether the first record that is left is older. */
  readonly isDue: boolean;
}

/**
 * By the clock of the database, and never further than by the one of this host: one of them that is ahead must not cost a
 * month.
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

/** Records of before that time, by what they say: those behind the checkpoint, and those that are back although they were swept. */
export async function countBefore(store: Store, at: Date): Promise<{ behind: number; back: number }> {
  const { rows } = await sql<{ behind: number; back: number }>`
    select count(*) filter (where place.seq > swept.seq) as behind, count(*) filter (where place.seq <= swept.seq) as back
    from audit_log join audit_log_chain as place on place.id = audit_log.id,
      (select coalesce(max(seq), 0) as seq from audit_log_checkpoint) as swept
    where audit_log.at < ${at}`.execute(store);
  return rows[0] ?? { behind: 0, back: 0 };
}

/**
 * Deletes the records behind place `from` and up to the checkpoint, and stores that, in one transaction. False where
 * somebody else has done so. Rejects with `AuditLogChanged` where these are not all there.
 */
export async function sweepRecords(
  store: Store,
  from: number,
  checkpoint: StoredCheckpoint,
): Promise<boolean> {
  return await store.transaction().execute(async (transaction) => {
    await sql`set local lock_timeout = ${sql.lit(lockMilliseconds)}`.execute(transaction);
    // One at a time. Whoever reads or writes the log does not wait for it.
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

/** Signed with another key; nothing where the checkpoint is another one by now. */
export async function renewSignature(store: Store, { seq, signature }: StoredCheckpoint): Promise<void> {
  await store.updateTable('audit_log_checkpoint').set({ signature }).where('seq', '=', seq).execute();
}
