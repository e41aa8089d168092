// SQL of the audit log's hash chain: the database appends to it; this file reads it, and stores its signed heads.
import { sql } from 'kysely';
import { readPages } from '../../cluster/store/read-pages.ts';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';
import { type AuditChainPosition, boundColumns, type RecordTexts } from './audit-chain.ts';
import type { ErasedPlace } from './erased-record.ts';

export interface AuditHead extends AuditChainPosition {
  readonly signature: Buffer;
}

/** A position of the chain with its record; null when the record no longer exists. */
export interface ChainedRecord extends ErasedPlace {
  readonly recordId: string;
  /** When the database appended the record, in seconds; null when that is unknown. */
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

/** The column as text, as the database hashes it. */
export function textOf(column: (typeof boundColumns)[number], table = 'audit_log') {
  const value = sql.ref(`${table}.${column}`);
  return column === 'at' ? sql`extract(epoch from ${value})::text` : sql`${value}::text`;
}

export function textsOf(values: readonly (string | null)[]): RecordTexts {
  return Object.fromEntries(boundColumns.map((column, n) => [column, values[n] ?? null])) as RecordTexts;
}

const mostStrays = 100;

/** Records without a position in the chain, up to a limit. */
export async function listStrayRecords(transaction: StoreTransaction): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from audit_log where not exists (select from audit_log_chain where audit_log_chain.id = audit_log.id)
    order by id limit ${mostStrays}`.execute(transaction);
  return rows.map(({ id }) => id);
}

/** The end of the chain as the database states it; undefined when that row is missing. */
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

/** An existing head for the position says the same, or `verify` reports it. */
export async function insertAuditHead(store: Store, { seq, hash, signature }: AuditHead): Promise<void> {
  await store
    .insertInto('audit_log_heads')
    .values({ seq, hash, signature })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Returns the number of deleted heads. */
export async function deleteAuditHeadsBefore(store: Store, seq: number): Promise<number> {
  const { numDeletedRows } = await store
    .deleteFrom('audit_log_heads')
    .where('seq', '<', seq)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
