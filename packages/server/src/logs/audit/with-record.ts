// A change of access with its record: how the target was before it, and how it is after it, read in its transaction.
import type { AccessChange } from '../../cluster/access-writer.ts';
import type { StoreTransaction } from '../../cluster/store/store.ts';
import type { AuditEntry, AuditedCall, RecordChange } from './record-change.ts';

interface Watched extends Pick<AuditEntry, 'action' | 'target'> {
  /** How the target is now; null where it is not there. It takes the locks that keep it so. */
  readonly look: (transaction: StoreTransaction) => Promise<unknown>;
}

/** Where there is nothing left to change, nothing is recorded. */
export function withRecord(
  recordChange: RecordChange,
  call: AuditedCall,
  { action, target, look }: Watched,
  change: AccessChange,
): AccessChange {
  return async (transaction) => {
    const before = await look(transaction);
    const changes = await change(transaction);
    if (changes.length > 0)
      await recordChange(transaction, call, { action, target, before, after: await look(transaction) });
    return changes;
  };
}
