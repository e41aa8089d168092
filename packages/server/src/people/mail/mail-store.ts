// SQL of the mail queue. An instance claims a mail for as long as sending can take (lease); if the instance is killed, another one
// sends the mail afterwards, under the same id.
import { AppError, type Mail, type MailKind, type MailState } from '@portcullis/contract';
import { sql } from 'kysely';
import { Type } from 'typebox';
import { createCursor } from '../../cluster/store/cursor.ts';
import type { Page } from '../../cluster/store/page.ts';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';
import type { UserScope } from '../users/user-scope.ts';

export interface QueuedMail {
  readonly id: string;
  readonly kind: MailKind;
  readonly userId: number | null;
  readonly address: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly tries: number;
  readonly createdAt: Date;
  /** By the database's clock. */
  readonly ageSeconds: number;
}

const keptDays = 30;
const batch = 1000;
/** How many rows a page scans; a short page can still have a next page. */
const walk = 2000;

export async function claimMail(store: Store, leaseSeconds: number): Promise<QueuedMail | undefined> {
  const { rows } = await sql<QueuedMail>`
    update mails set tries = tries + 1, next_at = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    where id = (
      select id from mails where state = 'queued' and next_at <= clock_timestamp()
      order by next_at limit 1 for update skip locked
    )
    returning id, kind, user_id as "userId", coalesce(address, '') as address, facts, tries,
      created_at as "createdAt", extract(epoch from clock_timestamp() - created_at)::float8 as "ageSeconds"`.execute(
    store,
  );
  return rows[0];
}

/** Ends a mail. The address and the facts of a sent mail are deleted, because they can name a person. */
export async function endMail(
  store: Store,
  id: string,
  { state, reason }: { readonly state: 'sent' | 'dead'; readonly reason: string | null },
): Promise<void> {
  const ended = { state, reason, ended_at: sql<Date>`clock_timestamp()` };
  // A dead mail can be retried, so it keeps them.
  const cleared = state === 'sent' ? { address: null, facts: '{}' } : {};
  await store
    .updateTable('mails')
    .set({ ...ended, ...cleared })
    .where('id', '=', id)
    .execute();
}

export async function deferMail(
  store: Store,
  id: string,
  { seconds, reason }: { readonly seconds: number; readonly reason: string },
): Promise<void> {
  const next = sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})`;
  await store.updateTable('mails').set({ next_at: next, reason }).where('id', '=', id).execute();
}

/** For a mail that is obsolete or has no recipient any more. */
export async function dropMail(store: Store, id: string): Promise<void> {
  await store.deleteFrom('mails').where('id', '=', id).execute();
}

/** Undefined if the user does not exist any more. */
export async function findRecipient(store: Store, { userId }: Pick<QueuedMail, 'userId'>) {
  return await store
    .selectFrom('users')
    .select(['username', 'nick_name as name'])
    .where('id', '=', userId ?? 0)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

export async function countQueued(store: Store): Promise<{ queued: number; oldestSeconds: number }> {
  const { rows } = await sql<{ queued: number; oldestSeconds: number }>`
    select count(*)::int as queued,
      coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0)::float8 as "oldestSeconds"
    from mails where state = 'queued'`.execute(store);
  return rows[0] ?? { queued: 0, oldestSeconds: 0 };
}

/** Deletes mails that ended long ago, and old queued ones: these sooner if no mail server is set, because then none is sent. */
export async function sweepMails(store: Store, isMailSent: boolean): Promise<void> {
  const days = isMailSent ? 7 : 1;
  await sql`delete from mails where id = any (array(
    select id from mails where ended_at < clock_timestamp() - make_interval(days => ${keptDays})
      or (state = 'queued' and created_at < clock_timestamp() - make_interval(days => ${days}))
    limit ${batch} for update skip locked))`.execute(store);
}

interface MailQuery {
  readonly after?: string | undefined;
  readonly limit: number;
  readonly state?: MailState | undefined;
}

const cursor = createCursor(
  Type.Tuple([Type.String({ format: 'date-time' }), Type.String({ format: 'uuid' })]),
);

interface MailRow {
  readonly id: string;
  readonly kind: MailKind;
  readonly user_id: number | null;
  readonly username: string | null;
  readonly state: MailState;
  readonly tries: number;
  readonly reason: string | null;
  readonly created_at: Date;
  readonly at: string;
  readonly next_at: Date;
  readonly ended_at: Date | null;
  readonly visible: boolean;
}

export async function listMails(store: Store, scope: UserScope, query: MailQuery): Promise<Page<Mail>> {
  const position = cursor.read(query.after);
  const { rows } = await sql<MailRow>`
    select mails.id, mails.kind, mails.user_id, users.username, mails.state, mails.tries, mails.reason,
      mails.created_at, mails.next_at, mails.ended_at,
      to_char(mails.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at,
      ${visible(scope)} as visible
    from (
      select * from mails
      where ${position === undefined ? sql`true` : sql`(created_at, id) < (${position[0]}::timestamptz, ${position[1]}::uuid)`}
        and ${query.state === undefined ? sql`true` : sql`state = ${query.state}`}
      order by created_at desc, id desc limit ${walk}
    ) as mails left join users on users.id = mails.user_id
    order by mails.created_at desc, mails.id desc`.execute(store);
  const seen = rows.filter((row) => row.visible);
  const shown = seen.slice(0, query.limit);
  const end = seen.length > query.limit ? shown.at(-1) : rows.length === walk ? rows.at(-1) : undefined;
  return { items: shown.map(itemOf), next: end === undefined ? null : cursor.write([end.at, end.id]) };
}

function visible(scope: UserScope) {
  switch (scope.kind) {
    case 'all':
      return sql<boolean>`true`;
    case 'departments':
      return sql<boolean>`coalesce(users.department_id = any(${scope.departments}::bigint[]), false)`;
    case 'own':
      return sql<boolean>`coalesce(users.id = ${scope.userId}, false)`;
  }
}

function itemOf(row: MailRow): Mail {
  return {
    id: row.id,
    kind: row.kind,
    userId: row.user_id,
    username: row.username,
    state: row.state,
    tries: row.tries,
    reason: row.reason,
    createdAt: row.created_at.toISOString(),
    nextAt: row.state === 'queued' ? row.next_at.toISOString() : null,
    endedAt: row.ended_at?.toISOString() ?? null,
  };
}

/** Queues a mail again; returns its previous state. A sent mail cannot be sent again: its facts were deleted. */
export async function retryMail(
  transaction: StoreTransaction,
  scope: UserScope,
  id: string,
): Promise<{ state: MailState; userId: number | null }> {
  const { rows } = await sql<{ state: MailState; userId: number | null; visible: boolean }>`
    select mails.state, mails.user_id as "userId", ${visible(scope)} as visible
    from mails left join users on users.id = mails.user_id where mails.id = ${id}
    for no key update of mails`.execute(transaction);
  const [mail] = rows;
  if (mail?.visible !== true) throw new AppError('record_not_found');
  if (mail.state === 'sent') throw new AppError('conflict');
  await transaction
    .updateTable('mails')
    .set({ state: 'queued', next_at: sql<Date>`clock_timestamp()`, ended_at: null })
    .where('id', '=', id)
    .execute();
  return mail;
}
