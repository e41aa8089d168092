// SQL of the list of live sessions, with pagination. Other tables say which sessions have ended, so the query reads ended rows
// and skips them. A page reads a limited number of rows, however many ended rows lie between live ones.
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

/** How many rows a page reads. If too few of them are live, the page is short and still has a next page. */
const walk = 5000;

const cursor = createCursor(
  Type.Object({
    /** Since 1970, in the precision of Postgres: a Date would round, and rows between two pages would be lost. */
    microseconds: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    jti: Type.String({ pattern: jtiPattern }),
  }),
);

/** Undefined if the scope has no such session, or it has ended. */
export async function findSession(store: Store, scope: UserScope, jti: string) {
  const { items } = await listSessions(store, scope, { after: undefined, limit: 1, userId: undefined, jti });
  return items.at(0);
}

/** Newest first, for the users in the scope. Both reads use one snapshot, so that no session is lost between two pages. */
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

/** The rows that a page reads, live and ended. */
function selectWalked(transaction: StoreTransaction, { after, userId, jti }: SessionQuery) {
  const position = cursor.read(after);
  return transaction
    .selectFrom('sessions')
    .select(['jti', 'user_id', 'role_key', 'kid', 'epoch', 'user_agent', 'issued_at', 'expires_at'])
    .select(sql<string | null>`host(ip)`.as('ip'))
    .select(sql<number>`(extract(epoch from issued_at) * 1000000)::bigint`.as('microseconds'))
    .$if(position !== undefined, (select) =>
      select.where(
        sql<boolean>`(issued_at, jti) < (timestamptz 'epoch' + ${position?.microseconds} * interval '1 microsecond', ${position?.jti})`,
      ),
    )
    .$if(userId !== undefined, (select) => select.where('user_id', '=', userId ?? 0))
    .$if(jti !== undefined, (select) => select.where('jti', '=', jti ?? ''))
    .orderBy('issued_at', 'desc')
    .orderBy('jti', 'desc')
    .limit(walk);
}

/**
 * The lateral join with its limit, and the array, leave the planner one plan: it follows the index and checks row by row until
 * the page is full. With other joins the planner reads whole tables: 70 ms instead of 1 ms.
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

/** Undefined if the page read up to the end of the table. */
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
