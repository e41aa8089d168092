// SQL of letters: events that a hook was not told yet and that its places have passed. Of each object only the first is tried.
import { AppError, type DeliveryState, type EventLog, type Letter } from '@portcullis/contract';
import { sql } from 'kysely';
import { Type } from 'typebox';
import { createCursor } from '../../cluster/store/cursor.ts';
import { createPage } from '../../cluster/store/page.ts';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';
import type { LogEvent } from './event.ts';
import type { LoginLogPosition } from './event-store.ts';

export interface DueDelivery {
  readonly n: number;
  readonly log: EventLog;
  readonly recordId: string;
  readonly object: string;
  readonly tries: number;
}

/**
 * Those that are due, each the first of its object, with some of those that wait behind it: an array for each object, in its
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

/** Events of one lane are told one after the other. */
export function orderingKeyOf({ log, object }: Pick<LogEvent, 'log' | 'object'>): string {
  return `${log} ${object}`;
}

/** Which of the objects have a letter, as `log object`. */
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

/** What became of a letter that was tried; `gone` where its record is. */
export interface DeliveryOutcome {
  readonly delivery: DueDelivery;
  readonly what: 'delivered' | 'gone' | 'failed';
  readonly problem?: string;
}

export interface PassedEvent {
  readonly event: LogEvent;
  /** Undefined where it was not tried. */
  readonly problem?: string | undefined;
}

export interface Progress {
  readonly outcomes: readonly DeliveryOutcome[];
  /** In the order of the logs. */
  readonly passed: readonly PassedEvent[];
  readonly auditSeq?: number;
  readonly places: readonly LoginLogPosition[];
  readonly delivered: number;
  readonly failed: number;
  readonly gone: number;
  readonly failuresInRow: number;
  readonly restSeconds: number | null;
  /** Of the last try; null where it was taken. */
  readonly problem: string | null | undefined;
}

interface Holder {
  readonly id: number;
  readonly instance: string;
  readonly attempts: number;
}

/** Somebody else delivers the hook by now, or nobody does. */
export class LeaseLost extends Error {}

/** All of a turn, or nothing: what is not stored is told again. */
export async function storeProgress(store: Store, holder: Holder, progress: Progress): Promise<void> {
  await store.transaction().execute(async (transaction) => {
    await countProgress(transaction, holder, progress);
    await storeOutcomes(transaction, holder, progress.outcomes);
    await insertLetters(transaction, holder, progress.passed);
    await storePlaces(transaction, holder.id, progress.places);
  });
}

/** First of all: it locks the hook, and so whoever replays or skips waits. */
async function countProgress(
  transaction: StoreTransaction,
  { id, instance }: Holder,
  { delivered, failed, gone, failuresInRow, restSeconds, problem, auditSeq }: Progress,
): Promise<void> {
  const { numUpdatedRows } = await transaction
    .updateTable('webhooks')
    .set({
      delivered: sql<number>`delivered + ${delivered}`,
      failed: sql<number>`failed + ${failed}`,
      gone: sql<number>`gone + ${gone}`,
      failures_in_row: failuresInRow,
      rest_until: restSeconds === null ? null : sql<Date>`now() + make_interval(secs => ${restSeconds})`,
      ...(problem === undefined ? {} : { problem }),
      ...(delivered === 0 ? {} : { delivered_at: sql<Date>`now()` }),
      ...(auditSeq === undefined ? {} : { audit_seq: auditSeq }),
    })
    .where('id', '=', id)
    .where('held_by', '=', instance)
    .where(sql<boolean>`held_until > now()`)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new LeaseLost();
}

async function storeOutcomes(
  transaction: StoreTransaction,
  { id, attempts }: Holder,
  outcomes: readonly DeliveryOutcome[],
): Promise<void> {
  if (outcomes.length === 0) return;
  const done = outcomes.filter(({ what }) => what !== 'failed').map(({ delivery }) => delivery.n);
  await sql`delete from webhook_letters where n = any(${done}::bigint[])`.execute(transaction);
  for (const { delivery, what, problem = '' } of outcomes)
    if (what === 'failed')
      await transaction
        .updateTable('webhook_letters')
        .set({ ...afterTries(delivery.tries + 1, attempts), problem })
        .where('n', '=', delivery.n)
        .execute();
  await goOnWith(
    transaction,
    id,
    outcomes.map(({ delivery }) => delivery),
  );
}

/** Behind a letter of its object it waits; else it is the first one. */
async function insertLetters(
  transaction: StoreTransaction,
  { id, attempts }: Holder,
  passed: readonly PassedEvent[],
): Promise<void> {
  if (passed.length === 0) return;
  const of = <Value>(read: (event: LogEvent) => Value) => passed.map(({ event }) => read(event));
  const after = [afterTries(0, attempts), afterTries(1, attempts)] as const;
  await sql`
    insert into webhook_letters (hook_id, log, record_id, kind, object, recorded_at, problem, tries, next_at, state)
    select ${id}, log, record_id, kind, object, recorded_at, problem, (problem is not null)::int,
      case when problem is null then ${after[0].next_at} else ${after[1].next_at} end,
      case
        when row_number() over (partition by log, object order by place) > 1 or exists (
          select from webhook_letters as held
          where held.hook_id = ${id} and held.log = given.log and held.object = given.object) then 'waiting'
        when problem is null then ${after[0].state} else ${after[1].state}
      end
    from unnest(
      ${of(({ log }) => log)}::text[], ${of((event) => event.id)}::uuid[], ${of(({ kind }) => kind)}::text[],
      ${of(({ object }) => object)}::text[], ${of(({ at }) => at.toISOString())}::timestamptz[],
      ${passed.map(({ problem }) => problem ?? null)}::text[]
    ) with ordinality as given (log, record_id, kind, object, recorded_at, problem, place)
    order by place
    on conflict (hook_id, record_id) do nothing`.execute(transaction);
}

/** Seconds until the next try. */
const pauses = [0, 1, 5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800];

function afterTries(tries: number, attempts: number) {
  const seconds = pauses[Math.min(tries, pauses.length - 1)] ?? 0;
  const state: DeliveryState = tries >= attempts ? 'dead' : 'retrying';
  return { state, tries, next_at: sql<Date>`now() + make_interval(secs => ${seconds})` };
}

/** The next letter of each object is the first one now. */
async function goOnWith(
  transaction: StoreTransaction,
  webhookId: number,
  letters: readonly Pick<DueDelivery, 'log' | 'object'>[],
): Promise<void> {
  await sql`
    update webhook_letters set state = 'retrying', next_at = now()
    from unnest(${letters.map(({ log }) => log)}::text[], ${letters.map(({ object }) => object)}::text[])
      as done (log, object), lateral (
        select n from webhook_letters as next
        where next.hook_id = ${webhookId} and next.log = done.log and next.object = done.object order by n limit 1
      ) as first
    where webhook_letters.n = first.n and state = 'waiting'`.execute(transaction);
}

async function storePlaces(
  transaction: StoreTransaction,
  webhookId: number,
  places: readonly LoginLogPosition[],
): Promise<void> {
  if (places.length === 0) return;
  await transaction
    .insertInto('webhook_places')
    .values(places.map((place) => ({ hook_id: webhookId, ...place })))
    .onConflict((conflict) =>
      conflict
        .columns(['hook_id', 'chain'])
        .doUpdateSet(({ ref }) => ({ seq: ref('excluded.seq'), id: ref('excluded.id') })),
    )
    .execute();
}

const cursor = createCursor(Type.Integer());

/** Oldest first. */
export async function listDeliveries(
  store: Store,
  webhookId: number,
  query: { after: string | undefined; limit: number; state: DeliveryState | undefined },
) {
  const after = cursor.read(query.after) ?? 0;
  const { state } = query;
  const rows = await store
    .selectFrom('webhook_letters')
    .selectAll()
    .where('hook_id', '=', webhookId)
    .where('n', '>', after)
    .$if(state !== undefined, (select) => select.where('state', '=', state as DeliveryState))
    .orderBy('n')
    .limit(query.limit + 1)
    .execute();
  return createPage(rows, query.limit, { itemOf, placeOf: ({ n }) => n, cursor });
}

interface LetterRow {
  readonly n: number;
  readonly log: EventLog;
  readonly record_id: string;
  readonly kind: string;
  readonly object: string;
  readonly recorded_at: Date;
  readonly state: DeliveryState;
  readonly tries: number;
  readonly next_at: Date;
  readonly problem: string | null;
}

function itemOf(row: LetterRow): Letter {
  return {
    delivery: row.n,
    eventId: row.record_id,
    log: row.log,
    kind: row.kind,
    object: row.object,
    at: row.recorded_at.toISOString(),
    state: row.state,
    tries: row.tries,
    nextAt: row.state === 'retrying' ? row.next_at.toISOString() : null,
    problem: row.problem,
  };
}

/** Tries dead letters again, or one letter that is not waiting; how many. While the hook is locked. */
export async function replayDeliveries(
  transaction: StoreTransaction,
  webhookId: number,
  delivery: number | undefined,
): Promise<number> {
  const { numUpdatedRows } = await transaction
    .updateTable('webhook_letters')
    .set({ state: 'retrying', tries: 0, next_at: sql<Date>`now()` })
    .where('hook_id', '=', webhookId)
    .$if(delivery === undefined, (update) => update.where('state', '=', 'dead'))
    .$if(delivery !== undefined, (update) =>
      update.where('n', '=', delivery as number).where('state', '<>', 'waiting'),
    )
    .executeTakeFirst();
  if (delivery !== undefined && numUpdatedRows === 0n) throw new AppError('record_not_found');
  return Number(numUpdatedRows);
}

/** Gives a letter up; what it was. While the hook is locked. */
export async function skipDelivery(
  transaction: StoreTransaction,
  webhookId: number,
  n: number,
): Promise<Letter> {
  const row = await transaction
    .deleteFrom('webhook_letters')
    .where('hook_id', '=', webhookId)
    .where('n', '=', n)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw new AppError('record_not_found');
  await transaction
    .updateTable('webhooks')
    .set({ skipped: sql<number>`skipped + 1` })
    .where('id', '=', webhookId)
    .execute();
  await goOnWith(transaction, webhookId, [row]);
  return itemOf(row);
}

/** Why an event of that kind and object is not delivered yet, its own problem or that of the one before it; null where it is. */
export async function findProblem(
  store: Store,
  webhookId: number,
  { kind, object }: Pick<LogEvent, 'kind' | 'object'>,
): Promise<string | null> {
  const rows = await store
    .selectFrom('webhook_letters')
    .select(['kind', 'problem'])
    .where('hook_id', '=', webhookId)
    .where('log', '=', 'audit')
    .where('object', '=', object)
    .orderBy('n')
    .execute();
  const own = rows.find((row) => row.kind === kind);
  return own === undefined ? null : (own.problem ?? rows[0]?.problem ?? 'not tried yet');
}

/** How many are dead, and since when the oldest is not delivered that is tried again. */
export async function readBacklog(
  store: Store,
  webhookId: number,
): Promise<{ dead: number; oldestAt: Date | null }> {
  const { rows } = await sql<{ dead: number; oldestAt: Date | null }>`
    select count(*) filter (where state = 'dead') as dead, min(recorded_at) filter (where state = 'retrying') as "oldestAt"
    from webhook_letters where hook_id = ${webhookId} and state <> 'waiting'`.execute(store);
  return rows[0] ?? { dead: 0, oldestAt: null };
}
