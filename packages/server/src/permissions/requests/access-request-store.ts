// SQL of access requests. Creation time and age are by the database's clock.
import {
  type AccessRequest,
  AppError,
  type HttpMethod,
  type OwnAccessRequest,
  openRequestDays,
  openRequestsLimit,
} from '@portcullis/contract';
import { sql } from 'kysely';
import { Type } from 'typebox';
import { createCursor } from '../../cluster/store/cursor.ts';
import type { Page } from '../../cluster/store/page.ts';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';
import type { UserScope } from '../../people/users/user-scope.ts';

/** Retention: the number of closed requests that are kept for each person, and the maximum age of a request. */
const keptClosed = 40;
const keptDays = 90;
/** The most open requests that one page searches: a short page can have a next page. */
const walk = 5000;
/** The number of rows that one statement deletes, so that no statement takes long. */
const batch = 5000;

const isFresh = sql<boolean>`asked_at > clock_timestamp() - ${openRequestDays} * interval '1 day'`;
const cursor = createCursor(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }));

export interface RequestedRule {
  readonly method: HttpMethod;
  readonly path: string;
}

export interface KnownRoute extends RequestedRule {
  readonly pattern: string;
  /** False if every signed-in user can call the route. */
  readonly needsRule: boolean;
}

export interface NewAccessRequest extends KnownRoute {
  readonly reason: string;
  readonly seconds: number;
}

/** The paths of imported endpoints with the same number of segments. */
export async function listCatalogPaths(
  store: Store,
  { method, path }: RequestedRule,
): Promise<{ method: HttpMethod; path: string }[]> {
  return await store
    .selectFrom('catalog')
    .select(['method', 'path'])
    .distinct()
    .where('method', '=', method)
    .where(sql<boolean>`length(path) - length(replace(path, '/', '')) = ${path.split('/').length - 1}`)
    .execute();
}

/**
 * Saves a request, and returns its id and whether anything changed. The caller holds the lock of the user's row, so a
 * concurrent call cannot exceed the limit of open requests.
 */
export async function saveRequest(
  transaction: StoreTransaction,
  userId: number,
  { method, path, pattern, reason, seconds }: NewAccessRequest,
): Promise<{ id: number; isChanged: boolean }> {
  const own = transaction.selectFrom('access_requests').where('user_id', '=', userId);
  const open = await own
    .select(['id', 'method', 'path', 'reason', 'seconds'])
    .where('state', '=', 'open')
    .where(isFresh)
    .execute();
  const same = open.find((each) => each.method === method && each.path === path);
  if (same?.reason === reason && same.seconds === seconds) return { id: same.id, isChanged: false };
  if (same === undefined && open.length >= openRequestsLimit) throw new AppError('access_request_limit');
  // The update also reopens a request that was too old.
  const { id } = await transaction
    .insertInto('access_requests')
    .values({ user_id: userId, method, path, pattern, reason, seconds })
    .onConflict((conflict) =>
      conflict
        .columns(['user_id', 'path', 'method'])
        .where('state', '=', 'open')
        .doUpdateSet({ pattern, reason, seconds, asked_at: sql<Date>`clock_timestamp()` }),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  const closed = own.select('id').where('state', '!=', 'open').orderBy('id', 'desc').offset(keptClosed);
  await transaction.deleteFrom('access_requests').where('id', 'in', closed).execute();
  return { id, isChanged: true };
}

/** Returns the request with its previous state. Throws if the person has no such request. */
export async function withdrawRequest(transaction: StoreTransaction, userId: number, id: number) {
  const request = await lockRequest(transaction, id);
  if (request === undefined || request.user_id !== userId) throw new AppError('record_not_found');
  if (request.state !== 'open') throw new AppError('already_decided');
  await transaction.updateTable('access_requests').set({ state: 'withdrawn' }).where('id', '=', id).execute();
  return request;
}

export async function findRequester(store: Store, id: number): Promise<number | undefined> {
  const row = await store
    .selectFrom('access_requests')
    .select('user_id')
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.user_id;
}

/** Locks the request until the transaction ends. Undefined if there is none, or if it is open but too old. */
export async function lockRequest(transaction: StoreTransaction, id: number) {
  return await transaction
    .selectFrom('access_requests')
    .select(['id', 'user_id', 'method', 'path', 'pattern', 'reason', 'seconds', 'state', 'revision'])
    .where('id', '=', id)
    .where(({ or, eb }) => or([isFresh, eb('state', '!=', 'open')]))
    .forUpdate()
    .executeTakeFirst();
}

interface Answer {
  readonly state: 'approved' | 'denied';
  readonly by: string;
  readonly note: string | null;
  readonly approvedPath: string | null;
  /** Milliseconds since 1970, by the database's clock. */
  readonly endsAt: number | null;
}

export async function storeDecision(
  transaction: StoreTransaction,
  id: number,
  answer: Answer,
): Promise<void> {
  await transaction
    .updateTable('access_requests')
    .set({
      state: answer.state,
      answered_by: answer.by,
      answered_at: sql<Date>`clock_timestamp()`,
      note: answer.note,
      given_path: answer.approvedPath,
      ends_at: answer.endsAt === null ? null : new Date(answer.endsAt),
    })
    .where('id', '=', id)
    .execute();
}

export async function isRoleEnabled(transaction: StoreTransaction, roleId: number): Promise<boolean> {
  const role = transaction.selectFrom('roles').select('enabled').where('id', '=', roleId);
  return (await role.executeTakeFirst())?.enabled === true;
}

/** Whether the role has exactly this rule for at least as long. The caller holds the lock of the role. */
export async function hasRuleAsLong(
  transaction: StoreTransaction,
  roleId: number,
  { method, path, seconds }: RequestedRule & { readonly seconds: number },
): Promise<boolean> {
  const row = await transaction
    .selectFrom('temporary_rules')
    .select('role_id')
    .where('role_id', '=', roleId)
    .where('path', '=', path)
    .where('method', '=', method)
    .where(sql<boolean>`ends_at >= clock_timestamp() + ${seconds} * interval '1 second'`)
    .executeTakeFirst();
  return row !== undefined;
}

export type OwnRequest = Omit<OwnAccessRequest, 'title'>;

/** Newest first, without pagination, because the number is limited. */
export async function listOwnRequests(store: Store, userId: number): Promise<OwnRequest[]> {
  const rows = await store
    .selectFrom('access_requests')
    .selectAll()
    .where('user_id', '=', userId)
    .where(({ or, eb }) => or([isFresh, eb('state', '!=', 'open')]))
    .orderBy('id', 'desc')
    .limit(openRequestsLimit + keptClosed)
    .execute();
  return rows.map(({ answered_by, answered_at, note, given_path, ends_at, ...row }) => ({
    ...fieldsOf(row),
    state: row.state,
    decision:
      answered_by === null || answered_at === null
        ? null
        : {
            by: answered_by,
            at: answered_at.toISOString(),
            note,
            approvedPath: given_path,
            endsAt: ends_at?.toISOString() ?? null,
          },
  }));
}

export type OpenRequest = Omit<AccessRequest, 'title' | 'holders'>;

/** Oldest first: the requests of the people in the data scope, without the caller's requests. */
export async function listOpenRequests(
  store: Store,
  scope: UserScope,
  { callerId, after, limit }: { callerId: number; after: string | undefined; limit: number },
): Promise<Page<OpenRequest>> {
  if (scope.kind === 'own') return { items: [], next: null };
  const departments = scope.kind === 'departments' ? scope.departments : undefined;
  const place = cursor.read(after) ?? 0;
  const walked = store
    .selectFrom('access_requests')
    .select(['id', 'user_id', 'method', 'path', 'pattern', 'reason', 'seconds', 'asked_at', 'revision'])
    .where('state', '=', 'open')
    .where(isFresh)
    .where('id', '>', place)
    .orderBy('id')
    .limit(walk);
  return await store
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction) => {
      const rows = await transaction
        .selectFrom(walked.as('walked'))
        .innerJoin('users', 'users.id', 'walked.user_id')
        .innerJoin('roles', 'roles.id', 'users.role_id')
        .innerJoin('departments', 'departments.id', 'users.department_id')
        .selectAll('walked')
        .select(['users.username', 'users.nick_name', 'users.enabled', 'departments.name as department_name'])
        .select(['roles.id as role_id', 'roles.role_key', 'roles.name as role_name'])
        .select('roles.enabled as role_enabled')
        .where('users.deleted_at', 'is', null)
        .where('users.id', '!=', callerId)
        .$if(departments !== undefined, (select) =>
          select.where('users.department_id', '=', sql<number>`any(${departments}::bigint[])`),
        )
        .orderBy('walked.id')
        .limit(limit + 1)
        .execute();
      const shown = rows.slice(0, limit);
      const end =
        rows.length > limit
          ? shown.at(-1)
          : await transaction
              .selectFrom(walked.as('walked'))
              .select('id')
              .orderBy('id')
              .offset(walk - 1)
              .limit(1)
              .executeTakeFirst();
      const items = shown.map((row) => ({
        ...fieldsOf(row),
        userId: row.user_id,
        username: row.username,
        name: row.nick_name,
        userEnabled: row.enabled,
        departmentName: row.department_name,
        roleId: row.role_id,
        roleKey: row.role_key,
        roleName: row.role_name,
        roleEnabled: row.role_enabled,
      }));
      return { items, next: end === undefined ? null : cursor.write(end.id) };
    });
}

interface RequestRow {
  readonly id: number;
  readonly method: HttpMethod;
  readonly path: string;
  readonly pattern: string;
  readonly reason: string;
  readonly seconds: number;
  readonly asked_at: Date;
  readonly revision: number;
}

function fieldsOf({ id, method, path, pattern, reason, seconds, asked_at, revision }: RequestRow) {
  return { id, method, path, pattern, reason, seconds, requestedAt: asked_at.toISOString(), revision };
}

/** The titles of imported endpoints with these paths. */
export async function findCatalogTitles(
  store: Store,
  patterns: readonly string[],
): Promise<{ method: string; path: string; title: string }[]> {
  if (patterns.length === 0) return [];
  return await store
    .selectFrom('catalog')
    .select(['method', 'path', 'title'])
    .where('path', '=', sql<string>`any(${patterns}::text[])`)
    .execute();
}

export async function sweepAccessRequests(store: Store): Promise<void> {
  const statement = sql`delete from access_requests where id = any (array(
    select id from access_requests where asked_at < clock_timestamp() - ${keptDays} * interval '1 day'
    limit ${batch} for update skip locked))`;
  while ((await statement.execute(store)).numAffectedRows === BigInt(batch));
}
