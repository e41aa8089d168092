// SQL of the list of live sessions. What has ended is told by other tables, so ended ones are walked over; a page
// walks so far and no further, however many lie in between.
import { jtiPattern } from '@portcullis/contract';
import { sql } from 'kysely';
import { Type } from 'typebox';
import { createCursor } from '../../cluster/store/cursor.ts';
import type { Page } from '../../cluster/store/page.ts';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';
import type { UserScope } from '../../people/users/user-scope.ts';

interface SessionQuery {
  readonly after: string | undefined;
  readonly limit: number;
  readonly userId: number | undefined;
  readonly jti?: string;
}

/** How many rows a page looks at. Where too few of them live, the page is short and has a next one all the same. */
const walk = 5000;

const cursor = createCursor(
  Type.Object({
    /** Since 1970, as exactly as Postgres has it: a Date would round, and rows in between would be lost. */
    microseconds: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    jti: Type.String({ pattern: jtiPattern }),
  }),
);

/** Undefined where there is no such session in the scope, or it has ended. */
export async function findSession(store: Store, scope: UserScope, jti: string) {
  const { items } = await listSessions(store, scope, { after: undefined, limit: 1, userId: undefined, jti });
  return items.at(0);
}

/** Newest first, of the people in the scope. One moment for both reads, so that no session falls between two pages. */
export async function listSessions(store: Store, scope: UserScope, asked: SessionQuery) {
  const query = scope.kind === 'own' ? { ...asked, userId: scope.userId } : asked;
  if (asked.userId !== undefined && asked.userId !== query.userId) return { items: [], next: null };
  const departments = scope.kind === 'departments' ? scope.departments : undefined;
  return await store
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction): Promise<Page<ReturnType<typeof itemOf>>> => {
      const rows = await selectLive(transaction, query, departments);
      const shown = rows.slice(0, query.limit);
      const last = rows.length > query.limit ? shown.at(-1) : await findEndOfWalk(transaction, query);
      const next = last && cursor.write({ microseconds: last.microseconds, jti: last.jti });
      return { items: shown.map(itemOf), next: next ?? null };
    });
}

/** The rows that a page looks at, live and ended. */
function selectWalked(transaction: StoreTransaction, { after, userId, jti }: SessionQuery) {
  const place = cursor.read(after);
  return transaction
    .selectFrom('sessions')
    .select(['jti', 'user_id', 'role_key', 'kid', 'epoch', 'user_agent', 'issued_at', 'expires_at'])
    .select(sql<string | null>`host(ip)`.as('ip'))
    .select(sql<number>`(extract(epoch from issued_at) * 1000000)::bigint`.as('microseconds'))
    .$if(place !== undefined, (select) =>
      select.where(
        sql<boolean>`(issued_at, jti) < (timestamptz 'epoch' + ${place?.microseconds} * interval '1 microsecond', ${place?.jti})`,
      ),
    )
    .$if(userId !== undefined, (select) => select.where('user_id', '=', userId ?? 0))
    .$if(jti !== undefined, (select) => select.where('jti', '=', jti ?? ''))
    .orderBy('issued_at', 'desc')
    .orderBy('jti', 'desc')
    .limit(walk);
}

/**
 * The lateral part with its limit, and the array, leave the planner one plan: along the index, asking about one row
 * after the other until the page is full. Free to join as it likes it reads whole tables: 70 ms instead of 1.
 */
async function selectLive(
  transaction: StoreTransaction,
  query: SessionQuery,
  departments: readonly number[] | undefined,
) {
  return await transaction
    .selectFrom(selectWalked(transaction, query).as('walked'))
    .innerJoinLateral(
      ({ selectFrom }) =>
        selectFrom('users')
          .select(['username', 'nick_name', 'role_id'])
          .whereRef('users.id', '=', 'walked.user_id')
          .whereRef('users.epoch', '=', 'walked.epoch')
          .where('users.enabled', '=', true)
          .where('users.deleted_at', 'is', null)
          .$if(departments !== undefined, (select) =>
            select.where(sql<boolean>`users.department_id = any(${departments}::bigint[])`),
          )
          .where(({ not, exists, selectFrom }) =>
            not(
              exists(selectFrom('revocations').select('jti').whereRef('revocations.jti', '=', 'walked.jti')),
            ),
          )
          .limit(1)
          .as('owner'),
      (join) => join.onTrue(),
    )
    .selectAll('walked')
    .select(['owner.username', 'owner.nick_name', 'owner.role_id'])
    .where('walked.expires_at', '>', sql<Date>`now()`)
    .where(sql<boolean>`walked.kid = any (array(select kid from keys where retired_at is null))`)
    .orderBy('walked.issued_at', 'desc')
    .orderBy('walked.jti', 'desc')
    .limit(query.limit + 1)
    .execute();
}

/** Undefined where the walk came to the end of the table. */
async function findEndOfWalk(transaction: StoreTransaction, query: SessionQuery) {
  return await selectWalked(transaction, query)
    .offset(walk - 1)
    .limit(1)
    .executeTakeFirst();
}

interface SessionRow {
  readonly jti: string;
  readonly user_id: number;
  readonly username: string;
  readonly nick_name: string;
  readonly role_id: number;
  readonly role_key: string;
  readonly ip: string | null;
  readonly user_agent: string | null;
  readonly issued_at: Date;
  readonly expires_at: Date;
}

function itemOf(row: SessionRow) {
  return {
    jti: row.jti,
    userId: row.user_id,
    username: row.username,
    name: row.nick_name,
    roleId: row.role_id,
    roleKey: row.role_key,
    ip: row.ip,
    userAgent: row.user_agent,
    issuedAt: row.issued_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
  };
}
