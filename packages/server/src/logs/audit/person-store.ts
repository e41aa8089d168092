// SQL of the audit records about one person: the changes that the person made, and the changes that others made to the person or
// to the person's sessions, as far as the caller is allowed to see the actors.
import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../../cluster/store/store.ts';
import { type Actors, type AuditRow, columns, itemOf, type StoredItem } from './audit-store.ts';

interface PersonQuery {
  readonly userId: number;
  /** Only records with smaller ids. */
  readonly below: string;
  readonly limit: number;
}

/** Newest first. Expects a caller who is allowed to see the person. */
export async function listOfPerson(store: Store, actors: Actors, query: PersonQuery): Promise<StoredItem[]> {
  const { userId, limit } = query;
  const lanes = [
    byPerson(query),
    ofPerson(actors, query, { key: sql`target`, value: `user ${userId}`, isMeant: sql`true` }),
    // The expression of the index (0017-activity.sql).
    ofPerson(actors, query, {
      key: sql`(before ->> 'userId')`,
      value: String(userId),
      isMeant: sql`action = 'session.end'`,
    }),
  ];
  const { rows } = await sql<AuditRow>`
    select * from (${sql.join(lanes, sql` union all `)}) as lanes order by id desc limit ${limit * 2}`.execute(
    store,
  );
  // A change that a person made to their own account is in two lanes.
  const found = rows.filter(({ id }, place) => rows[place - 1]?.id !== id);
  return found.slice(0, limit).map(itemOf);
}

/**
 * An `=` would remove the first column of the index from the sort order. The planner could then read along the ids alone, and
 * search all records for a person without changes.
 */
const begins = (key: RawBuilder<unknown>, value: RawBuilder<unknown>) => sql`${key} = any(array[${value}])`;

function byPerson({ userId, below, limit }: PersonQuery): RawBuilder<unknown> {
  return sql`(select ${columns} from audit_log
    where ${begins(sql`actor_id`, sql`${userId}::bigint`)} and id < ${below}::uuid
    order by actor_id desc, id desc limit ${limit})`;
}

interface Lane {
  readonly key: RawBuilder<unknown>;
  readonly value: string;
  readonly isMeant: RawBuilder<unknown>;
}

/** Finds the few actors who changed something of the person with a loose index scan, then the newest changes of each. */
function ofPerson(
  actors: Actors,
  { below, limit }: PersonQuery,
  { key, value, isMeant }: Lane,
): RawBuilder<unknown> {
  const isOfPerson = sql`${begins(key, sql`${value}::text`)} and ${isMeant}`;
  const isShown =
    actors === 'all'
      ? sql`true`
      : sql`(actor.id = ${actors.userId} or
          (select department_id from users where users.id = actor.id) = any(${actors.departments}::bigint[]))`;
  return sql`(with recursive actor (id) as (
      (select actor_id from audit_log where ${isOfPerson} order by ${key}, actor_id limit 1)
      union all
      select (select actor_id from audit_log where ${isOfPerson} and actor_id > actor.id order by ${key}, actor_id limit 1)
      from actor where actor.id is not null
    )
    select record.* from actor cross join lateral (
      select ${columns} from audit_log
      where ${isOfPerson} and actor_id = actor.id and id < ${below}::uuid
      order by ${key} desc, id desc limit ${limit}
    ) as record
    where actor.id is not null and ${isShown} order by record.id desc limit ${limit})`;
}
