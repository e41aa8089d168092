// SQL that erases a person's data in the audit log: the records of changes that the person made, and the records about the person.
import { sql } from 'kysely';
import type { Store } from '../../cluster/store/store.ts';
import { type AuditChainPosition, boundColumns, type RecordTexts } from '../../logs/audit/audit-chain.ts';
import { textOf, textsOf } from '../../logs/audit/chain-store.ts';
import type { Sealed } from './login-erasure-store.ts';

export interface PersonRecord {
  readonly id: string;
  /** Null if the record is not in the chain; the hashes are null then too. */
  readonly seq: number | null;
  readonly hash: Buffer | null;
  /** The earlier erasure of another person whom the record also names; null if there was none. */
  readonly erasure: string | null;
  readonly seal: Buffer | null;
  /** The hash of the previous record; also null for the first record of the chain. */
  readonly previousHash: Buffer | null;
  readonly record: RecordTexts;
  /** What remains of the record after the erasure. */
  readonly left: RecordTexts;
}

interface Row extends Omit<PersonRecord, 'record' | 'left'> {
  readonly texts: (string | null)[];
  readonly texts_left: (string | null)[];
}

/** Up to `most` records of the person that are not erased yet. */
export async function listRecordsOf(store: Store, userId: number, most: number): Promise<PersonRecord[]> {
  const isOpen = sql`request_id <> '[erased]'`;
  const isReadable = sql`action <> 'user.erase' and (${isOpen} or before is distinct from without_texts(before)
    or after is distinct from without_texts(after))`;
  const texts = (table: string) => sql.join(boundColumns.map((column) => textOf(column, table)));
  const { rows } = await sql<Row>`
    with ids as (
      (select id from audit_log where actor_id = ${userId} and (${isOpen} or actor_name <> '[erased]') order by id limit ${most})
      union
      (select id from audit_log where target = ${`user ${userId}`} and ${isReadable} order by id limit ${most})
      union
      (select id from audit_log where (before ->> 'userId') = ${String(userId)} and action = 'session.end' and ${isReadable}
       order by id limit ${most})
    )
    select found.id, place.seq, place.hash, place.erasure, place.seal, previous.hash as "previousHash",
      array[${texts('found')}] as texts, array[${texts('kept')}] as texts_left
    from audit_log as found cross join lateral erased_audit_record(found, ${userId}) as kept
    left join audit_log_chain as place on place.id = found.id
    left join audit_log_chain as previous on previous.seq = place.seq - 1
    where found.id in (select id from ids order by id limit ${most}) order by found.id`.execute(store);
  return rows.map(({ texts, texts_left, ...row }) => ({
    ...row,
    record: textsOf(texts),
    left: textsOf(texts_left),
  }));
}

export function previousOf(
  { seq, previousHash }: PersonRecord,
  first: AuditChainPosition,
): AuditChainPosition | undefined {
  if (seq === 1) return first;
  return seq === null || previousHash === null ? undefined : { seq: seq - 1, hash: previousHash };
}

/** Returns how many records were erased. */
export async function eraseAuditRecords(
  store: Store,
  userId: number,
  sealed: readonly Sealed[],
): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select erase_audit_records(${userId}, ${sealed.map(({ id }) => id)}::uuid[],
      ${sealed.map(({ seal }) => seal)}::bytea[]) as n`.execute(store);
  return rows[0]?.n ?? 0;
}

interface StoredSeal {
  readonly seq: number;
  readonly hash: Buffer;
  readonly previousHash: Buffer | null;
  readonly erasure: string;
  readonly seal: Buffer;
  readonly texts: (string | null)[];
}

/** Up to `most` erased records after this position of the chain, each with its attestation (column `seal`). */
export async function listSeals(store: Store, after: number, most: number) {
  const { rows } = await sql<StoredSeal>`
    select place.seq, place.hash, previous.hash as "previousHash", place.erasure, place.seal,
      array[${sql.join(boundColumns.map((column) => textOf(column)))}] as texts
    from audit_log_chain as place join audit_log on audit_log.id = place.id
    left join audit_log_chain as previous on previous.seq = place.seq - 1
    where place.seq > ${after} and place.seal is not null and place.erasure is not null
    order by place.seq limit ${most}`.execute(store);
  return rows.map(({ texts, ...row }) => ({ ...row, record: textsOf(texts) }));
}

export async function replaceSeal(store: Store, seq: number, seal: Buffer): Promise<void> {
  await store.updateTable('audit_log_chain').set({ seal }).where('seq', '=', seq).execute();
}
