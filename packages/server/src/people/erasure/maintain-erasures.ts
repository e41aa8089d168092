// The upkeep of erasures, by the role of an operator: seals of the audit log live on after a change of the master key, and
// records of erased people that a member of the version before stored are erased.

import { findDeployment } from '../../cluster/store/deployment.ts';
import type { Store } from '../../cluster/store/store.ts';
import { type AuditChainPosition, firstAuditPosition } from '../../logs/audit/audit-chain.ts';
import { auditAttestationOf } from '../../logs/audit/erased-record.ts';
import { listSeals, replaceSeal } from './audit-erasure-store.ts';
import { reopenWhereReadable } from './erasure-store.ts';
import type { ErasureWork } from './erasure-work.ts';

interface MaintainOptions {
  /** The first one seals. */
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

/** One that only the previous master key vouches for would be lost with the next change of the key. How many. */
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
      const sealBy = (one: Buffer) => auditAttestationOf(one, deployment, previous, erased, record);
      // What none of the keys vouches for stays as it is: `log verify` names it.
      if (!previousKeys.some((one) => sealBy(one).equals(seal))) continue;
      await replaceSeal(store, seq, sealBy(key));
      renewed += 1;
    }
    const last = seals.at(-1);
    if (last === undefined) return renewed;
    after = last.seq;
  }
}
