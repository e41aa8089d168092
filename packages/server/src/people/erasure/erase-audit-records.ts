// Erases what names a person in the audit log, batch by batch. A record is held against its place in the chain first; one
// that does not fit is erased too, but gets no seal.

import type { Store } from '../../cluster/store/store.ts';
import { type AuditChainPosition, auditHashOf, firstAuditPosition } from '../../logs/audit/audit-chain.ts';
import { auditAttestationOf, isSaidErased } from '../../logs/audit/erased-record.ts';
import { eraseAuditRecords, listRecordsOf, type PersonRecord, previousOf } from './audit-erasure-store.ts';

interface AuditErasure {
  /** The first one seals. */
  readonly keys: readonly [Buffer, ...Buffer[]];
  readonly deployment: string;
  readonly erasure: string;
  readonly userId: number;
}

const batchSize = 200;

/** Yields after every batch. */
export async function* eraseAuditLog(store: Store, wanted: AuditErasure): AsyncGenerator<number> {
  for (;;) {
    const records = await listRecordsOf(store, wanted.userId, batchSize);
    if (records.length === 0) return;
    const sealed = records.map((record) => ({ id: record.id, seal: sealRecord(wanted, record) }));
    const erased = await eraseAuditRecords(store, wanted.userId, sealed);
    // Somebody else finished it.
    if (erased === 0) return;
    yield erased;
  }
}

function sealRecord({ keys, deployment, erasure }: AuditErasure, found: PersonRecord): Buffer | null {
  const { hash, left } = found;
  const previous = previousOf(found, firstAuditPosition(deployment));
  if (hash === null || previous === undefined || !isAsWritten(keys, deployment, previous, { ...found, hash }))
    return null;
  return auditAttestationOf(keys[0], deployment, previous, { hash, erasure }, left);
}

/** By its hash; or where it was erased for somebody else before, by its seal. */
function isAsWritten(
  keys: readonly Buffer[],
  deployment: string,
  previous: AuditChainPosition,
  { hash, erasure, seal, record }: PersonRecord & { readonly hash: Buffer },
): boolean {
  if (!isSaidErased({ erasure, seal })) return auditHashOf(previous, record).equals(hash);
  const sealBy = (key: Buffer) => auditAttestationOf(key, deployment, previous, { hash, erasure }, record);
  return seal !== null && keys.some((key) => sealBy(key).equals(seal));
}
