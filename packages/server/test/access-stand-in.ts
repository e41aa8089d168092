// Access is written by the real writer, behind a real barrier, and it is remembered which way each write took. Without rows
// of instances there is no member to wait for.
import type { Confirmed } from '@portcullis/contract';
import type { Change } from '@portcullis/gate';
import { type AccessChange, type AccessWriter, createAccessWriter } from '../src/cluster/access-writer.ts';
import { createBarrier } from '../src/cluster/barrier.ts';
import { createBarrierStore } from '../src/cluster/barrier-store.ts';
import type { ScopeChange } from '../src/cluster/scope-change.ts';
import type { Store } from '../src/cluster/store/store.ts';
import { administrator } from './serve-routes.ts';

/** Who needs no check. */
export const unchecked: Confirmed = { caller: administrator, confirmedAt: 'unchecked' };

export interface AccessStandIn extends AccessWriter {
  /** What was written since the last call. */
  takeWritten(): [way: 'takeAway' | 'give', changes: readonly (Change | ScopeChange)[]][];
  /** The barrier's clock, which goes on only where a test moves it. */
  now: number;
  /** How often the barrier has looked at the rows of instances. */
  looks: number;
}

export function createAccessStandIn(store: Store): AccessStandIn {
  let written: ReturnType<AccessStandIn['takeWritten']> = [];
  const barrierStore = createBarrierStore(store);
  const access = createAccessWriter(
    store,
    createBarrier({
      store: {
        ...barrierStore,
        async readView() {
          const view = await barrierStore.readView();
          standIn.looks += 1;
          return view;
        },
      },
      notifier: { notify: async () => {} },
      monotonic: () => standIn.now,
    }),
  );
  // The recheck of the caller at the commit has separate tests.
  const remember = (way: 'takeAway' | 'give') => (call: Confirmed, change: AccessChange) =>
    access[way]({ ...call, confirmedAt: 'unchecked' }, async (transaction) => {
      const changes = await change(transaction);
      written.push([way, changes]);
      return changes;
    });
  const standIn: AccessStandIn = {
    now: 0,
    looks: 0,
    takeAway: remember('takeAway'),
    give: remember('give'),
    takeWritten() {
      const taken = written;
      written = [];
      return taken;
    },
  };
  return standIn;
}
