// Erases a person's data in the audit log, batch by batch. Each record is first verified against its position in the hash chain. A
// record that does not match is erased too, but gets no attestation (column `seal`), so `log verify` still reports it as changed.

import type { Store } from '../../cluster/store/store.ts';
import { type AuditChainPosition, auditHashOf, firstAuditPosition } from '../../logs/audit/audit-chain.ts';
import { auditAttestationOf, isMarkedErased } from '../../logs/audit/erased-record.ts';
import { eraseAuditRecords, listRecordsOf, type PersonRecord, previousOf } from './audit-erasure-store.ts';

interface AuditErasure {
  /** The first key makes the attestations. */
  readonly keys: readonly [Buffer, ...Buffer[]];
  readonly deployment: string;
  readonly erasure: string;
  readonly userId: number;
}

const batchSize = 200;

/** Yields the number of erased records after every batch. */
export async function* eraseAuditLog(store: Store, wanted: AuditErasure): AsyncGenerator<number> {
  for (;;) {
    const records = await listRecordsOf(store, wanted.userId, batchSize);
    if (records.length === 0) return;
    const sealed = records.map((record) => ({ id: record.id, seal: attest(wanted, record) }));
    const erased = await eraseAuditRecords(store, wanted.userId, sealed);
    // Another instance has finished the erasure.
    if (erased === 0) return;
    yield erased;
  }
}

function attest({ keys, deployment, erasure }: AuditErasure, found: PersonRecord): Buffer | null {
  const { hash, left } = found;
  const previous = previousOf(found, firstAuditPosition(deployment));
  if (hash === null || previous === undefined || !isAsWritten(keys, deployment, previous, { ...found, hash }))
    return null;
  return auditAttestationOf(keys[0], deployment, previous, { hash, erasure }, left);
}

/** Verified by its hash, or by its attestation if it was already erased for another person. */
function isAsWritten(
  keys: readonly Buffer[],
  deployment: string,
  previous: AuditChainPosition,
  { hash, erasure, seal, record }: PersonRecord & { readonly hash: Buffer },
): boolean {
  if (!isMarkedErased({ erasure, seal })) return auditHashOf(previous, record).equals(hash);
  const attestationBy = (key: Buffer) =>
    auditAttestationOf(key, deployment, previous, { hash, erasure }, record);
  return seal !== null && keys.some((key) => attestationBy(key).equals(seal));
}
