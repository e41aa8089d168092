// Verifies the login log: walks each hash chain from its beginning, or from its checkpoint, and names the first record of each
// that was changed, removed, moved or added.
import { createSecretKey } from 'node:crypto';
import { type ChainKey, type ChainPosition, signLink } from '../login-log/chain.ts';
import { isMarkedErased } from '../login-log/erased-row.ts';
import { readRejectedRecord } from '../login-log/rejected-record.ts';
import { type ChainWalk, createChainWalk, type Problem } from './chain-walk.ts';
import type { StoredHead } from './head-store.ts';
import type { KeptHeads } from './kept-heads.ts';
import type { StoredRow } from './verify-store.ts';

export interface Verifier {
  /** Takes all heads before the first record. */
  takeHead(head: StoredHead): void;
  /**
   * Takes the records in the order of their ids. Returns whether this one, and all of its chain before it, is as it was written.
   */
  takeRow(row: StoredRow): boolean;
  /** The last record of a chain that is as it was written. */
  placeOf(chain: string): ChainPosition | undefined;
  finish(): Findings;
}

export interface Findings {
  readonly records: number;
  /** Of them, the rejected ones (dead letters). */
  readonly deadLetters: number;
  /** Of them, those from before there were chains. */
  readonly unchained: number;
  /** Of them, those that were erased with a person. */
  readonly erased: number;
  readonly chains: number;
  readonly problems: readonly Problem[];
}

/** The keys can bind a chain; `kept` is how far the chains reached at an earlier time. */
export function createVerifier(
  [firstKey, ...furtherKeys]: readonly [Buffer, ...Buffer[]],
  kept?: KeptHeads,
): Verifier {
  const keys: [ChainKey, ...ChainKey[]] = [
    createSecretKey(firstKey),
    ...furtherKeys.map((key) => createSecretKey(key)),
  ];
  const walks = new Map<string, ChainWalk>();
  const reached = new Map<string, number>();
  const problems: Problem[] = [];
  let records = 0;
  let deadLetters = 0;
  let unchained = 0;
  let erased = 0;
  let isChained = false;
  let isStraying = false;

  function walkOf(chain: string): ChainWalk {
    const walk = walks.get(chain) ?? createChainWalk(keys, chain);
    walks.set(chain, walk);
    return walk;
  }

  function takeDeadLetter(walk: ChainWalk, row: StoredRow): void {
    deadLetters += 1;
    const letter = readDeadLetter(row);
    if (letter === undefined) walk.fail({ seq: row.seq, id: row.id, what: 'changed' });
    else walk.take(letter);
  }

  /** There can be many: only the first one is named. */
  function stray(id: string | null): void {
    if (!isStraying) problems.push({ chain: null, seq: null, id, what: 'added' });
    isStraying = true;
  }

  for (const { chain, ...link } of kept?.heads ?? []) walkOf(chain).mustHold(link);
  return {
    takeHead({ chain, checkpoint, signature, seq, hash }) {
      const link = { seq, hash };
      const kind = checkpoint ? 'checkpoint' : 'head';
      if (!keys.some((key) => signLink(key, chain, link, kind).equals(signature))) {
        problems.push({ chain, seq, id: null, what: `${kind}_changed` });
        return;
      }
      reached.set(chain, Math.max(seq, reached.get(chain) ?? 0));
      if (checkpoint) walkOf(chain).startAfter(link);
      else walkOf(chain).mustReach(link);
    },
    takeRow(row) {
      records += 1;
      if (isMarkedErased(row)) erased += 1;
      if (row.chain === null) {
        unchained += 1;
        if (isChained) stray(row.id);
        return !isChained;
      }
      isChained = true;
      const walk = walkOf(row.chain);
      if (row.raw === null) walk.take({ ...row, at: isoOf(row.at) });
      else takeDeadLetter(walk, row);
      return walk.problem === undefined && walk.place.seq === row.seq;
    },
    placeOf: (chain) => walks.get(chain)?.place,
    finish() {
      for (const walk of walks.values()) {
        const problem = walk.finish();
        if (problem !== undefined) problems.push(problem);
      }
      for (const { chain, seq } of kept?.heads ?? [])
        if ((reached.get(chain) ?? 0) < seq) problems.push({ chain, seq, id: null, what: 'head_removed' });
      if (kept !== undefined && unchained > kept.unchained) stray(null);
      return { records, deadLetters, unchained, erased, chains: walks.size, problems };
    },
  };
}

/** Converts `2026-01-31 09:30:00.12+00` to the form that was hashed: `2026-01-31T09:30:00.120Z`. */
function isoOf(at: string): string {
  const fraction = at.slice(19, -3) || '.';
  return `${at.slice(0, 10)}T${at.slice(11, 19)}${fraction.padEnd(4, '0')}Z`;
}

/** Undefined unless the dead letter is, byte for byte, a record with the position that its columns state. */
function readDeadLetter({ id, chain, seq, hash, raw, erasure, seal }: StoredRow) {
  const { row, isWhole } = (raw === null ? undefined : readRejectedRecord(raw, hash)) ?? {};
  const isItself = row?.id === id && row.chain === chain && row.seq === seq;
  return isWhole === true && isItself ? { ...row, hash, erasure, seal } : undefined;
}
