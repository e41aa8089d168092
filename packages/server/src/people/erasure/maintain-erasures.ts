// Maintenance of erasures, run with the database role of an operator: renews the attestations (column `seal`) of erased audit
// records after a change of the master key, and erases records of erased persons that an instance of the previous version stored.

import { findDeployment } from '../../cluster/store/deployment.ts';
import type { Store } from '../../cluster/store/store.ts';
import { type AuditChainPosition, firstAuditPosition } from '../../logs/audit/audit-chain.ts';
import { auditAttestationOf } from '../../logs/audit/erased-record.ts';
import { listSeals, replaceSeal } from './audit-erasure-store.ts';
import { reopenWhereReadable } from './erasure-store.ts';
import type { ErasureWork } from './erasure-work.ts';

interface MaintainOptions {
  /** The first key makes the attestations. */
  readonly keys: readonly [Buffer, ...Buffer[]];
  readonly work: Pick<ErasureWork, 'finishOpen'>;
  readonly report: (line: string) => void;
}

const page = 500;

export async function maintainErasures(store: Store, { keys, work, report }: MaintainOptions): Promise<void> {
  const readable = await reopenWhereReadable(store);
  if (readable > 0) report(`Erased again: ${readable} of whom records came after they were erased.`);
  await work.finishOpen();
  const renewed = await renewSeals(store, keys);
  if (renewed > 0) report(`Sealed ${renewed} erased records of the audit log with the new master key.`);
}

/** An attestation made with the previous master key could not be verified after the next change. Returns how many were renewed. */
async function renewSeals(store: Store, [key, ...previousKeys]: MaintainOptions['keys']): Promise<number> {
  if (previousKeys.length === 0) return 0;
  const deployment = await findDeployment(store);
  let renewed = 0;
  for (let after = 0; ; ) {
    const seals = await listSeals(store, after, page);
    for (const { seq, previousHash, record, seal, ...erased } of seals) {
      const first = firstAuditPosition(deployment);
      const previous: AuditChainPosition =
        previousHash === null ? first : { seq: seq - 1, hash: previousHash };
      const attestationBy = (one: Buffer) => auditAttestationOf(one, deployment, previous, erased, record);
      // An attestation that no key verifies stays as it is: `log verify` reports it.
      if (!previousKeys.some((one) => attestationBy(one).equals(seal))) continue;
      await replaceSeal(store, seq, attestationBy(key));
      renewed += 1;
    }
    const last = seals.at(-1);
    if (last === undefined) return renewed;
    after = last.seq;
  }
}
