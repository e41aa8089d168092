// SQL of the signed heads of the login log: how far each chain reaches.
import { sql } from 'kysely';
import { readPages } from '../../cluster/store/read-pages.ts';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';
import type { ChainPosition } from '../login-log/chain.ts';

export interface Head extends ChainPosition {
  readonly chain: string;
  readonly signature: Buffer;
}

export interface StoredHead extends Head {
  /** Whether the records up to it were dropped with their month. */
  readonly checkpoint: boolean;
}

/** An existing head for the position says the same. */
export async function insertHead(store: Store, { chain, seq, hash, signature }: Head): Promise<void> {
  await store
    .insertInto('login_log_heads')
    .values({ chain, seq, hash, signature })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** By chain, each in the order of its numbers. */
export function readHeads(transaction: StoreTransaction): AsyncGenerator<StoredHead[]> {
  return readPages<StoredHead>(
    transaction,
    'heads',
    sql`select chain, seq, hash, checkpoint, signature from login_log_heads order by chain, seq, checkpoint`,
  );
}
