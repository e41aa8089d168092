// The one way in which access is changed: in a transaction that numbers its changes. What takes something away
// resolves when no instance goes by the old state any more.
import type { Change } from '@portcullis/gate';
import type { Store, StoreTransaction } from '../store/store.ts';
import type { Barrier } from './barrier.ts';
import { readWritten, type Written, writeRevision } from './revision-store.ts';

/** Makes the changes in its tables and returns them; none where they are already applied. */
export type AccessChange = (transaction: StoreTransaction) => Promise<readonly Change[]>;

export interface AccessWriter {
  /** Resolves when every instance enforces the changes, with their revision. */
  takeAway(change: AccessChange): Promise<number>;
  /** For changes that only give. Resolves when they are stored, with their revision. */
  give(change: AccessChange): Promise<number>;
}

export function createAccessWriter(store: Store, barrier: Barrier): AccessWriter {
  async function write(change: AccessChange): Promise<Written> {
    return await store.transaction().execute(async (transaction) => {
      const changes = await change(transaction);
      // Where there is nothing left to change, somebody else's change may still be on its way to the instances.
      return changes.length === 0
        ? await readWritten(transaction)
        : await writeRevision(transaction, changes);
    });
  }
  return {
    async takeAway(change) {
      const written = await write(change);
      await barrier.pass(written);
      return written.n;
    },
    async give(change) {
      const { n } = await write(change);
      barrier.announce(n);
      return n;
    },
  };
}
