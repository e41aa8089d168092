// Replication: keeps a process's memory of access up to date. It loads a full snapshot at the start and after a gap, and
// otherwise applies the changes in order. It never goes back: an older revision, or one of another history, throws
// HistoryLost.
import type { Change } from './change.ts';
import type { SnapshotRecord } from './snapshot-record.ts';

/** `mark` identifies the revision together with `n`: a failover can lose a revision and use its number again. */
export interface Revision {
  readonly n: number;
  readonly mark: string;
}

export interface NumberedChanges extends Revision {
  /** Undefined when they cannot be read. */
  readonly changes: readonly Change[] | undefined;
}

/** Where access is read from: Postgres for an instance, the decision listener for a guard. */
export interface AccessSource {
  /** One page: the revision `n` itself, if it is still stored, and the revisions after it. */
  listRevisionsFrom(n: number): Promise<readonly NumberedChanges[]>;
  /**
   * Reads a full snapshot. The snapshot is at the revision that the promise resolves with, or later. It is at `atLeast` or
   * later if the source already has that revision.
   */
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
  /** All records, in the form that a load takes. They contain or lack a change that is applied during the reading. */
  snapshotRecords(): Iterable<SnapshotRecord>;
}

export interface Loading {
  /** Receives every record of the snapshot, and keeps the records of its kind. */
  take(piece: SnapshotRecord): void;
  /** Prepares the loaded records. The returned function puts them in force and must not fail. */
  finish(revision: number): () => void;
}

/** A step that memory has applied: revisions in order, or a full snapshot. */
export type Step =
  | { readonly kind: 'followed'; readonly revisions: readonly NumberedChanges[] }
  | { readonly kind: 'loaded'; readonly revision: Revision };

export interface Follower {
  /** The revision that memory holds. */
  readonly revision: Revision;
  /** Grows with every change of memory. */
  readonly generation: number;
  /** Applies newer revisions that follow without a gap. Resolves with true if it applied some. */
  follow(): Promise<boolean>;
  /** Brings memory to the given revision or a later one. Throws HistoryLost when that revision is of another history. */
  advanceTo(revision: Revision): Promise<void>;
  /** Sets the listener that is called after every step. */
  onStep(listener: (step: Step) => void): void;
}

/** The database has lost revisions that this process enforces, so revoked tokens could be valid there again. */
export class HistoryLost extends Error {
  constructor(what: string, options?: ErrorOptions) {
    super(
      `${what}: a failover or a restored backup has lost changes. Run \`portcullis recover\` (docs/how-to/backup.md).`,
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

/** Whether a process that enforces `own` would go back, or change to another history, by applying `found`. */
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
  const follower = { revision: nowhere, generation: 0, follow, advanceTo, onStep };
  /**
   * The latest revision of which memory applied at least a part. It stays when a step fails halfway, and never goes
   * back.
   */
  let latest = nowhere;

  async function follow(): Promise<boolean> {
    const [own, ...newer] = await source.listRevisionsFrom(follower.revision.n);
    // Apply changes only to a revision that is known to be of the same history: a change on top of a lost one would hide
    // the loss.
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

  async function advanceTo(found: Revision): Promise<void> {
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

  /** Runs synchronously, so that no request sees half of a revision, or a change under an old generation. */
  function enforce({ n, mark }: Revision, step: () => void): void {
    // While a step runs, memory is at no known revision: after a failure, the next follow loads everything.
    follower.revision = nowhere;
    latest = { n, mark };
    follower.generation += 1;
    step();
    follower.revision = { n, mark };
  }

  return follower;
}
