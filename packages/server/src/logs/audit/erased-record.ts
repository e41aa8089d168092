// Erased records of the audit log: the hash stays in the chain as the commitment to the erased content, and a seal (HMAC) attests
// what is left. The code that adds a seal has verified the record before.
import { createHmac } from 'node:crypto';
import { type AuditChainPosition, boundColumns, type RecordTexts } from './audit-chain.ts';

export interface ErasedPlace extends AuditChainPosition {
  readonly erasure: string | null;
  readonly seal: Buffer | null;
}

/** The seal of an erased record: binds its position, its hash, its erasure and all that is left of it. */
export function auditAttestationOf(
  key: Buffer,
  deployment: string,
  previous: AuditChainPosition,
  { hash, erasure }: Pick<ErasedPlace, 'hash' | 'erasure'>,
  left: RecordTexts,
): Buffer {
  const place = [deployment, previous.seq + 1, previous.hash.toString('hex'), hash.toString('hex')];
  const texts = boundColumns.map((column) => left[column]);
  return createHmac('sha256', key)
    .update(JSON.stringify(['portcullis audit log erasure 1', erasure, ...place, ...texts]))
    .digest();
}

/** Whether the record claims to be erased: then its seal must fit. */
export function isMarkedErased({ erasure, seal }: Pick<ErasedPlace, 'erasure' | 'seal'>): boolean {
  return erasure !== null || seal !== null;
}
