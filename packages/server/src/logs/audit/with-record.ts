// Adds the audit record to a change of access: reads the state of the target before and after, in the same transaction.
import type { AccessChange } from '../../cluster/access-writer.ts';
import type { StoreTransaction } from '../../cluster/store/store.ts';
import type { AuditEntry, AuditedCall, RecordChange } from './record-change.ts';

interface Watched extends Pick<AuditEntry, 'action' | 'target'> {
  /** Reads the current state of the target; null when it does not exist. It takes the locks that keep the state. */
  readonly readState: (transaction: StoreTransaction) => Promise<unknown>;
}

/** Records nothing when there was nothing left to change. */
export function withRecord(
  recordChange: RecordChange,
  call: AuditedCall,
  { action, target, readState }: Watched,
  change: AccessChange,
): AccessChange {
  return async (transaction) => {
    const before = await readState(transaction);
    const changes = await change(transaction);
    if (changes.length > 0)
      await recordChange(transaction, call, { action, target, before, after: await readState(transaction) });
    return changes;
  };
}
