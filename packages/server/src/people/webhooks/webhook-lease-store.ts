// SQL of webhook leases: which webhooks have something to deliver, and which instance delivers them (claim, renew, release).
import { sql } from 'kysely';
import type { Store } from '../../cluster/store/store.ts';
import { type StoredWebhook, storedColumns } from './webhook-store.ts';

/** Webhooks that are enabled, not in a backoff, without a lease of another instance, and with something to deliver. */
export async function listDueWebhooks(
  store: Store,
  instance: string,
  withLogins: boolean,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from webhooks
    where enabled and ended_at is null and (rest_until is null or rest_until <= now())
      and (held_until is null or held_until <= now() or held_by = ${instance})
      and (audit_seq < (select seq from audit_log_end)
        or exists (select from webhook_letters where hook_id = webhooks.id and state = 'retrying' and next_at <= now())
        or ${withLogins} and exists (
          select from login_log_chains as noted
          left join webhook_places as place on place.hook_id = webhooks.id and place.chain = noted.chain
          where noted.seq > coalesce(place.seq, noted.first_seq - 1)))
    order by id`.execute(store);
  return rows.map(({ id }) => id);
}

export interface ClaimedWebhook extends StoredWebhook {
  readonly auditSeq: number;
  readonly failuresInRow: number;
  /** How long the previous secret still signs; null if it does not. */
  readonly previousMilliseconds: number | null;
}

export const leaseMilliseconds = 10_000;
const lease = sql<Date>`now() + make_interval(secs => ${leaseMilliseconds / 1000})`;

/** By the database's clock. Undefined if another instance holds the lease, or the webhook is disabled or ended. */
export async function claimWebhook(
  store: Store,
  id: number,
  instance: string,
): Promise<ClaimedWebhook | undefined> {
  return await store
    .updateTable('webhooks')
    .set({ held_by: instance, held_until: lease, held_revision: sql<number>`revision` })
    .where('id', '=', id)
    .where('enabled', '=', true)
    .where('ended_at', 'is', null)
    .where(sql<boolean>`(held_until is null or held_until <= now() or held_by = ${instance})`)
    .returning([
      ...storedColumns,
      'audit_seq as auditSeq',
      'failures_in_row as failuresInRow',
      sql<number | null>`case when previous_until > now()
        then (extract(epoch from previous_until - now()) * 1000)::float8 end`.as('previousMilliseconds'),
    ])
    .executeTakeFirst();
}

/** False if the webhook was changed or ended, or the lease has ended. */
export async function renewWebhookLease(
  store: Store,
  { id, revision }: StoredWebhook,
  instance: string,
): Promise<boolean> {
  const { numUpdatedRows } = await store
    .updateTable('webhooks')
    .set({ held_until: lease })
    .where('id', '=', id)
    .where('revision', '=', revision)
    .where('held_by', '=', instance)
    .where(sql<boolean>`held_until > now()`)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function releaseWebhook(store: Store, id: number, instance: string): Promise<void> {
  await store
    .updateTable('webhooks')
    .set({ held_by: null, held_until: null, held_revision: null })
    .where('id', '=', id)
    .where('held_by', '=', instance)
    .execute();
}

/** Whether no instance delivers with an older revision any more. */
export async function isRevisionInForce(store: Store, id: number, revision: number): Promise<boolean> {
  const { rows } = await sql`
    select from webhooks where id = ${id} and held_until > now() and held_revision < ${revision}`.execute(
    store,
  );
  return rows.length === 0;
}
