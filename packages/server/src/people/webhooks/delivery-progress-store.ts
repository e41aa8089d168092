// SQL that stores the progress of a batch in one transaction: the outcomes of retries, the events that were not delivered, and the
// positions in both logs. Only the instance that holds the lease stores it; a batch that is not stored is delivered again (at least
// once).
import type { DeliveryState } from '@portcullis/contract';
import { sql } from 'kysely';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';
import { type DueDelivery, queueNextDeliveries } from './delivery-store.ts';
import type { LogEvent } from './event.ts';
import type { LoginLogPosition } from './event-store.ts';

/** The outcome of a queued delivery; `gone` if its record no longer exists. */
export interface DeliveryOutcome {
  readonly delivery: DueDelivery;
  readonly what: 'delivered' | 'gone' | 'failed';
  readonly problem?: string;
}

/** An event that the webhook passes in its log without having delivered it. */
export interface PassedEvent {
  readonly event: LogEvent;
  /** Undefined if there was no attempt. */
  readonly problem?: string | undefined;
}

export interface Progress {
  readonly outcomes: readonly DeliveryOutcome[];
  /** In the order of the logs. */
  readonly passed: readonly PassedEvent[];
  readonly auditSeq?: number;
  readonly positions: readonly LoginLogPosition[];
  readonly delivered: number;
  readonly failed: number;
  readonly gone: number;
  readonly failuresInRow: number;
  readonly restSeconds: number | null;
  /** The problem of the last attempt; null if it succeeded, undefined if there was none. */
  readonly problem: string | null | undefined;
}

interface Holder {
  readonly id: number;
  readonly instance: string;
  readonly attempts: number;
}

/** The lease of this instance has ended: another one can deliver the webhook. */
export class LeaseLost extends Error {}

/** Stores the whole batch or nothing: what is not stored is delivered again. */
export async function storeProgress(store: Store, holder: Holder, progress: Progress): Promise<void> {
  await store.transaction().execute(async (transaction) => {
    await countProgress(transaction, holder, progress);
    await storeOutcomes(transaction, holder, progress.outcomes);
    await insertDeliveries(transaction, holder, progress.passed);
    await storePositions(transaction, holder.id, progress.positions);
  });
}

/** Runs first, because it locks the webhook: a concurrent replay or skip waits for it. */
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
  await queueNextDeliveries(
    transaction,
    id,
    outcomes.map(({ delivery }) => delivery),
  );
}

/** A delivery waits if its object has an earlier one in the queue; otherwise it is the first, and is retried. */
async function insertDeliveries(
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
      ${of(({ log }) => log)}::text[], ${of((event) => event.id)}::uuid[], ${of(({ type }) => type)}::text[],
      ${of(({ object }) => object)}::text[], ${of(({ at }) => at.toISOString())}::timestamptz[],
      ${passed.map(({ problem }) => problem ?? null)}::text[]
    ) with ordinality as given (log, record_id, kind, object, recorded_at, problem, place)
    order by place
    on conflict (hook_id, record_id) do nothing`.execute(transaction);
}

/** Backoff: seconds until the next attempt, by the number of attempts so far. */
const pauses = [0, 1, 5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800];

function afterTries(tries: number, attempts: number) {
  const seconds = pauses[Math.min(tries, pauses.length - 1)] ?? 0;
  const state: DeliveryState = tries >= attempts ? 'dead' : 'retrying';
  return { state, tries, next_at: sql<Date>`now() + make_interval(secs => ${seconds})` };
}

async function storePositions(
  transaction: StoreTransaction,
  webhookId: number,
  positions: readonly LoginLogPosition[],
): Promise<void> {
  if (positions.length === 0) return;
  await transaction
    .insertInto('webhook_places')
    .values(positions.map((position) => ({ hook_id: webhookId, ...position })))
    .onConflict((conflict) =>
      conflict
        .columns(['hook_id', 'chain'])
        .doUpdateSet(({ ref }) => ({ seq: ref('excluded.seq'), id: ref('excluded.id') })),
    )
    .execute();
}
