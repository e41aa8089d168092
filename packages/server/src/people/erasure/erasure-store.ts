// SQL of the erasures themselves: who is to be forgotten, and how far that is.
import { sql } from 'kysely';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';
import type { SignedErasureAuthorization } from './erasure-authorization.ts';

export interface StoredErasure extends SignedErasureAuthorization {
  readonly loginRecords: number;
  readonly auditRecords: number;
  readonly otherRows: number;
  readonly unsealed: number;
  readonly finishedAt: Date | null;
}

const columns = [
  'id',
  'user_id as userId',
  'reference',
  'at',
  'signature',
  'login_records as loginRecords',
  'audit_records as auditRecords',
  'other_rows as otherRows',
  'unsealed',
  'finished_at as finishedAt',
] as const;

export async function findErasure(store: Store, userId: number): Promise<StoredErasure | undefined> {
  return await store.selectFrom('erasures').select(columns).where('user_id', '=', userId).executeTakeFirst();
}

/** Behind the given id, in the order of ids. */
export async function listOpenErasures(
  store: Store,
  { after, most }: { readonly after: string; readonly most: number },
): Promise<StoredErasure[]> {
  return await store
    .selectFrom('erasures')
    .select(columns)
    .where('finished_at', 'is', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(most)
    .execute();
}

/** Behind the given id, in the order of ids. */
export async function listErasures(
  store: Store,
  { after, most }: { readonly after: string; readonly most: number },
): Promise<StoredErasure[]> {
  return await store
    .selectFrom('erasures')
    .select(columns)
    .where('id', '>', after)
    .orderBy('id')
    .limit(most)
    .execute();
}

/** False where somebody else has begun it. */
export async function insertErasure(
  transaction: StoreTransaction,
  authorization: SignedErasureAuthorization,
): Promise<boolean> {
  const { id, userId, reference, at, signature } = authorization;
  const inserted = await transaction
    .insertInto('erasures')
    .values({ id, user_id: userId, reference, at, signature })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** Nothing where there is none. */
export async function reopenErasure(store: Store, userId: number): Promise<void> {
  await store.updateTable('erasures').set({ finished_at: null }).where('user_id', '=', userId).execute();
}

/** Those of whom records are readable that an instance of the version before stored. How many. */
export async function reopenWhereReadable(store: Store): Promise<number> {
  const { numAffectedRows } = await sql`
    update erasures set finished_at = null where finished_at is not null and exists (
      select from login_log where (user_id & 1023) = (erasures.user_id & 1023) and user_id = erasures.user_id
        and erasure is null)`.execute(store);
  return Number(numAffectedRows ?? 0);
}

export interface Account {
  readonly userId: number;
  /** Undefined where it was erased. */
  readonly username: string | undefined;
  /** To the microsecond. */
  readonly createdAt: string;
  readonly isDeleted: boolean;
}

/** Also one that was deleted. */
export async function findAccount(store: Store, userId: number): Promise<Account | undefined> {
  const { rows } = await sql<{ username: string; created_at: string; deleted: boolean }>`
    select username, extract(epoch from created_at)::text as created_at, deleted_at is not null as deleted
    from users where id = ${userId}`.execute(store);
  return rows.map(({ username, created_at: createdAt, deleted: isDeleted }) => ({
    userId,
    username: username === erasedName(userId) ? undefined : username,
    createdAt,
    isDeleted,
  }))[0];
}

/** Nobody can have this name: brackets are in none. */
export function erasedName(userId: number): string {
  return `[erased:${userId}]`;
}

/** Where the record of an erasure stands in the audit log. */
export async function findRecord(
  store: Store,
  { id, userId }: Pick<StoredErasure, 'id' | 'userId'>,
): Promise<{ readonly id: string; readonly seq: number | null } | undefined> {
  const { rows } = await sql<{ id: string; seq: number | null }>`
    select audit_log.id, chained.seq from audit_log left join audit_log_chain as chained on chained.id = audit_log.id
    where target = ${`user ${userId}`} and action = 'user.erase' and after ->> 'erasure' = ${id}
    order by audit_log.id limit 1`.execute(store);
  return rows[0];
}
