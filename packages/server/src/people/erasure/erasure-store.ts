// SQL of erasures: which persons are erased, and the progress.
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

/** Unfinished erasures after the given id, sorted by id. */
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

/** Erasures after the given id, sorted by id. */
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

/** False if another call has already begun the erasure. */
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

/** Does nothing if the person has no erasure. */
export async function reopenErasure(store: Store, userId: number): Promise<void> {
  await store.updateTable('erasures').set({ finished_at: null }).where('user_id', '=', userId).execute();
}

/**
 * Reopens erasures whose person has readable login records, stored later by an instance of the previous version. Returns how many
 * were reopened.
 */
export async function reopenWhereReadable(store: Store): Promise<number> {
  const { numAffectedRows } = await sql`
    update erasures set finished_at = null where finished_at is not null and exists (
      select from login_log where (user_id & 1023) = (erasures.user_id & 1023) and user_id = erasures.user_id
        and erasure is null)`.execute(store);
  return Number(numAffectedRows ?? 0);
}

export interface Account {
  readonly userId: number;
  /** Undefined if it was erased. */
  readonly username: string | undefined;
  /** Seconds since 1970, to the microsecond. */
  readonly createdAt: string;
  readonly isDeleted: boolean;
}

/** Finds a deleted account too. */
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

/** No user can choose this name, because usernames contain no brackets. */
export function erasedName(userId: number): string {
  return `[erased:${userId}]`;
}

/** The audit record of the erasure, with its position in the chain. */
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
