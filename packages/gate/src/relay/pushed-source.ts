// The access source of a guard: buffers the revisions that a relay pushes until the guard has applied them.
import { createReadChanges } from '../access/change.ts';
import type { AccessSource, NumberedChanges, Revision } from '../access/follower.ts';
import type { FromRelay } from './guard-protocol.ts';

export interface PushedSource extends AccessSource {
  /** Returns the last revision of the message. */
  push(message: Extract<FromRelay, { kind: 'revisions' }>): Revision;
}

export function createPushedSource(readAll: AccessSource['readAll']): PushedSource {
  const readChanges = createReadChanges();
  let pushed: readonly NumberedChanges[] = [];
  return {
    readAll,
    // Empty if the buffer does not reach back to `n`: then the follower loads a snapshot.
    listRevisionsFrom: async (n) => {
      pushed = pushed.filter((revision) => revision.n >= n);
      return pushed;
    },
    push({ after, revisions }) {
      const read = revisions.map(({ n, mark, changes }) => ({ n, mark, changes: readChanges(changes) }));
      const [last] = pushed.slice(-1);
      // Otherwise the buffered revisions are from another connection, or already applied.
      const follows = last?.n === after.n && last.mark === after.mark;
      pushed = [...(follows ? pushed : [{ ...after, changes: [] }]), ...read];
      return read.at(-1) ?? after;
    },
  };
}
