// A process's memory of access: a full load at the start and after a gap, else the changes in their order.
import type { Change } from './change.ts';
import type { SnapshotRecord } from './snapshot-record.ts';

/** The number alone does not name a revision: a failover can lose one and use its number again. */
export interface Revision {
  readonly n: number;
  readonly mark: string;
}

export interface NumberedChanges extends Revision {
  /** Undefined where they cannot be read. */
  readonly changes: readonly Change[] | undefined;
}

/** Where access is read: Postgres for an instance, the decision listener for a guard. */
export interface AccessSource {
  /** The revision itself, where it is still known, and those after it; a page of them. */
  listRevisionsFrom(n: number): Promise<readonly NumberedChanges[]>;
  /** Everything, at the revision that it resolves with or at a later one: at `atLeast`, where it can be read by then. */
  readAll(take: (piece: SnapshotRecord) => void | Promise<void>, atLeast?: number): Promise<Revision>;
}

/** A part of access that is held in memory. */
export interface Replica {
  /** Begins a full load. */
  load(): Loading;
  /** Puts the changes of one step in force. */
  apply(changes: readonly Change[], revision: number): void;
}

export interface ReadableReplica extends Replica {
  /** All of it, as a load takes it; what changes while it is read may be in it or not. */
  pieces(): Iterable<SnapshotRecord>;
}

export interface Loading {
  /** Told of every piece; it keeps what is its own. */
  take(piece: SnapshotRecord): void;
  /** Makes what was taken ready; the returned function puts it in force and must not fail. */
  finish(revision: number): () => void;
}

/** What was put in force. */
export type Step =
  | { readonly kind: 'followed'; readonly revisions: readonly NumberedChanges[] }
  | { readonly kind: 'loaded'; readonly revision: Revision };

export interface Follower {
  /** What memory is at. */
  readonly revision: Revision;
  /** Differs after every change in memory. */
  readonly generation: number;
  /** Applies what is newer, as far as it follows without a gap; says whether there was something. */
  follow(): Promise<boolean>;
  /** Brings memory to the given revision or a later one. Throws HistoryLost where it cannot follow on memory. */
  reach(revision: Revision): Promise<void>;
  /** The listener is told of everything that is put in force, from now on. */
  onStep(listener: (step: Step) => void): void;
}

/** The database has forgotten what this instance enforces: ended tokens may live there again. */
export class HistoryLost extends Error {
  constructor(what: string, options?: ErrorOptions) {
    super(
      `${what}: changes were lost with a failover or a restored backup. Run \`portcullis recover\`, as docs/how-to/backup.md says.`,
      options,
    );
    this.name = 'HistoryLost';
  }
}

function lossOf(own: Revision, found: Revision): HistoryLost {
  return new HistoryLost(
    `The database is at revision ${found.n}, but this instance enforces ${own.n} of another history`,
  );
}

const nowhere: Revision = { n: -1, mark: '' };

/** Whether one who enforces `own` would go back, or to another history, with `found`. */
function isBefore(found: Revision, own: Revision): boolean {
  return found.n < own.n || (found.n === own.n && found.mark !== own.mark);
}

export function createFollower(
  source: AccessSource,
  replicas: readonly Replica[],
  reportUnreadable: (revision: number) => void,
): Follower {
  let tellStep: (step: Step) => void = () => {};
  const onStep: Follower['onStep'] = (listener) => {
    tellStep = listener;
  };
  const follower = { revision: nowhere, generation: 0, follow, reach, onStep };
  /** What memory was at, also where a step failed by half: it never goes back. */
  let latest = nowhere;

  async function follow(): Promise<boolean> {
    const [own, ...newer] = await source.listRevisionsFrom(follower.revision.n);
    // Only on what is known to be its own history: a change on top of a lost one would hide the loss.
    if (own?.n !== follower.revision.n) return false;
    if (own.mark !== follower.revision.mark) throw lossOf(follower.revision, own);
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
    tellStep({ kind: 'followed', revisions: newer });
    return true;
  }

  async function reach(found: Revision): Promise<void> {
    if (isBefore(found, latest)) throw lossOf(latest, found);
    while (follower.revision.n < found.n) if (!(await follow())) await load(found.n);
  }

  async function load(atLeast: number): Promise<void> {
    const loadings = replicas.map((replica) => replica.load());
    const revision = await source.readAll((piece) => {
      for (const loading of loadings) loading.take(piece);
    }, atLeast);
    if (isBefore(revision, latest)) throw lossOf(latest, revision);
    const swaps = loadings.map((loading) => loading.finish(revision.n));
    enforce(revision, () => swaps.forEach((swap) => void swap()));
    tellStep({ kind: 'loaded', revision });
  }

  /** In one step, so that no request sees half of a revision, or a change under an old generation. */
  function enforce({ n, mark }: Revision, step: () => void): void {
    // What is applied by half is nowhere: the next turn loads everything.
    follower.revision = nowhere;
    latest = { n, mark };
    follower.generation += 1;
    step();
    follower.revision = { n, mark };
  }

  return follower;
}
