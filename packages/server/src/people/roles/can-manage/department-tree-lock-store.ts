// The advisory lock of the department tree. A change of the tree takes it exclusively; a privilege escalation check takes it
// shared, so that no department moves until the check's transaction ends.
import { sql } from 'kysely';
import type { StoreTransaction } from '../../../cluster/store/store.ts';

const tree = sql`hashtextextended('departments', 0)`;

/** One change of the tree at a time: two concurrent moves, each valid alone, could form a cycle. */
export async function lockTree(transaction: StoreTransaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(${tree})`.execute(transaction);
}

/** Shared: no department moves until the transaction ends. */
export async function holdTree(transaction: StoreTransaction): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${tree})`.execute(transaction);
}
