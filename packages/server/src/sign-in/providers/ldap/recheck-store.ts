// SQL of the recheck: lists the linked users with a live session, and ends sessions and logins by links.
import type { Change } from '@portcullis/gate';
import { sql } from 'kysely';
import { readAllById } from '../../../cluster/store/read-all-by-id.ts';
import type { Store, StoreTransaction } from '../../../cluster/store/store.ts';
import { endOfLinks } from '../../sessions/end-sessions-store.ts';
import { lockProvider, lockProviderSubject } from '../provider-store.ts';

export interface EnabledLink {
  readonly id: number;
  readonly userId: number;
  readonly subject: string;
  readonly roleId: number;
  readonly departmentId: number;
}

/** How long an ended link refuses logins that began before. Longer than a login takes. */
const keptHours = 1;

/** The link of every user with a live session, including sessions that another login method proved. */
export async function listLiveLinks(store: Store, providerId: number): Promise<EnabledLink[]> {
  return await readAllById((after, most) =>
    sql<EnabledLink>`
      select links.id, links.user_id as "userId", links.subject, users.role_id as "roleId",
        users.department_id as "departmentId"
      from credentials as links join users on users.id = links.user_id
      where links.kind = 'link' and links.provider_id = ${providerId} and links.ended_at is null and links.id > ${after}
        and exists (select from sessions where sessions.user_id = links.user_id and expires_at > now())
      order by links.id limit ${most}`.execute(store),
  );
}

/** Refuses every login that the directory verified before this call: the person may have left the directory since. */
export async function refuseLoginsUnderWay(transaction: StoreTransaction, providerId: number): Promise<void> {
  await lockProvider(transaction, providerId);
  await sql`update providers set epoch = epoch + 1 where id = ${providerId}`.execute(transaction);
}

/** Ends the sessions of these links, and every login by them that is under way. */
export async function endLinksOfNow(
  transaction: StoreTransaction,
  providerId: number,
  links: readonly Pick<EnabledLink, 'id' | 'subject'>[],
): Promise<Change[]> {
  // Sorted, so that two calls lock in the same order and do not deadlock.
  const subjects = [...new Set(links.map(({ subject }) => subject))].sort();
  for (const subject of subjects) await lockProviderSubject(transaction, providerId, subject);
  await sql`
    insert into provider_logouts (provider_id, kind, value, ended_at, expires_at)
    select ${providerId}, 'subject', subject, clock_timestamp(), clock_timestamp() + make_interval(hours => ${keptHours})
    from unnest(${subjects}::text[]) as subject
    on conflict (provider_id, kind, value) do update
      set ended_at = excluded.ended_at, expires_at = excluded.expires_at`.execute(transaction);
  return await endOfLinks(
    transaction,
    links.map(({ id }) => id),
  );
}
