// SQL of the search for users, by prefixes of the words of their names, paginated by cursor. Like the list by name, a page scans a
// limited part of an index, here of the matching words; a user with several matching words is shown at the first of them.
import type { User } from '@portcullis/contract';
import { type Expression, type SqlBool, sql } from 'kysely';
import { Type } from 'typebox';
import { canonicalUsername } from '../../base/values/canonical-username.ts';
import { createCursor } from '../../cluster/store/cursor.ts';
import type { Page } from '../../cluster/store/page.ts';
import type { Store } from '../../cluster/store/store.ts';
import {
  columns,
  departmentsOf,
  hasSecondFactor,
  itemOf,
  last,
  mostLanes,
  type UserQuery,
} from './user-list-store.ts';
import type { UserScope } from './user-scope.ts';
import { isStorable } from './user-store.ts';

export interface UserSearch extends UserQuery {
  readonly search: string;
}

/** How many words a page scans: fewer than the list by name, because each one is compared with the other words of its user. */
const walk = 2000;

/**
 * The user, and which of the user's matching words. Not the word itself: a scan can end at a user whom the caller is not allowed to
 * see.
 */
const cursor = createCursor(
  Type.Object({
    id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    nth: Type.Integer({ minimum: 0, maximum: 1000 }),
  }),
);

/** Both reads use one snapshot, so that no user is missing between two pages. */
export async function searchUsers(store: Store, scope: UserScope, query: UserSearch): Promise<Page<User>> {
  const path = pathOf(scope, query);
  if (path === undefined) return { items: [], next: null };
  return await store
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction) => {
      const rows = await selectShown(transaction, scope, query, path);
      const shown = rows.slice(0, query.limit);
      const end = rows.length > query.limit ? shown.at(-1) : await findEndOfWalk(transaction, path);
      return {
        items: shown.map(itemOf),
        next: end ? cursor.write({ id: end.user_id, nth: end.nth }) : null,
      };
    });
}

interface Path {
  /** The longest of the searched words, which is usually the rarest. */
  readonly word: string;
  readonly others: readonly string[];
  readonly conditions: readonly Expression<SqlBool>[];
  readonly departments: readonly number[] | undefined;
  /** How many words are scanned in each department; the first `length` words of all departments together are complete. */
  readonly length: number;
}

/** Undefined if no user can match. */
function pathOf(scope: UserScope, { after, limit, search, departmentId }: UserSearch): Path | undefined {
  const words = search.normalize('NFKC').split(' ').filter(Boolean);
  const [word, ...others] = words.toSorted((a, b) => b.length - a.length);
  if (word === undefined || !isStorable(search)) return undefined;
  const position = cursor.read(after);
  const departments = departmentsOf(scope, departmentId);
  if (departments?.length === 0) return undefined;
  const conditions = [
    begins('word', word),
    ...(position === undefined
      ? []
      : [sql<SqlBool>`(word, user_id) > (${wordAt(word, position)}, ${position.id}::bigint)`]),
    ...(scope.kind === 'own' ? [sql<SqlBool>`user_id = ${scope.userId}`] : []),
  ];
  const lanes = departments === undefined || departments.length > mostLanes ? undefined : departments;
  const length = lanes === undefined ? walk : Math.max(limit + 1, Math.floor(walk / lanes.length));
  return { word, others, conditions, departments: lanes, length };
}

/** The database normalises both sides (`search_text`), so that they cannot differ. */
function begins(column: string, word: string): Expression<SqlBool> {
  const [of, low] = [sql.ref(column), sql`search_text(${word})`];
  return sql<SqlBool>`${of} >= ${low} and ${of} < ${low} || ${last}`;
}

/** If the user was renamed meanwhile, the word is missing: then the page starts at the beginning, so that no user is left out. */
function wordAt(word: string, { id, nth }: { readonly id: number; readonly nth: number }) {
  return sql`coalesce((select placed.word from user_words as placed where placed.user_id = ${id}
    and ${begins('placed.word', word)} order by placed.word limit 1 offset ${nth}), search_text(${word}))`;
}

/** How many matching words of the same user come before it. */
function nthOf(word: string) {
  return sql<number>`(select count(*)::int from user_words as former where former.user_id = walked.user_id
    and ${begins('former.word', word)} and former.word < walked.word)`;
}

function selectWalked(store: Store, { conditions, departments, length }: Path) {
  const lane = (more: readonly Expression<SqlBool>[]) =>
    store
      .selectFrom('user_words')
      .select(['word', 'user_id'])
      .where(({ and }) => and([...conditions, ...more]))
      .orderBy('word')
      .orderBy('user_id')
      .limit(length);
  const [department, ...others] = departments ?? [];
  if (departments === undefined) return lane([]);
  if (others.length === 0) return lane([sql<SqlBool>`department_id = ${department}`]);
  return store
    .selectFrom(sql<{ id: number }>`unnest(${departments}::bigint[])`.as<'lanes'>(sql`lanes (id)`))
    .innerJoinLateral(lane([sql<SqlBool>`department_id = lanes.id`]).as('lane'), (join) => join.onTrue())
    .select(['lane.word', 'lane.user_id'])
    .orderBy('word')
    .orderBy('user_id')
    .limit(length);
}

async function selectShown(store: Store, scope: UserScope, query: UserSearch, path: Path) {
  const { username, roleId, departmentId, enabled, kind, secondFactor } = query;
  const departments = scope.kind === 'departments' ? scope.departments : undefined;
  const prefix = canonicalUsername(username ?? '');
  // One index lookup among the words of the user each: a join could first read all words with this prefix.
  const firstOf = (word: string) =>
    sql`(select min(word) from user_words where user_id = walked.user_id and ${begins('word', word)})`;
  return await store
    .selectFrom(selectWalked(store, path).as('walked'))
    .innerJoin('users', 'users.id', 'walked.user_id')
    .select(['walked.user_id', nthOf(path.word).as('nth')])
    .select(columns.map((column) => `users.${column}` as const))
    .select(({ selectFrom }) => [
      selectFrom('departments')
        .select('name')
        .whereRef('id', '=', 'users.department_id')
        .as('department_name'),
      selectFrom('roles').select('role_key').whereRef('id', '=', 'users.role_id').as('role_key'),
      selectFrom('roles').select('name').whereRef('id', '=', 'users.role_id').as('role_name'),
    ])
    .where('users.deleted_at', 'is', null)
    .$if(departments !== undefined, (select) =>
      select.where('users.department_id', '=', sql<number>`any(${departments}::bigint[])`),
    )
    .$if(scope.kind === 'own', (select) =>
      select.where('users.id', '=', scope.kind === 'own' ? scope.userId : 0),
    )
    .$if(departmentId !== undefined, (select) => select.where('users.department_id', '=', departmentId ?? 0))
    .$if(roleId !== undefined, (select) => select.where('users.role_id', '=', roleId ?? 0))
    .$if(enabled !== undefined, (select) => select.where('users.enabled', '=', enabled ?? false))
    .$if(kind !== undefined, (select) => select.where('users.kind', '=', kind ?? 'person'))
    .$if(secondFactor !== undefined, (select) => select.where(hasSecondFactor('users.id', secondFactor)))
    .$if(username !== undefined, (select) =>
      select.where(sql<SqlBool>`starts_with(canonical_username, ${prefix})`),
    )
    .where(sql<SqlBool>`walked.word = ${firstOf(path.word)}`)
    .where(({ and }) => and(path.others.map((word) => sql<SqlBool>`${firstOf(word)} is not null`)))
    .orderBy('walked.word')
    .orderBy('walked.user_id')
    .limit(query.limit + 1)
    .execute();
}

/** Undefined if the scan reached the end of the index. */
async function findEndOfWalk(store: Store, path: Path) {
  return await store
    .selectFrom(selectWalked(store, path).as('walked'))
    .select(['user_id', nthOf(path.word).as('nth')])
    .orderBy('word')
    .orderBy('user_id')
    .offset(path.length - 1)
    .limit(1)
    .executeTakeFirst();
}
