// Hash chain of the login log (HMAC): binds each record to the one before it, with a key that the database does not hold. An
// attacker who changes, removes, adds or reorders records in the database cannot make the hashes fit again.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { boundColumnsOf, type ChainedRow, type LoginRow } from './login-row.ts';

/** A key object is prepared once; a hash then takes a third of the time. */
export type ChainKey = Buffer | KeyObject;

/** A position in a chain: the number of a record, and its hash. Number 0 is the beginning. */
export interface ChainPosition {
  readonly seq: number;
  readonly hash: Buffer;
}

export interface Chain {
  readonly id: string;
  /** The position of the last record that was added. */
  readonly last: ChainPosition;
  /** Adds a record at the end. */
  add(row: LoginRow): ChainedRow;
}

export function createChain(keyBytes: Buffer, id: string): Chain {
  const key = createSecretKey(keyBytes);
  const chain = { id, last: firstPosition(key, id), add };
  function add(row: LoginRow): ChainedRow {
    const seq = chain.last.seq + 1;
    const hash = hashOf(key, chain.last, row);
    chain.last = { seq, hash };
    return { ...row, chain: id, seq, hash: `\\x${hash.toString('hex')}` };
  }
  return chain;
}

export function firstPosition(key: ChainKey, chain: string): ChainPosition {
  return { seq: 0, hash: createHmac('sha256', key).update(`portcullis login log 1 ${chain}`).digest() };
}

/** The hash of the record after `previous`. */
export function hashOf(key: ChainKey, previous: ChainPosition, row: LoginRow): Buffer {
  return createHmac('sha256', key)
    .update(previous.hash)
    .update(JSON.stringify([previous.seq + 1, ...boundColumnsOf(row).map((column) => row[column])]))
    .digest();
}

/** Signs a position, so that it can be kept apart from the records. */
export function signLink(
  key: ChainKey,
  chain: string,
  { seq, hash }: ChainPosition,
  kind: 'head' | 'checkpoint',
): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify([`portcullis login log ${kind} 1`, chain, seq, hash.toString('hex')]))
    .digest();
}
