// SQL of the audit log's chain: the database adds to it, here it is read, and its heads are kept.
import { sql } from 'kysely';
import { readPages } from '../../cluster/store/read-pages.ts';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';
import { type AuditChainPosition, boundColumns, type RecordTexts } from './audit-chain.ts';
import type { ErasedPlace } from './erased-record.ts';

export interface AuditHead extends AuditChainPosition {
  readonly signature: Buffer;
}

/** A place of the chain with the record that stands there; its texts are null where it is not there any more. */
export interface ChainedRecord extends ErasedPlace {
  readonly recordId: string;
  /** When the database bound it, in seconds; null where that is not known. */
  readonly boundAt: number | null;
  readonly record: RecordTexts | null;
}

/** In the order of the chain. */
export async function* readChain(transaction: StoreTransaction): AsyncGenerator<ChainedRecord[]> {
  const texts = sql.join(boundColumns.map((column) => textOf(column)));
  const pages = readPages<
    ErasedPlace & { recordId: string; boundAt: number | null; texts: (string | null)[] }
  >(
    transaction,
    'audit_chain',
    sql`select seq, hash, chained.id as "recordId", extract(epoch from chained.at)::float8 as "boundAt",
        chained.erasure, chained.seal, array[${texts}] as texts
      from audit_log_chain as chained left join audit_log on audit_log.id = chained.id order by seq`,
  );
  for await (const rows of pages)
    yield rows.map(({ texts: [...values], ...place }) => ({
      ...place,
      record: values[0] === null ? null : textsOf(values),
    }));
}

/** As the database binds it. */
export function textOf(column: (typeof boundColumns)[number], table = 'audit_log') {
  const value = sql.ref(`${table}.${column}`);
  return column === 'at' ? sql`extract(epoch from ${value})::text` : sql`${value}::text`;
}

export function textsOf(values: readonly (string | null)[]): RecordTexts {
  return Object.fromEntries(boundColumns.map((column, n) => [column, values[n] ?? null])) as RecordTexts;
}

const mostStrays = 100;

/** Records without a place in the chain; so many of them at most. */
export async function listStrayRecords(transaction: StoreTransaction): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from audit_log where not exists (select from audit_log_chain where audit_log_chain.id = audit_log.id)
    order by id limit ${mostStrays}`.execute(transaction);
  return rows.map(({ id }) => id);
}

/** Where the chain ends by its own account; undefined where that is gone. */
export async function readEnd(store: Store): Promise<AuditChainPosition | undefined> {
  return await store.selectFrom('audit_log_end').select(['seq', 'hash']).executeTakeFirst();
}

export async function findLink(store: Store, seq: number): Promise<AuditChainPosition | undefined> {
  return await store
    .selectFrom('audit_log_chain')
    .select(['seq', 'hash'])
    .where('seq', '=', seq)
    .executeTakeFirst();
}

/** Newest first. */
export async function listAuditHeads(store: Store, most: number): Promise<AuditHead[]> {
  return await store
    .selectFrom('audit_log_heads')
    .select(['seq', 'hash', 'signature'])
    .orderBy('seq', 'desc')
    .limit(most)
    .execute();
}

/** A head that is there already says the same, or `verify` names it. */
export async function insertAuditHead(store: Store, { seq, hash, signature }: AuditHead): Promise<void> {
  await store
    .insertInto('audit_log_heads')
    .values({ seq, hash, signature })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** How many were deleted. */
export async function deleteAuditHeadsBefore(store: Store, seq: number): Promise<number> {
  const { numDeletedRows } = await store
    .deleteFrom('audit_log_heads')
    .where('seq', '<', seq)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
