// Verifies one hash chain of the login log: walks it record by record, and keeps the first problem.
import { type ChainKey, type ChainPosition, firstPosition, hashOf } from '../login-log/chain.ts';
import { hashOfErased, isMarkedErased } from '../login-log/erased-row.ts';
import type { LoginRow } from '../login-log/login-row.ts';

/** A record as found, with the position that it claims. */
export interface FoundRow extends LoginRow {
  readonly seq: number | null;
  readonly hash: Buffer | null;
  /** The erasure that erased it, and the seal that attests that. */
  readonly erasure?: string | null;
  readonly seal?: Buffer | null;
}

export const faults = {
  changed: 'was changed',
  removed: 'was removed',
  moved: 'stands in another place',
  added: 'does not belong there',
  unbound: 'is bound by neither master key, or was changed',
  head_changed: 'has a head that was changed, or that neither master key signed',
  head_removed: 'had a head that was removed',
  checkpoint_changed: 'has a checkpoint that was changed, or that neither master key signed',
} as const;
export type Fault = keyof typeof faults;

export interface Problem {
  readonly chain: string | null;
  readonly seq: number | null;
  /** The id of the record, if there is one. */
  readonly id: string | null;
  readonly what: Fault;
}

type Flaw = Omit<Problem, 'chain'>;

export interface ChainWalk {
  /** The last record that is as it was written. */
  readonly place: ChainPosition;
  readonly problem: Problem | undefined;
  /** The records up to this position were dropped. */
  startAfter(checkpoint: ChainPosition): void;
  /** The chain reached this head, which the database holds; the newest one counts. */
  mustReach(head: ChainPosition): void;
  /** The chain reached this position, which was kept outside the database. */
  mustHold(kept: ChainPosition): void;
  take(row: FoundRow): void;
  fail(flaw: Flaw): void;
  finish(): Problem | undefined;
}

/** A key that may bind the chain, and the position of the chain with this key. */
interface Candidate {
  readonly key: ChainKey;
  readonly place: ChainPosition;
}

export function createChainWalk(keys: readonly [ChainKey, ...ChainKey[]], chain: string): ChainWalk {
  let candidates: readonly Candidate[] = keys.map((key) => ({ key, place: firstPosition(key, chain) }));
  let place: ChainPosition = firstPosition(keys[0], chain);
  let isBound = false;
  let head: ChainPosition | undefined;
  let kept: ChainPosition | undefined;
  let problem: Problem | undefined;
  /**
   * A record that came too early: it does not belong there if the expected one comes next; otherwise the expected one is missing.
   */
  let early: FoundRow | undefined;
  /** The first record, when no key binds it: the second one shows whether it was changed. */
  let unbound: FoundRow | undefined;

  function fail(flaw: Flaw | undefined): void {
    if (flaw !== undefined) problem ??= { chain, ...flaw };
  }

  function findCandidate(row: FoundRow): Candidate | undefined {
    for (const { key, place } of candidates) {
      const hash = isMarkedErased(row) ? hashOfErased(key, chain, place, row) : hashOf(key, place, row);
      if (row.hash !== null && hash?.equals(row.hash)) return { key, place: { seq: place.seq + 1, hash } };
    }
    return undefined;
  }

  /** Takes a record that is bound to the one before it. */
  function takeBound(row: FoundRow, candidate: Candidate): Flaw | undefined {
    const { seq, hash } = candidate.place;
    if (unbound !== undefined) return { seq: unbound.seq, id: unbound.id, what: 'changed' };
    if (row.seq !== seq) return { seq, id: row.id, what: 'changed' };
    if (early !== undefined) return { seq: early.seq, id: early.id, what: 'added' };
    if ((seq === head?.seq && !hash.equals(head.hash)) || (seq === kept?.seq && !hash.equals(kept.hash)))
      return { seq, id: row.id, what: 'changed' };
    isBound = true;
    candidates = [candidate];
    place = candidate.place;
    return undefined;
  }

  /** Takes a record that is not bound to the one before it. The bound one may follow. */
  function takeStray(row: FoundRow): Flaw | undefined {
    const { id, seq, hash } = row;
    const expected = (candidates[0]?.place.seq ?? 0) + 1;
    if (unbound !== undefined) return { seq: unbound.seq, id: unbound.id, what: 'unbound' };
    if (seq === null || seq < expected) return { seq, id, what: 'added' };
    if (seq > expected) {
      if (early !== undefined) return { seq: expected, id: null, what: 'removed' };
      early = row;
      return undefined;
    }
    if (isBound || early !== undefined || hash === null) return { seq, id, what: 'changed' };
    unbound = row;
    candidates = candidates.flatMap(({ key, place }) => [
      { key, place: { seq, hash } },
      { key, place: { seq, hash: hashOf(key, place, row) } },
    ]);
    return undefined;
  }

  function take(row: FoundRow): void {
    if (problem !== undefined) {
      if (problem.what === 'removed' && row.seq === problem.seq)
        problem = { ...problem, id: row.id, what: 'moved' };
      return;
    }
    const candidate = findCandidate(row);
    fail(candidate === undefined ? takeStray(row) : takeBound(row, candidate));
  }

  return {
    get place() {
      return place;
    },
    get problem() {
      return problem;
    },
    startAfter(checkpoint) {
      candidates = keys.map((key) => ({ key, place: checkpoint }));
      place = checkpoint;
    },
    mustReach(found) {
      if (found.seq > (head?.seq ?? 0)) head = found;
    },
    mustHold(found) {
      kept = found;
    },
    take,
    fail,
    finish() {
      if (unbound !== undefined) fail({ seq: unbound.seq, id: unbound.id, what: 'unbound' });
      if (early !== undefined || Math.max(head?.seq ?? 0, kept?.seq ?? 0) > place.seq)
        fail({ seq: place.seq + 1, id: null, what: 'removed' });
      return problem;
    },
  };
}
