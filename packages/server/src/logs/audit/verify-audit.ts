// Verifies the audit log: walks its hash chain from the beginning and names each record that was changed, removed or added. A
// chain that was recomputed from some record on is consistent, but it contradicts what was signed before. Where records were
// swept, a signed checkpoint says so, and their positions are still compared with what was signed before.
import { createHash } from 'node:crypto';
import type { StoreTransaction } from '../../cluster/store/store.ts';
import {
  type AuditChainPosition,
  auditHashOf,
  firstAuditPosition,
  type RecordTexts,
  signAuditCheckpoint,
  signAuditLink,
} from './audit-chain.ts';
import {
  type AuditHead,
  type ChainedRecord,
  listAuditHeads,
  listStrayRecords,
  readChain,
  readEnd,
} from './chain-store.ts';
import { auditAttestationOf, isMarkedErased } from './erased-record.ts';
import { readCheckpoint, type StoredCheckpoint } from './sweep-store.ts';

export const auditFaults = {
  changed: 'was changed, or the one before it with its hash',
  removed: 'was removed',
  added: 'does not belong there',
  rewritten: 'is not the one that was signed: it, or one before it, was changed, removed or added',
  end_changed: 'is not where the log ends by its own account',
  head_changed: 'has a head that was changed, or that neither master key signed',
  head_removed: 'had a head that was removed',
  checkpoint_changed: 'has a checkpoint that was changed, or that neither master key signed',
  swept_changed: 'has a checkpoint, and a place up to it was changed since',
} as const;

export interface AuditProblem {
  readonly seq: number | null;
  /** The id of the record, if there is one. */
  readonly id: string | null;
  readonly what: keyof typeof auditFaults;
}

export interface AuditFindings {
  /** Records that exist. */
  readonly records: number;
  /** Records that were swept. */
  readonly swept: number;
  /** The earliest time that was kept; null when nothing was swept. */
  readonly sweptBefore: string | null;
  /** Existing records that were erased with a person. */
  readonly erased: number;
  /** The newest position with a signed head in the database. */
  readonly signedUpTo: number;
  readonly problems: readonly AuditProblem[];
}

interface AuditVerifyOptions {
  readonly keys: readonly Buffer[];
  readonly deployment: string;
  /** Signed positions that were kept outside the database. */
  readonly kept: readonly AuditChainPosition[];
  readonly onProgress?: ((records: number) => void) | undefined;
  /** Called with each position before the walk takes it. */
  readonly onPlace?: (chained: ChainedRecord, walk: AuditWalk) => void;
}

/** Maintenance deletes all heads but the newest. */
const mostHeads = 1_000_000;

export async function verifyAuditLog(
  transaction: StoreTransaction,
  { keys, deployment, kept, onProgress, onPlace }: AuditVerifyOptions,
): Promise<AuditFindings> {
  const heads = await listAuditHeads(transaction, mostHeads);
  const isSigned = (head: AuditHead) =>
    keys.some((key) => signAuditLink(key, deployment, head).equals(head.signature));
  const signed = heads.filter(isSigned);
  const checkpoint = await readCheckpoint(transaction);
  const isSwept = checkpoint !== undefined && isSignedCheckpoint(keys, deployment, checkpoint);
  const walk = createAuditWalk(
    { keys, deployment },
    [...signed, ...kept],
    checkpoint && { ...checkpoint, isSwept },
  );
  let places = 0;
  let erased = 0;
  for await (const page of readChain(transaction)) {
    for (const chained of page) {
      onPlace?.(chained, walk);
      walk.take(chained);
      if (chained.record !== null && isMarkedErased(chained)) erased += 1;
    }
    places += page.length;
    onProgress?.(places);
  }
  const newest = furthestOf(signed);
  const missing = furthestOf(kept) > newest;
  const problems: AuditProblem[] = [
    ...walk.finish(await readEnd(transaction)),
    ...(await listStrayRecords(transaction)).map((id) => ({ seq: null, id, what: 'added' as const })),
    ...heads
      .filter((head) => !isSigned(head))
      .map(({ seq }) => ({ seq, id: null, what: 'head_changed' as const })),
    ...(missing ? [{ seq: newest + 1, id: null, what: 'head_removed' as const }] : []),
    ...(checkpoint !== undefined && !isSwept
      ? [{ seq: checkpoint.seq, id: null, what: 'checkpoint_changed' as const }]
      : []),
  ];
  const swept = isSwept ? Math.min(checkpoint.seq, places) : 0;
  const sweptBefore = isSwept ? checkpoint.sweptBefore.toISOString() : null;
  return { records: places - swept, swept, sweptBefore, erased, problems, signedUpTo: newest };
}

export function isSignedCheckpoint(
  keys: readonly Buffer[],
  deployment: string,
  checkpoint: StoredCheckpoint,
): boolean {
  return keys.some((key) => signAuditCheckpoint(key, deployment, checkpoint).equals(checkpoint.signature));
}

/** Without `Math.max(...)`: there can be more positions than a call takes arguments. */
function furthestOf(links: readonly AuditChainPosition[]): number {
  return links.reduce((furthest, { seq }) => Math.max(furthest, seq), 0);
}

export interface AuditWalk {
  /** Digest of the hashes of all positions that were taken. */
  digest(): Buffer;
  /** In the order of the chain. */
  take(chained: ChainedRecord): void;
  finish(end: AuditChainPosition | undefined): AuditProblem[];
}

interface WalkedCheckpoint extends Pick<StoredCheckpoint, 'seq' | 'digest'> {
  /** Whether one of the keys signed it. Otherwise the reason for a missing record up to it is unknown. */
  readonly isSwept: boolean;
}

export function createAuditWalk(
  { keys, deployment }: Pick<AuditVerifyOptions, 'keys' | 'deployment'>,
  signed: readonly AuditChainPosition[],
  checkpoint: WalkedCheckpoint | undefined,
): AuditWalk {
  const problems: AuditProblem[] = [];
  const signedAt = Map.groupBy(signed, ({ seq }) => seq);
  const furthest = Math.max(furthestOf(signed), checkpoint?.seq ?? 0);
  const hashes = createHash('sha256');
  let place = firstAuditPosition(deployment);
  let isRewritten = false;

  function isSealed({ hash, erasure, seal }: ChainedRecord, record: RecordTexts): boolean {
    const isSealOf = (key: Buffer) =>
      seal?.equals(auditAttestationOf(key, deployment, place, { hash, erasure }, record)) === true;
    return keys.some(isSealOf);
  }

  function flawOf(chained: ChainedRecord): AuditProblem['what'] | undefined {
    const { seq, hash, record } = chained;
    const isBeforeCheckpoint = checkpoint !== undefined && seq <= checkpoint.seq;
    // One problem reports an unsigned checkpoint, instead of one for each record that it claims.
    if (record === null) return isBeforeCheckpoint ? undefined : 'removed';
    if (isBeforeCheckpoint && checkpoint.isSwept) return 'added';
    // After a gap, it is unknown what this record was bound to.
    if (seq !== place.seq + 1) return undefined;
    if (isMarkedErased(chained)) return isSealed(chained, record) ? undefined : 'changed';
    return auditHashOf(place, record).equals(hash) ? undefined : 'changed';
  }

  const digest = () => hashes.copy().digest();
  return {
    digest,
    take(chained) {
      const { seq, hash, recordId: id } = chained;
      if (seq > place.seq + 1) problems.push({ seq: place.seq + 1, id: null, what: 'removed' });
      const what = flawOf(chained);
      if (what !== undefined) problems.push({ seq, id, what });
      const isAsSigned = (signedAt.get(seq) ?? []).every((link) => link.hash.equals(hash));
      // All later records differ too.
      if (!isAsSigned && !isRewritten) problems.push({ seq, id, what: 'rewritten' });
      isRewritten ||= !isAsSigned;
      place = { seq, hash };
      hashes.update(hash);
      if (seq === checkpoint?.seq && checkpoint.isSwept && !digest().equals(checkpoint.digest))
        problems.push({ seq, id: null, what: 'swept_changed' });
    },
    finish(end) {
      const reached = Math.max(furthest, end?.seq ?? 0);
      if (reached > place.seq) problems.push({ seq: place.seq + 1, id: null, what: 'removed' });
      else if (end?.seq !== place.seq || !end.hash.equals(place.hash))
        problems.push({ seq: place.seq, id: null, what: 'end_changed' });
      return problems;
    },
  };
}
