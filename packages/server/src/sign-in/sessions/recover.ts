// After a failover or a restored backup lost changes, ended tokens may live again. Nobody can say which, so all end,
// and the history starts anew where no instance has been.
import { restartHistory, type Written } from '../../cluster/revision-store.ts';
import type { StoreTransaction } from '../../cluster/store/store.ts';
import { retireAllKeys } from '../keys/change-keys.ts';

/** Instances find a gap and load everything, so the changes themselves need not be numbered. */
export async function recover(
  transaction: StoreTransaction,
  { dev, sealingKey }: { readonly dev: boolean; readonly sealingKey: Buffer },
): Promise<Written> {
  await retireAllKeys(transaction, { dev, sealingKey });
  return await restartHistory(transaction);
}
