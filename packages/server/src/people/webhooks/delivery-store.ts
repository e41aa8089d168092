// SQL of the delivery queue of webhooks: events that a webhook has passed in the logs, but not delivered yet. Of each object only
// the first delivery is retried; the later ones wait for it.
import type { EventLog } from '@portcullis/contract';
import { sql } from 'kysely';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';
import type { LogEvent } from './event.ts';

export interface DueDelivery {
  readonly n: number;
  readonly log: EventLog;
  readonly recordId: string;
  readonly object: string;
  readonly tries: number;
}

/**
 * The deliveries that are due, each the first of its object, with some of those that wait for it: one array for each object, in
 * order.
 */
export async function listDueDeliveries(
  store: Store,
  webhookId: number,
  { objects, ofEach }: { readonly objects: number; readonly ofEach: number },
): Promise<DueDelivery[][]> {
  const { rows } = await sql<DueDelivery>`
    with due as (
      select log, object, next_at, n from webhook_letters
      where hook_id = ${webhookId} and state = 'retrying' and next_at <= now() order by next_at, n limit ${objects}
    )
    select letter.n, letter.log, letter.record_id as "recordId", letter.object, letter.tries
    from due, lateral (
      select n, log, record_id, object, tries from webhook_letters
      where hook_id = ${webhookId} and log = due.log and object = due.object order by n limit ${ofEach}
    ) as letter
    order by due.next_at, due.n, letter.n`.execute(store);
  return [...Map.groupBy(rows, orderingKeyOf).values()];
}

/** Events with the same key are delivered one after the other. */
export function orderingKeyOf({ log, object }: Pick<LogEvent, 'log' | 'object'>): string {
  return `${log} ${object}`;
}

/** The objects of these events that have a queued delivery, as `log object`. */
export async function listHeldObjects(
  store: Store,
  webhookId: number,
  events: readonly Pick<LogEvent, 'log' | 'object'>[],
): Promise<Set<string>> {
  const { rows } = await sql<Pick<LogEvent, 'log' | 'object'>>`
    select log, object from unnest(
      ${events.map(({ log }) => log)}::text[], ${events.map(({ object }) => object)}::text[]) as asked (log, object)
    where exists (select from webhook_letters as held
      where held.hook_id = ${webhookId} and held.log = asked.log and held.object = asked.object)`.execute(
    store,
  );
  return new Set(rows.map(orderingKeyOf));
}

/** How many deliveries are dead, and the time of the oldest record whose delivery is being retried. */
export async function readBacklog(
  store: Store,
  webhookId: number,
): Promise<{ dead: number; oldestAt: Date | null }> {
  const { rows } = await sql<{ dead: number; oldestAt: Date | null }>`
    select count(*) filter (where state = 'dead') as dead, min(recorded_at) filter (where state = 'retrying') as "oldestAt"
    from webhook_letters where hook_id = ${webhookId} and state <> 'waiting'`.execute(store);
  return rows[0] ?? { dead: 0, oldestAt: null };
}

/** Makes the next delivery of each object due, after the first one of the object has ended. */
export async function queueNextDeliveries(
  transaction: StoreTransaction,
  webhookId: number,
  ended: readonly Pick<DueDelivery, 'log' | 'object'>[],
): Promise<void> {
  await sql`
    update webhook_letters set state = 'retrying', next_at = now()
    from unnest(${ended.map(({ log }) => log)}::text[], ${ended.map(({ object }) => object)}::text[])
      as done (log, object), lateral (
        select n from webhook_letters as next
        where next.hook_id = ${webhookId} and next.log = done.log and next.object = done.object order by n limit 1
      ) as first
    where webhook_letters.n = first.n and state = 'waiting'`.execute(transaction);
}
