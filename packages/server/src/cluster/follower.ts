// An instance's memory of access: a full load at the start and after a gap, else the changes in their order.
import type { Store, StoreTransaction } from '../store/store.ts';
import type { Change } from './change.ts';
import { listRevisionsFrom, type Revision, readCurrentRevision } from './revision-store.ts';

/** A part of access that is held in memory. */
export interface Replica {
  /** Reads everything; the returned function puts it in force and must not wait for anything. */
  load(transaction: StoreTransaction, revision: number): Promise<() => void>;
  /** Puts the changes of one step in force. */
  apply(changes: readonly Change[], revision: number): void;
}

export interface Follower {
  /** What memory is at. */
  readonly revision: Revision;
  /** Differs after every change in memory. */
  readonly generation: number;
  /** Applies what is newer, as far as it follows without a gap; says whether there was something. */
  follow(): Promise<boolean>;
  /** Brings memory to the given revision or a later one. Throws HistoryLost where it cannot follow on memory. */
  reach(revision: Revision): Promise<void>;
}

/** The database has forgotten what this instance enforces: ended tokens may live there again. */
export class HistoryLost extends Error {
  constructor(own: Revision, found: Revision) {
    super(
      `The database is at revision ${found.n}, but this instance enforces ${own.n} of another history: changes were lost with a failover or a restored backup. Run \`portcullis recover\`.`,
    );
    this.name = 'HistoryLost';
  }
}

const nowhere: Revision = { n: -1, mark: '' };

export function createFollower(
  store: Store,
  replicas: readonly Replica[],
  reportUnreadable: (revision: number) => void,
): Follower {
  const follower = { revision: nowhere, generation: 0, follow, reach };

  async function follow(): Promise<boolean> {
    const [own, ...newer] = await listRevisionsFrom(store, follower.revision.n);
    // Only on what is known to be its own history: a change on top of a lost one would hide the loss.
    if (own?.n !== follower.revision.n) return false;
    if (own.mark !== follower.revision.mark) throw new HistoryLost(follower.revision, own);
    const last = newer.at(-1);
    if (last === undefined || newer[0]?.n !== follower.revision.n + 1) return false;
    const changes: Change[] = [];
    for (const revision of newer) {
      if (revision.changes === undefined) {
        reportUnreadable(revision.n);
        return false;
      }
      changes.push(...revision.changes);
    }
    enforce(last, () => replicas.forEach((replica) => void replica.apply(changes, last.n)));
    return true;
  }

  async function reach(found: Revision): Promise<void> {
    const { revision } = follower;
    if (found.n < revision.n || (found.n === revision.n && found.mark !== revision.mark))
      throw new HistoryLost(revision, found);
    while (follower.revision.n < found.n) if (!(await follow())) await load();
  }

  async function load(): Promise<void> {
    const { revision, swaps } = await readAll(store, replicas);
    enforce(revision, () => swaps.forEach((swap) => void swap()));
  }

  /** In one step, so that no request sees half of a revision, or a change under an old generation. */
  function enforce({ n, mark }: Revision, step: () => void): void {
    // What is applied by half is nowhere: the next turn loads everything.
    follower.revision = nowhere;
    follower.generation += 1;
    step();
    follower.revision = { n, mark };
  }

  return follower;
}

/** One transaction, so that all parts show the same moment. */
async function readAll(store: Store, replicas: readonly Replica[]) {
  return await store
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction) => {
      const revision = await readCurrentRevision(transaction);
      const swaps: (() => void)[] = [];
      for (const replica of replicas) swaps.push(await replica.load(transaction, revision.n));
      return { revision, swaps };
    });
}
