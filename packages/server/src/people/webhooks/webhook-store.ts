// SQL of webhooks: create, lock, change, end and list them, and replace their encrypted secrets.
import { AppError, type Webhook } from '@portcullis/contract';
import { sql } from 'kysely';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';

export interface NewWebhook {
  readonly name: string;
  readonly url: string;
  readonly types: readonly string[];
}

/** Locks the table against concurrent creation. Also counts ended webhooks that are not deleted yet. */
export async function countWebhooks(transaction: StoreTransaction): Promise<number> {
  await sql`lock table webhooks in share row exclusive mode`.execute(transaction);
  const { count } = await transaction
    .selectFrom('webhooks')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** The webhook starts at the current end of both logs. The secret is encrypted for the id that the webhook gets. */
export async function storeWebhook(
  transaction: StoreTransaction,
  webhook: NewWebhook,
  sealFor: (id: number) => Buffer,
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into webhooks (name, url, kinds, sealed_secret, audit_seq)
    select ${webhook.name}, ${webhook.url}, ${webhook.types}::text[], '', seq from audit_log_end returning id`.execute(
    transaction,
  );
  const id = rows[0]?.id;
  if (id === undefined) throw new Error('The audit log has no end.');
  await transaction
    .updateTable('webhooks')
    .set({ sealed_secret: sealFor(id) })
    .where('id', '=', id)
    .execute();
  await sql`
    insert into webhook_places (hook_id, chain, seq, id) select ${id}, chain, seq, id from login_log_chains`.execute(
    transaction,
  );
  return id;
}

export interface StoredWebhook extends NewWebhook {
  readonly id: number;
  readonly enabled: boolean;
  readonly revision: number;
  readonly sealedSecret: Buffer;
  readonly sealedPrevious: Buffer | null;
}

export const storedColumns = [
  'id',
  'name',
  'url',
  'kinds as types',
  'enabled',
  'revision',
  'sealed_secret as sealedSecret',
  'sealed_previous as sealedPrevious',
] as const;

/** Locked until the transaction ends. */
export async function lockWebhook(transaction: StoreTransaction, id: number): Promise<StoredWebhook> {
  return expectFound(await selectWebhook(transaction, id).forUpdate().executeTakeFirst());
}

export async function requireWebhook(store: Store, id: number): Promise<void> {
  expectFound(await selectWebhook(store, id).executeTakeFirst());
}

const selectWebhook = (store: Store, id: number) =>
  store.selectFrom('webhooks').select(storedColumns).where('id', '=', id).where('ended_at', 'is', null);

/** An ended webhook is reported as not found. */
function expectFound(webhook: StoredWebhook | undefined): StoredWebhook {
  if (webhook === undefined) throw new AppError('record_not_found');
  return webhook;
}

export interface WebhookChange extends Partial<NewWebhook> {
  readonly enabled?: boolean | undefined;
  readonly sealedSecret?: Buffer;
  readonly sealedPrevious?: Buffer | null;
  /** How long the previous secret signs from now on; null if there is none any more. */
  readonly previousSeconds?: number | null;
  readonly isEnded?: boolean;
}

/** Resolves with the new revision. It prevents the renewal of a lease, so a delivering instance reads it with the next claim. */
export async function changeWebhook(
  transaction: StoreTransaction,
  id: number,
  change: WebhookChange,
): Promise<number> {
  const { name, url, types, enabled, sealedSecret, sealedPrevious, previousSeconds, isEnded } = change;
  const { revision } = await transaction
    .updateTable('webhooks')
    .set({
      revision: sql<number>`revision + 1`,
      failures_in_row: 0,
      rest_until: null,
      ...(name === undefined ? {} : { name }),
      ...(url === undefined ? {} : { url }),
      ...(types === undefined ? {} : { kinds: [...types] }),
      ...(enabled === undefined ? {} : { enabled }),
      ...(sealedSecret === undefined ? {} : { sealed_secret: sealedSecret }),
      ...(sealedPrevious === undefined ? {} : { sealed_previous: sealedPrevious }),
      ...(previousSeconds === undefined ? {} : { previous_until: inSeconds(previousSeconds) }),
      ...(isEnded === true ? { ended_at: sql<Date>`now()` } : {}),
    })
    .where('id', '=', id)
    .returning('revision')
    .executeTakeFirstOrThrow();
  return revision;
}

function inSeconds(seconds: number | null) {
  return seconds === null ? null : sql<Date>`now() + make_interval(secs => ${seconds})`;
}

/**
 * Deletes ended webhooks without a lease. Their queued deliveries go first, a limited number per call: after a long outage of the
 * receiver there are more of them than one statement can delete before its timeout. A webhook with deliveries left is deleted by a
 * later call.
 */
export async function deleteEndedWebhooks(store: Store, mostDeliveries = 5000): Promise<void> {
  const isOver = sql`webhooks.ended_at is not null and (webhooks.held_until is null or webhooks.held_until <= now())`;
  await sql`
    delete from webhook_letters where n = any (array(
      select letters.n from webhooks join webhook_letters as letters on letters.hook_id = webhooks.id
      where ${isOver} limit ${mostDeliveries} for update of letters skip locked))`.execute(store);
  await sql`
    delete from webhooks where ${isOver} and not exists (
      select from webhook_letters where hook_id = webhooks.id)`.execute(store);
}

/** How many log records the webhook has not read yet. */
const backlog = sql<number>`
  greatest(0, (select seq from audit_log_end) - webhooks.audit_seq) + coalesce((
    select sum(noted.seq - coalesce(place.seq, noted.first_seq - 1))
    from login_log_chains as noted
    left join webhook_places as place on place.hook_id = webhooks.id and place.chain = noted.chain
    where noted.seq > coalesce(place.seq, noted.first_seq - 1)), 0)::bigint`;

export async function listWebhooks(store: Store): Promise<Webhook[]> {
  const { rows } = await sql<Webhook & { [K in Times]: Date | null }>`
    select id, name, url, kinds as types, enabled, created_at as "createdAt",
      case when previous_until > now() then previous_until end as "previousSecretUntil",
      delivered, failed as "failedAttempts", skipped, gone as expired, delivered_at as "lastDeliveredAt",
      case when rest_until > now() then rest_until end as "pausedUntil", problem as "lastError",
      (select count(*) from webhook_letters where hook_id = webhooks.id and state = 'dead') as "deadLetters",
      (select count(*) from webhook_letters where hook_id = webhooks.id) as pending, ${backlog} as backlog
    from webhooks where ended_at is null order by id`.execute(store);
  return rows.map((row) => ({
    ...row,
    ...(Object.fromEntries(times.map((name) => [name, row[name]?.toISOString() ?? null])) as Pick<
      Webhook,
      Times
    >),
  }));
}

const times = ['createdAt', 'previousSecretUntil', 'lastDeliveredAt', 'pausedUntil'] as const;
type Times = (typeof times)[number];

export interface WebhookFacts {
  readonly id: number;
  readonly types: readonly string[];
  readonly sealedSecret: Buffer;
  readonly expired: number;
  readonly deadLetters: number;
}

/** For `portcullis doctor`. */
export async function listWebhookFacts(store: Store): Promise<WebhookFacts[]> {
  const { rows } = await sql<WebhookFacts>`
    select id, kinds as types, sealed_secret as "sealedSecret", gone as expired,
      (select count(*) from webhook_letters where hook_id = webhooks.id and state = 'dead') as "deadLetters"
    from webhooks where ended_at is null order by id`.execute(store);
  return rows;
}
