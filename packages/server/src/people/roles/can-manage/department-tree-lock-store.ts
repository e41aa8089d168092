// The lock of the department tree. A change of the tree holds it alone; a check of who can manage whom shares it, so that no
// department moves until the check's transaction ends.
import { sql } from 'kysely';
import type { StoreTransaction } from '../../../cluster/store/store.ts';

const tree = sql`hashtextextended('departments', 0)`;

/** One change of the tree at a time: two moves, each valid alone, could close a circle. */
export async function lockTree(transaction: StoreTransaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(${tree})`.execute(transaction);
}

/** Keeps every department where it is until the transaction ends. */
export async function holdTree(transaction: StoreTransaction): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${tree})`.execute(transaction);
}
