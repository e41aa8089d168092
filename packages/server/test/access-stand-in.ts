// Writes access as the real writer does, without other instances to wait for, and remembers which way each write took.
import type { Change } from '@portcullis/gate';
import type { AccessChange, AccessWriter } from '../src/cluster/access-writer.ts';
import { readWritten, writeRevision } from '../src/cluster/revision-store.ts';
import type { Store } from '../src/store/store.ts';

export interface AccessStandIn extends AccessWriter {
  /** What was written since the last call. */
  takeWritten(): [way: 'takeAway' | 'give', changes: readonly Change[]][];
}

export function createAccessStandIn(store: Store): AccessStandIn {
  let written: ReturnType<AccessStandIn['takeWritten']> = [];
  const write = (way: 'takeAway' | 'give') => async (change: AccessChange) =>
    await store.transaction().execute(async (transaction) => {
      const changes = await change(transaction);
      written.push([way, changes]);
      const { n } =
        changes.length === 0 ? await readWritten(transaction) : await writeRevision(transaction, changes);
      return n;
    });
  return {
    takeAway: write('takeAway'),
    give: write('give'),
    takeWritten() {
      const taken = written;
      written = [];
      return taken;
    },
  };
}
