// Retention of the audit log, run with the role of an operator: verifies the whole log and then deletes its old months. It
// deletes nothing when anything is wrong, because a chain that an attacker rebuilt must not lose the evidence. Each deleted month
// leaves a signed checkpoint.

import { findDeployment } from '../../cluster/store/deployment.ts';
import type { Store } from '../../cluster/store/store.ts';
import { type AuditCheckpoint, signAuditCheckpoint } from '../audit/audit-chain.ts';
import type { ChainedRecord } from '../audit/chain-store.ts';
import {
  AuditLogChanged,
  countBefore,
  readCheckpoint,
  readLeft,
  renewSignature,
  sweepRecords,
} from '../audit/sweep-store.ts';
import { type AuditWalk, auditFaults, isSignedCheckpoint, verifyAuditLog } from '../audit/verify-audit.ts';
import { retry } from './retry.ts';
import { inSnapshot } from './verify-store.ts';

interface SweepOptions {
  /** The first key signs. */
  readonly keys: readonly [Buffer, ...Buffer[]];
  /** The number of full months to keep besides the current one; 0 keeps all. */
  readonly keptMonths: number;
  readonly report: (line: string) => void;
  readonly now: Date;
}

/** Whether everything that was due is deleted. */
export async function sweepAuditLog(store: Store, options: SweepOptions): Promise<boolean> {
  const { keptMonths, report, now } = options;
  if (!(await renewCheckpoint(store, options))) {
    report('Kept all of the audit log: neither master key signed its checkpoint. Run `log verify`.');
    return false;
  }
  if (keptMonths === 0) return true;
  const { isDue, keptFrom } = await readLeft(store, keptMonths, now);
  if (isDue && !(await sweepMonths(store, options, keptFrom))) return false;
  const { behind, back } = await countBefore(store, keptFrom);
  if (behind > 0)
    report(`Kept ${behind} of the audit log that are older: they were bound behind one that is not.`);
  if (back > 0)
    report(`Kept ${back} of the audit log that are back after they were swept. Run \`log verify\`.`);
  return back === 0;
}

/**
 * Renews the signature: one of the previous master key alone would be lost with the next change of the key. False when neither
 * key signed.
 */
async function renewCheckpoint(store: Store, { keys }: SweepOptions): Promise<boolean> {
  const checkpoint = await readCheckpoint(store);
  if (checkpoint === undefined) return true;
  const deployment = await findDeployment(store);
  if (!isSignedCheckpoint(keys, deployment, checkpoint)) return false;
  const signature = signAuditCheckpoint(keys[0], deployment, checkpoint);
  if (!signature.equals(checkpoint.signature)) await renewSignature(store, { ...checkpoint, signature });
  return true;
}

async function sweepMonths(store: Store, { keys, report }: SweepOptions, keptFrom: Date): Promise<boolean> {
  const deployment = await findDeployment(store);
  const { months, swept, problems, signedUpTo } = await inSnapshot(store, async (transaction) => {
    const gathered = gatherMonths(keptFrom);
    const onPlace = gathered.look;
    const findings = await verifyAuditLog(transaction, { keys, deployment, kept: [], onPlace });
    return { ...findings, months: gathered.finish() };
  });
  const [problem] = problems;
  if (problem !== undefined) {
    report(
      `Kept all of the audit log: record ${problem.seq ?? problem.id} ${auditFaults[problem.what]}. Run \`log verify\`.`,
    );
    return false;
  }
  let from = swept;
  for (const checkpoint of months.filter(({ seq }) => seq > swept)) {
    const month = nameOf(checkpoint);
    // No signed head covers it: its heads may have been deleted.
    if (checkpoint.seq > signedUpTo) {
      report(
        `Kept ${month} of the audit log: no head is signed up to its end. An instance signs one a minute.`,
      );
      return false;
    }
    const signature = signAuditCheckpoint(keys[0], deployment, checkpoint);
    try {
      const isSwept = await retry(() => sweepRecords(store, from, { ...checkpoint, signature }));
      if (isSwept) report(`Swept ${month} of the audit log: ${checkpoint.seq - from} records.`);
    } catch (error) {
      if (!(error instanceof AuditLogChanged)) throw error;
      report(`Kept ${month} of the audit log: it changed while it was verified. Run this again.`);
      return false;
    }
    from = checkpoint.seq;
  }
  return true;
}

/**
 * The end of each month, up to the months to keep. A record counts as at least as young as each record before it in the chain, so
 * it is never deleted early. The hash binds the record's own time; the time when it was appended is the database's.
 */
function gatherMonths(keptFrom: Date) {
  const ends: AuditCheckpoint[] = [];
  let month = Number.NEGATIVE_INFINITY;
  let last: { readonly seq: number; readonly walk: AuditWalk } | undefined;

  function beginMonth(next: number): void {
    if (last !== undefined && Number.isFinite(month))
      ends.push({ seq: last.seq, sweptBefore: new Date(nextMonth(month)), digest: last.walk.digest() });
    month = next;
  }

  return {
    look({ seq, record, boundAt }: ChainedRecord, walk: AuditWalk) {
      // A record that was swept before no longer has a time.
      if (record !== null) {
        const at = Math.max(Number(record.at), boundAt ?? Number.NEGATIVE_INFINITY) * 1000;
        const own = at < keptFrom.getTime() ? monthOf(at) : Number.POSITIVE_INFINITY;
        if (own > month) beginMonth(own);
      }
      last = { seq, walk };
    },
    finish() {
      beginMonth(Number.POSITIVE_INFINITY);
      return ends;
    },
  };
}

function monthOf(milliseconds: number): number {
  const at = new Date(milliseconds);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth());
}

function nextMonth(month: number): number {
  const at = new Date(month);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1);
}

function nameOf({ sweptBefore }: AuditCheckpoint): string {
  return new Date(sweptBefore.getTime() - 1).toISOString().slice(0, 7);
}
