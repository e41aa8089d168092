// The chain of the audit log, as the database makes it (0014-audit-chain.sql): computed once more by a program that
// nobody with rights in the database can change. The key is not there either, so its heads are signed here.
import { createHash, createHmac } from 'node:crypto';

/** A place in the chain: the number of a record, and its hash. Number 0 is the beginning. */
export interface AuditChainPosition {
  readonly seq: number;
  readonly hash: Buffer;
}

/** The columns of a record in the order in which they are bound, each as a text; the time in seconds. */
export const boundColumns = [
  'id',
  'at',
  'actor_id',
  'actor_name',
  'actor_role',
  'action',
  'target',
  'before',
  'after',
  'request_id',
  'ip',
] as const;

export type RecordTexts = Readonly<Record<(typeof boundColumns)[number], string | null>>;

export function firstAuditPosition(deployment: string): AuditChainPosition {
  return { seq: 0, hash: createHash('sha256').update(`portcullis audit log 1 ${deployment}`).digest() };
}

/** The hash of the record that follows on `previous`. */
export function auditHashOf(previous: AuditChainPosition, record: RecordTexts): Buffer {
  const values = [String(previous.seq + 1), ...boundColumns.map((column) => record[column])];
  return createHash('sha256').update(previous.hash).update(values.map(boundText).join(',')).digest();
}

function boundText(value: string | null): string {
  return value === null ? '-' : `${Buffer.byteLength(value)}:${value}`;
}

export function signAuditLink(key: Buffer, deployment: string, { seq, hash }: AuditChainPosition): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify(['portcullis audit log head 1', deployment, seq, hash.toString('hex')]))
    .digest();
}

/** The records up to here were swept; their places stay. */
export interface AuditCheckpoint {
  readonly seq: number;
  /** The first moment that was kept. */
  readonly sweptBefore: Date;
  /** Of the hashes of all places up to here. */
  readonly digest: Buffer;
}

export function signAuditCheckpoint(
  key: Buffer,
  deployment: string,
  { seq, sweptBefore, digest }: AuditCheckpoint,
): Buffer {
  const values = [deployment, seq, sweptBefore.toISOString(), digest.toString('hex')];
  return createHmac('sha256', key)
    .update(JSON.stringify(['portcullis audit log checkpoint 1', ...values]))
    .digest();
}
