// Writes the audit record of an administrative change, in the transaction of the change: neither is ever stored without the other.
import { randomBytes } from 'node:crypto';
import type { Call, Confirmed } from '@portcullis/contract';
import type { StoreTransaction } from '../../cluster/store/store.ts';
import { createUuidV7Source } from '../../cluster/store/uuid-v7.ts';
import { insertRecord } from './audit-store.ts';

export interface AuditEntry {
  /** The action: `user.create`, `role.data_scope`. */
  readonly action: string;
  /** The target: `user 7`. */
  readonly target: string;
  /** The state before; null when the target did not exist. Never a password, a hash or another secret. */
  readonly before: unknown;
  readonly after: unknown;
}

export type AuditedCall = Pick<Call, 'requestId' | 'ip'> & Confirmed;

/** @example await recordChange(transaction, call, { action: 'user.delete', target: `user ${id}`, before, after: null }); */
export type RecordChange = (
  transaction: StoreTransaction,
  call: AuditedCall,
  entry: AuditEntry,
) => Promise<void>;

export function createRecordChange(now: () => number = Date.now): RecordChange {
  const createId = createUuidV7Source(randomBytes);
  return async (transaction, { caller, requestId, ip }, entry) => {
    const at = now();
    await insertRecord(transaction, { id: createId(at), at: new Date(at), caller, requestId, ip, ...entry });
  };
}
