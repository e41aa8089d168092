// Hash chain of the audit log: repeats the computation of the database (0014-audit-chain.sql). Rights in the database change
// neither this program nor its key, so the heads are signed here.
import { createHash, createHmac } from 'node:crypto';

/** A position in the chain: the number of a record, and its hash. Number 0 is the beginning. */
export interface AuditChainPosition {
  readonly seq: number;
  readonly hash: Buffer;
}

/** The columns of a record in the order of the hash, each as text; the time in seconds. */
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

/** The hash of the record after `previous`. */
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

/** The records up to this position were swept; their positions in the chain stay. */
export interface AuditCheckpoint {
  readonly seq: number;
  /** The earliest time that was kept. */
  readonly sweptBefore: Date;
  /** Digest of the hashes of all positions up to this one. */
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
