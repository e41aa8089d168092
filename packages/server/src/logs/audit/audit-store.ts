// SQL that inserts and lists audit records. It changes none.
import type { AuditFilter, AuditItem, Caller } from '@portcullis/contract';
import { type RawBuilder, sql } from 'kysely';
import { Type } from 'typebox';
import { createCursor } from '../../cluster/store/cursor.ts';
import { createPage, type Page } from '../../cluster/store/page.ts';
import { parseMoment } from '../../cluster/store/parse-moment.ts';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';
import { firstIdAt } from '../../cluster/store/uuid-v7.ts';

interface AuditRecord {
  readonly id: string;
  readonly at: Date;
  readonly caller: Pick<Caller, 'userId' | 'username' | 'roleKey'>;
  readonly action: string;
  readonly target: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly requestId: string;
  readonly ip: string;
}

export async function insertRecord(transaction: StoreTransaction, record: AuditRecord): Promise<void> {
  const { caller } = record;
  await transaction
    .insertInto('audit_log')
    .values({
      id: record.id,
      at: record.at,
      actor_id: caller.userId,
      actor_name: caller.username,
      actor_role: caller.roleKey,
      action: record.action,
      target: record.target,
      before: jsonOf(record.before),
      after: jsonOf(record.after),
      request_id: record.requestId,
      ip: record.ip,
    })
    .execute();
}

function jsonOf(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}

/** The actors whose changes are shown: all, or the caller and the users of the given departments. */
export type Actors = 'all' | { readonly userId: number; readonly departments: readonly number[] };

export interface AuditQuery extends AuditFilter {
  readonly after: string | undefined;
  readonly limit: number;
}

const cursor = createCursor(Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }));

/** A record as stored: it has ids instead of names. */
export type StoredItem = Omit<AuditItem, 'names'>;

export const columns = sql`id, at, actor_id, actor_name, actor_role, action, target, before, after, request_id, host(ip) as ip`;

/**
 * Newest first. For each shown actor and each requested action, the newest ids are read along an index: however rare they are, no
 * other rows are read. Only the records of the page are read whole.
 */
export async function listRecords(
  store: Store,
  actors: Actors,
  query: AuditQuery,
): Promise<Page<StoredItem>> {
  const limit = query.limit + 1;
  const actions = query.action === undefined ? undefined : await listActions(store, query.action);
  const isScoped = actors !== 'all';
  const lanes = [
    ...(isScoped ? [sql`shown`] : []),
    ...(actions === undefined ? [] : [sql`unnest(${actions}::text[]) as done (action)`]),
  ];
  const conditions = [
    ...conditionsOf(query),
    ...(isScoped ? [sql`actor_id = shown.id`] : []),
    ...(actions === undefined ? [] : [sql`action = done.action`]),
  ];
  const ofLane = sql`lateral (
    select id from audit_log where ${sql.join([sql`true`, ...conditions], sql` and `)} order by id desc limit ${limit})`;
  const { rows } = await sql<AuditRow>`
    with recursive ${isScoped ? sql`${actorsAmong(actors)},` : sql``} newest as (
      select record.id from ${sql.join([...lanes, ofLane])} as record order by record.id desc limit ${limit}
    )
    select ${columns} from newest join audit_log using (id) order by id desc`.execute(store);
  return createPage(rows, query.limit, { itemOf, positionOf: ({ id }) => id, cursor });
}

/**
 * The actors in the log whom the caller is allowed to see, found with a loose index scan: actors are few, a department can have
 * many people, and almost none of them is in the log.
 */
function actorsAmong({ userId, departments }: Exclude<Actors, 'all'>) {
  return sql`
    actor (id) as (
      (select actor_id from audit_log order by actor_id limit 1)
      union all
      select (select actor_id from audit_log where actor_id > actor.id order by actor_id limit 1)
      from actor where actor.id is not null
    ), shown as (
      select users.id from actor join users on users.id = actor.id
      where users.id = ${userId} or department_id = any(${departments}::bigint[])
    )`;
}

/** The few actions with this prefix, found with a loose index scan. */
async function listActions(store: Store, prefix: string): Promise<string[]> {
  const { rows } = await sql<{ action: string }>`
    with recursive found (action) as (
      (select action from audit_log where action >= ${prefix} order by action limit 1)
      union all
      select (select action from audit_log where action > found.action order by action limit 1)
      from found where starts_with(found.action, ${prefix})
    ) select action from found where starts_with(action, ${prefix})`.execute(store);
  return rows.map(({ action }) => action);
}

function conditionsOf({ after, actorId, target, from, to }: AuditQuery) {
  const place = cursor.read(after);
  const given: [unknown, () => RawBuilder<unknown>][] = [
    [place, () => sql`id < ${place}`],
    [from, () => sql`id >= ${firstIdAt(parseMoment(from ?? ''))}`],
    [to, () => sql`id < ${firstIdAt(parseMoment(to ?? ''))}`],
    [actorId, () => sql`actor_id = ${actorId}`],
    [target, () => sql`target = ${target}`],
  ];
  return given.filter(([value]) => value !== undefined).map(([, condition]) => condition());
}

export interface AuditRow extends Omit<AuditRecord, 'caller' | 'requestId'> {
  readonly actor_id: number;
  readonly actor_name: string;
  readonly actor_role: string;
  readonly request_id: string;
}

export function itemOf(row: AuditRow): StoredItem {
  return {
    id: row.id,
    at: row.at.toISOString(),
    actorId: row.actor_id,
    actorName: row.actor_name,
    actorRole: row.actor_role,
    action: row.action,
    target: row.target,
    before: row.before,
    after: row.after,
    requestId: row.request_id,
    ip: row.ip,
  };
}
