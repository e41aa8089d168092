// Revisions as a relay sends them, kept until the guard has put them in force.
import { createReadChanges } from '../access/change.ts';
import type { AccessSource, NumberedChanges, Revision } from '../access/follower.ts';
import type { FromRelay } from './guard-protocol.ts';

export interface PushedSource extends AccessSource {
  /** Resolves with the last of them. */
  push(message: Extract<FromRelay, { kind: 'revisions' }>): Revision;
}

export function createPushedSource(readAll: AccessSource['readAll']): PushedSource {
  const readChanges = createReadChanges();
  let pushed: readonly NumberedChanges[] = [];
  return {
    readAll,
    // None where they do not follow on it: then everything is loaded.
    listRevisionsFrom: async (n) => {
      pushed = pushed.filter((revision) => revision.n >= n);
      return pushed;
    },
    push({ after, revisions }) {
      const read = revisions.map(({ n, mark, changes }) => ({ n, mark, changes: readChanges(changes) }));
      const [last] = pushed.slice(-1);
      // What came before is of another line, or is in force.
      const follows = last?.n === after.n && last.mark === after.mark;
      pushed = [...(follows ? pushed : [{ ...after, changes: [] }]), ...read];
      return read.at(-1) ?? after;
    },
  };
}
