// Disaster recovery: if a failover or a restored backup lost changes, revoked tokens can be valid again. It is unknown which, so
// all tokens end, and the revision history restarts at a number that no instance has seen.
import { restartHistory, type Written } from '../../cluster/revision-store.ts';
import type { StoreTransaction } from '../../cluster/store/store.ts';
import { retireAllKeys } from '../keys/change-keys.ts';

/** Instances find a gap in the revisions and load everything again, so these changes need no revisions. */
export async function recover(
  transaction: StoreTransaction,
  { dev, sealingKey }: { readonly dev: boolean; readonly sealingKey: Buffer },
): Promise<Written> {
  await retireAllKeys(transaction, { dev, sealingKey });
  return await restartHistory(transaction);
}
