// A record of the audit log that was erased: its hash stays in the chain, as the commitment to what went, and a seal
// vouches for what is left. Whoever adds a seal has verified the record before.
import { createHmac } from 'node:crypto';
import { type AuditChainPosition, boundColumns, type RecordTexts } from './audit-chain.ts';

export interface ErasedPlace extends AuditChainPosition {
  readonly erasure: string | null;
  readonly seal: Buffer | null;
}

/** Binds an erased record to its place, its hash and its erasure, with all that is left of it. */
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

/** Whether somebody says that it was erased: then its seal must fit. */
export function isSaidErased({ erasure, seal }: Pick<ErasedPlace, 'erasure' | 'seal'>): boolean {
  return erasure !== null || seal !== null;
}
