// SQL of the list of users: sorted by name, filtered, paginated by cursor. A page scans a limited part of one index, however few of
// millions of users match.
import type { User, UserKind } from '@portcullis/contract';
import { type Expression, type SqlBool, sql } from 'kysely';
import { Type } from 'typebox';
import { canonicalUsername } from '../../base/values/canonical-username.ts';
import { createCursor } from '../../cluster/store/cursor.ts';
import type { Page } from '../../cluster/store/page.ts';
import type { Store } from '../../cluster/store/store.ts';
import type { UserScope } from './user-scope.ts';
import { isStorable } from './user-store.ts';

export interface UserQuery {
  readonly after?: string;
  readonly limit: number;
  /** A prefix of the username. */
  readonly username?: string;
  readonly roleId?: number;
  readonly departmentId?: number;
  readonly enabled?: boolean;
  readonly kind?: UserKind;
  readonly secondFactor?: boolean;
}

/** How many rows a page scans. If too few of them match, the page is short but still has a next page. */
const walk = 5000;
/** At most this many departments are scanned side by side. More departments have so many users that a scan by name finds them. */
export const mostLanes = 100;
/** Appended to a prefix, it sorts after every name with this prefix. */
export const last = '\u{10ffff}';

const name = sql<string>`canonical_username collate "C"`;
export const columns = [
  ...['id', 'username', 'canonical_username', 'nick_name', 'department_id', 'role_id'],
  ...['enabled', 'kind', 'password_due', 'mail', 'created_at', 'revision'],
] as const;
/** The last user shown, by name. Where a scan ended, only the user's id, because the caller might not see that user. */
const cursor = createCursor(
  Type.Union([
    Type.Object({ username: Type.String({ pattern: '^[^\\p{Cs}\\u0000]+$' }) }),
    Type.Object({ id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) }),
  ]),
);

/** Both reads use one snapshot, so that no user is missing between two pages. */
export async function listUsers(store: Store, scope: UserScope, query: UserQuery): Promise<Page<User>> {
  const path = pathOf(scope, query);
  if (path === undefined) return { items: [], next: null };
  return await store
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction) => {
      const rows = await selectShown(transaction, scope, query, path);
      const shown = rows.slice(0, query.limit);
      const lastShown = rows.length > query.limit ? shown.at(-1) : undefined;
      const end = lastShown
        ? { username: lastShown.canonical_username }
        : await findEndOfWalk(transaction, path);
      return { items: shown.map(itemOf), next: end ? cursor.write(end) : null };
    });
}

/** The part of an index that is scanned: all users, those of a role, or those of some departments. */
interface Path {
  readonly conditions: readonly Expression<SqlBool>[];
  readonly departments: readonly number[] | undefined;
  /** How many rows are scanned in each department; the first `length` rows of all departments together are complete. */
  readonly length: number;
}

/** Undefined if no user can match. */
function pathOf(
  scope: UserScope,
  { after, limit, username, roleId, departmentId, enabled, kind, secondFactor }: UserQuery,
): Path | undefined {
  const prefix = username === undefined ? undefined : canonicalUsername(username);
  if (prefix !== undefined && !isStorable(prefix)) return undefined;
  const departments = departmentsOf(scope, departmentId);
  if (departments?.length === 0) return undefined;
  const position = cursor.read(after);
  const conditions = [
    ...(position === undefined ? [] : [sql<SqlBool>`${name} > ${nameAt(position)}`]),
    ...(prefix === undefined ? [] : [sql<SqlBool>`${name} >= ${prefix} and ${name} < ${prefix + last}`]),
    ...(scope.kind === 'own' ? [sql<SqlBool>`id = ${scope.userId}`] : []),
    // Service accounts are few among many users, and have a separate index.
    ...(kind === 'service' ? [sql<SqlBool>`kind = 'service'`] : []),
  ];
  const [department, ...others] = departments ?? [];
  if (department !== undefined && others.length === 0) {
    const ofDepartment = sql<SqlBool>`department_id = ${department}`;
    return { conditions: [...conditions, ofDepartment], departments: undefined, length: walk };
  }
  if (departments !== undefined && departments.length <= mostLanes) {
    // The rows of all departments are read before the first row is known, so each scan is no longer than needed.
    const isFiltered = [roleId, enabled, kind, secondFactor].some((asked) => asked !== undefined);
    const length = isFiltered ? Math.max(limit + 1, Math.floor(walk / departments.length)) : limit + 1;
    return { conditions, departments, length };
  }
  const ofRole = roleId === undefined ? [] : [sql<SqlBool>`role_id = ${roleId}`];
  return { conditions: [...conditions, ...ofRole], departments: undefined, length: walk };
}

function nameAt(position: { readonly username: string } | { readonly id: number }) {
  return 'username' in position
    ? sql`${position.username}`
    : sql`(select canonical_username collate "C" from users where id = ${position.id})`;
}

/** The departments that are both visible and asked for; undefined if these are all departments. */
export function departmentsOf(
  scope: UserScope,
  departmentId: number | undefined,
): readonly number[] | undefined {
  const asked = departmentId === undefined ? undefined : [departmentId];
  if (scope.kind !== 'departments') return asked;
  return scope.departments.filter((id) => asked === undefined || asked.includes(id));
}

function selectWalked(store: Store, { conditions, departments, length }: Path) {
  const lane = (more: readonly Expression<SqlBool>[]) =>
    store
      .selectFrom('users')
      .select(columns)
      .where('deleted_at', 'is', null)
      .where(({ and }) => and([...conditions, ...more]))
      .orderBy(name)
      .limit(length);
  if (departments === undefined) return lane([]);
  return store
    .selectFrom(sql<{ id: number }>`unnest(${departments}::bigint[])`.as<'lanes'>(sql`lanes (id)`))
    .innerJoinLateral(lane([sql<SqlBool>`department_id = lanes.id`]).as('lane'), (join) => join.onTrue())
    .selectAll('lane')
    .orderBy(name)
    .limit(length);
}

async function selectShown(store: Store, scope: UserScope, query: UserQuery, path: Path) {
  const { roleId, departmentId, enabled, kind, secondFactor } = query;
  const departments = scope.kind === 'departments' ? scope.departments : undefined;
  return await store
    .selectFrom(selectWalked(store, path).as('walked'))
    .selectAll('walked')
    .select(({ selectFrom }) => [
      selectFrom('departments')
        .select('name')
        .whereRef('id', '=', 'walked.department_id')
        .as('department_name'),
      selectFrom('roles').select('role_key').whereRef('id', '=', 'walked.role_id').as('role_key'),
      selectFrom('roles').select('name').whereRef('id', '=', 'walked.role_id').as('role_name'),
    ])
    .$if(departments !== undefined, (select) =>
      select.where('department_id', '=', sql<number>`any(${departments}::bigint[])`),
    )
    .$if(departmentId !== undefined, (select) => select.where('department_id', '=', departmentId ?? 0))
    .$if(roleId !== undefined, (select) => select.where('role_id', '=', roleId ?? 0))
    .$if(enabled !== undefined, (select) => select.where('enabled', '=', enabled ?? false))
    .$if(kind !== undefined, (select) => select.where('kind', '=', kind ?? 'person'))
    .$if(secondFactor !== undefined, (select) => select.where(hasSecondFactor('walked.id', secondFactor)))
    .orderBy(name)
    .limit(query.limit + 1)
    .execute();
}

/** Counts only second factors that are confirmed and not ended. */
export function hasSecondFactor(userId: string, wanted: boolean | undefined): Expression<SqlBool> {
  return sql<SqlBool>`${wanted} = exists (select from credentials where user_id = ${sql.ref(userId)}
    and kind <> 'key' and confirmed_at is not null and ended_at is null)`;
}

/** Undefined if the scan reached the end of the index. */
async function findEndOfWalk(store: Store, path: Path) {
  return await store
    .selectFrom(selectWalked(store, path).as('walked'))
    .select('id')
    .orderBy(name)
    .offset(path.length - 1)
    .limit(1)
    .executeTakeFirst();
}

/** Finds a deleted user too, for the retry of a deletion. */
export async function findUser(store: Store, id: number) {
  const row = await store
    .selectFrom('users')
    .innerJoin('roles', 'roles.id', 'users.role_id')
    .innerJoin('departments', 'departments.id', 'users.department_id')
    .select(columns.map((column) => `users.${column}` as const))
    .select([
      'roles.role_key',
      'roles.name as role_name',
      'departments.name as department_name',
      'deleted_at',
    ])
    .where('users.id', '=', id)
    .executeTakeFirst();
  return row === undefined ? undefined : { user: itemOf(row), isDeleted: row.deleted_at !== null };
}

interface UserRow {
  readonly id: number;
  readonly kind: UserKind;
  readonly username: string;
  readonly nick_name: string;
  readonly department_id: number;
  readonly department_name: string | null;
  readonly role_id: number;
  readonly role_key: string | null;
  readonly role_name: string | null;
  readonly enabled: boolean;
  readonly password_due: boolean;
  readonly mail: string | null;
  readonly created_at: Date;
  readonly revision: number;
}

export function itemOf(row: UserRow): User {
  return {
    id: row.id,
    kind: row.kind,
    username: row.username,
    name: row.nick_name,
    departmentId: row.department_id,
    departmentName: row.department_name ?? '',
    roleId: row.role_id,
    roleKey: row.role_key ?? '',
    roleName: row.role_name ?? '',
    enabled: row.enabled,
    passwordChangeRequired: row.password_due,
    mail: row.mail,
    createdAt: row.created_at.toISOString(),
    revision: row.revision,
  };
}
