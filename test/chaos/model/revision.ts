// A revision as the model knows it: the object is its mark, the number may be used again after a loss.

export interface Revision {
  /** Its place among all that are ever written, in order; also the bit that stands for it. */
  readonly id: number;
  readonly bit: number;
  readonly next: Revision | undefined;
  number: number;
  parent: Revision | undefined;
  /** Bits of this revision and of all before it in its history. */
  history: number;
  /** The number of the newest `recover` in its history, or 0. */
  recoveredAt: number;
}

/** The first of a chain of `count` revisions, made beforehand because a schedule must not allocate. */
export function createRevisions(count: number): Revision {
  let first: Revision | undefined;
  for (let id = count - 1; id >= 1; id--) first = createRevision(id, first);
  return createRevision(0, first);
}

function createRevision(id: number, next: Revision | undefined): Revision {
  const bit = 1 << id;
  return { id, bit, next, number: id, parent: undefined, history: bit, recoveredAt: 0 };
}

export function placeAfter(revision: Revision, parent: Revision, number: number): void {
  revision.number = number;
  revision.parent = parent;
  revision.history = parent.history | revision.bit;
  revision.recoveredAt = parent.recoveredAt;
}

/** What memory holds when the changes above `base` are put on top of it, whatever it held. */
export function contentAfterChanges(content: number, base: number, newest: Revision): number {
  let bits = content;
  let revision: Revision | undefined = newest;
  while (revision !== undefined && revision.number > base) {
    bits |= revision.bit;
    revision = revision.parent;
  }
  return bits;
}
