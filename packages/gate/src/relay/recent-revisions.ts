// Buffer of the last revisions that an instance has applied, without a gap. The relay compares a guard's revision with it,
// and sends the missing revisions to a guard that is a little behind.
import type { NumberedChanges, Revision } from '../access/follower.ts';

export interface RecentRevision extends Revision {
  /** When the instance applied it, by the monotonic clock. */
  readonly at: number;
  /** The JSON text that is sent to guards. */
  readonly text: string;
}

export interface RecentRevisions {
  /** Undefined before the first load. */
  readonly newest: Revision | undefined;
  find(n: number): RecentRevision | undefined;
  /** The revisions after `n`. `find(n)` must have found `n`. */
  after(n: number): readonly RecentRevision[];
  /** Adds revisions that follow the newest one, in order. */
  add(revisions: readonly NumberedChanges[]): void;
  /** Restarts after a full load at this revision. It drops older revisions: this one does not provably follow them. */
  restart(revision: Revision): void;
}

const mostRevisions = 1000;
const mostCharacters = 8 * 1024 * 1024;

export function createRecentRevisions(monotonic: () => number): RecentRevisions {
  let kept: RecentRevision[] = [];
  let characters = 0;

  function find(n: number): RecentRevision | undefined {
    return kept[n - (kept[0]?.n ?? 0)];
  }

  function forgetOld(): void {
    let forgotten = 0;
    while (
      kept.length - forgotten > mostRevisions ||
      (characters > mostCharacters && forgotten < kept.length - 1)
    ) {
      characters -= kept[forgotten]?.text.length ?? 0;
      forgotten += 1;
    }
    if (forgotten > 0) kept = kept.slice(forgotten);
  }

  return {
    get newest() {
      return kept.at(-1);
    },
    find,
    after: (n) => kept.slice(n - (kept[0]?.n ?? 0) + 1),
    add(revisions) {
      const at = monotonic();
      for (const { n, mark, changes } of revisions) {
        const text = JSON.stringify({ n, mark, changes });
        kept.push({ n, mark, at, text });
        characters += text.length;
      }
      forgetOld();
    },
    restart({ n, mark }) {
      kept = [{ n, mark, at: monotonic(), text: '' }];
      characters = 0;
    },
  };
}
