// Write transaction of a caller: the only way in which a caller changes anything. As its last step, the transaction rechecks that
// the caller is still allowed to make the change, and numbers the changes of access. A revocation (`takeAway`) resolves when no
// instance uses the old state any more. docs/decisions/0021 argues why nothing that a revoked caller writes is stored after that.
import type { Confirmed, Unchecked } from '@portcullis/contract';
import type { Change } from '@portcullis/gate';
import type { Barrier } from './barrier.ts';
import { createCallerCheck } from './caller-at-commit.ts';
import { lockRevision, type Written, writeRevision } from './revision-store.ts';
import type { ScopeChange } from './scope-change.ts';
import type { Store, StoreTransaction } from './store/store.ts';

/**
 * Makes the changes in its tables and returns the changes that the memory of access must follow; an empty list when they are
 * already applied. It is called a second time when a deadlock undid the first call, so it must set anew all that it keeps
 * outside.
 */
export type AccessChange = (transaction: StoreTransaction) => Promise<readonly (Change | ScopeChange)[]>;

export interface AccessWriter {
  /** Resolves with the revision when every instance enforces the changes. */
  takeAway(call: Confirmed | Unchecked, change: AccessChange): Promise<number>;
  /**
   * For changes that only grant, that access does not depend on, or that a `takeAway` follows. Resolves with the revision when
   * they are stored.
   */
  give(call: Confirmed | Unchecked, change: AccessChange): Promise<number>;
}

/** SQLSTATE of Postgres. */
const deadlockDetected = '40P01';

export function createAccessWriter(store: Store, barrier: Barrier): AccessWriter {
  const checkCaller = createCallerCheck();

  /**
   * Retries once after a deadlock. Postgres ended this transaction and the other one continues, so the retry finds the locks
   * free.
   */
  async function write(call: Confirmed | Unchecked, change: AccessChange): Promise<Written> {
    try {
      return await writeOnce(call, change);
    } catch (error) {
      if ((error as { code?: unknown }).code !== deadlockDetected) throw error;
      return await writeOnce(call, change);
    }
  }

  async function writeOnce(call: Confirmed | Unchecked, change: AccessChange): Promise<Written> {
    return await store.transaction().execute(async (transaction) => {
      const effects = await change(transaction);
      // The last lock of every write: a transaction that holds it waits for no other lock, so it cannot cause a deadlock.
      const newest = await lockRevision(transaction);
      await checkCaller(transaction, call, newest);
      if (effects.length === 0) return newest;
      return await writeRevision(transaction, effects.filter(isChange), effects.filter(isMove));
    });
  }

  return {
    async takeAway(call, change) {
      const written = await write(call, change);
      // Also without changes: the change of another caller may not have reached every instance yet.
      await barrier.pass(written);
      return written.n;
    },
    async give(call, change) {
      const { n } = await write(call, change);
      barrier.announce(n);
      return n;
    },
  };
}

function isMove(effect: Change | ScopeChange): effect is ScopeChange {
  return effect.kind === 'user_moved' || effect.kind === 'department_moved';
}

function isChange(effect: Change | ScopeChange): effect is Change {
  return !isMove(effect);
}
