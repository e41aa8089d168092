// The one way in which a caller changes anything: in a transaction that asks, as its last step, whether the caller still
// may, and that numbers its changes of access. What takes something away resolves when no instance goes by the old state
// any more. Why nothing of a revoked caller's is stored after that is argued in docs/decisions/0021.
import type { Confirmed, Unchecked } from '@portcullis/contract';
import type { Change } from '@portcullis/gate';
import type { Barrier } from './barrier.ts';
import { createCallerCheck } from './caller-at-commit.ts';
import { lockRevision, type Written, writeRevision } from './revision-store.ts';
import type { ScopeChange } from './scope-change.ts';
import type { Store, StoreTransaction } from './store/store.ts';

/**
 * Makes the changes in its tables and returns what access has to follow; nothing where they are already applied. It is
 * called a second time where a deadlock undid the first, so it keeps nothing of a call that it does not set anew.
 */
export type AccessChange = (transaction: StoreTransaction) => Promise<readonly (Change | ScopeChange)[]>;

export interface AccessWriter {
  /** Resolves when every instance enforces the changes, with their revision. */
  takeAway(call: Confirmed | Unchecked, change: AccessChange): Promise<number>;
  /** For changes that only give, or that access does not depend on, or that a `takeAway` follows. Resolves when they are stored, with their revision. */
  give(call: Confirmed | Unchecked, change: AccessChange): Promise<number>;
}

/** Of Postgres. */
const deadlockDetected = '40P01';

export function createAccessWriter(store: Store, barrier: Barrier): AccessWriter {
  const checkCaller = createCallerCheck();

  /** Postgres broke a deadlock by ending this transaction: the other one goes on, so a second try finds its locks free. */
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
      // The last lock of every write: whoever holds another one waits for nobody who holds this.
      const newest = await lockRevision(transaction);
      await checkCaller(transaction, call, newest);
      if (effects.length === 0) return newest;
      return await writeRevision(transaction, effects.filter(isChange), effects.filter(isMove));
    });
  }

  return {
    async takeAway(call, change) {
      const written = await write(call, change);
      // Where there was nothing left to change, somebody else's change may still be on its way to the instances.
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
