// SQL of queued deliveries for administrators: list, replay and skip them, and speed up a test event and read its outcome.
import { AppError, type DeliveryState, type EventLog, type WebhookDelivery } from '@portcullis/contract';
import { sql } from 'kysely';
import { Type } from 'typebox';
import { createCursor } from '../../cluster/store/cursor.ts';
import { createPage } from '../../cluster/store/page.ts';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';
import { queueNextDeliveries } from './delivery-store.ts';
import { type LogEvent, objectOf } from './event.ts';

const cursor = createCursor(Type.Integer());

/** The queued deliveries of a webhook, oldest first. */
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
  return createPage(rows, query.limit, { itemOf, positionOf: ({ n }) => n, cursor });
}

interface DeliveryRow {
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

function itemOf(row: DeliveryRow): WebhookDelivery {
  return {
    id: row.n,
    eventId: row.record_id,
    log: row.log,
    type: row.kind,
    subject: row.object,
    at: row.recorded_at.toISOString(),
    state: row.state,
    attempts: row.tries,
    nextAttemptAt: row.state === 'retrying' ? row.next_at.toISOString() : null,
    lastError: row.problem,
  };
}

/** Retries all dead deliveries, or one that is not waiting. Returns how many. Called under the lock of the webhook. */
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

/** Gives up a delivery, and returns it. Called under the lock of the webhook. */
export async function skipDelivery(
  transaction: StoreTransaction,
  webhookId: number,
  n: number,
): Promise<WebhookDelivery> {
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
  await queueNextDeliveries(transaction, webhookId, [row]);
  return itemOf(row);
}

/**
 * Why the event of this type and object is not delivered yet: its own problem, or that of the first queued delivery of the object.
 * Null if the event is delivered.
 */
export async function findProblem(
  store: Store,
  webhookId: number,
  { type, object }: Pick<LogEvent, 'type' | 'object'>,
): Promise<string | null> {
  const rows = await store
    .selectFrom('webhook_letters')
    .select(['kind', 'problem'])
    .where('hook_id', '=', webhookId)
    .where('log', '=', 'audit')
    .where('object', '=', object)
    .orderBy('n')
    .execute();
  const own = rows.find((row) => row.kind === type);
  return own === undefined ? null : (own.problem ?? rows[0]?.problem ?? 'not attempted yet');
}

/** Ends the backoff, so that a test event is sent at once. Returns the last number of the audit log. */
export async function retryNow(store: Store, id: number): Promise<number> {
  await store.updateTable('webhooks').set({ rest_until: null }).where('id', '=', id).execute();
  await store
    .updateTable('webhook_letters')
    .set({ next_at: sql<Date>`now()` })
    .where('hook_id', '=', id)
    .where('object', '=', objectOf(id))
    .where('state', '=', 'retrying')
    .execute();
  const { seq } = await store.selectFrom('audit_log_end').select('seq').executeTakeFirstOrThrow();
  return seq;
}

export async function readAuditPlace(store: Store, id: number): Promise<number | undefined> {
  const webhook = await store
    .selectFrom('webhooks')
    .select('audit_seq')
    .where('id', '=', id)
    .executeTakeFirst();
  return webhook?.audit_seq;
}
