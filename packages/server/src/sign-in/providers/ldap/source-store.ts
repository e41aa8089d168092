// SQL that finds where the password of a username is verified: by the directory that its account is linked to; in this service
// for an account without such a link; by the default directory for a username without an account.
import { sql } from 'kysely';
import { canonicalUsername } from '../../../base/values/canonical-username.ts';
import { prepared, type Store } from '../../../cluster/store/store.ts';
import { isStorable } from '../../../people/users/user-store.ts';
import { hashInvitation } from '../link-changes.ts';

export interface LoginSource {
  readonly providerId: number;
  /** The link of the account that has the username. */
  readonly link: { readonly id: number; readonly userId: number; readonly subject: string } | undefined;
  /** The start of the login, before the directory is asked, by the database's clock. */
  readonly beganAt: Date;
}

export async function listEnabledDirectories(store: Store): Promise<number[]> {
  const rows = await store
    .selectFrom('providers')
    .select('id')
    .where('kind', '=', 'ldap')
    .where('enabled', '=', true)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

interface FoundSource {
  /** Whether any directory is enabled. */
  readonly isAnyEnabled: boolean;
  /** An enabled directory, also when it does not verify this username. */
  readonly providerId?: number | undefined;
  /** Undefined when this service verifies the password. */
  readonly source?: LoginSource;
}

export async function findSource(store: Store, username: string): Promise<FoundSource> {
  const canonical = canonicalUsername(username);
  const canBeAsked = isStorable(canonical);
  const { rows } = await sql<{
    leads: boolean;
    providerId: number;
    linkId: number | null;
    userId: number | null;
    subject: string | null;
    beganAt: Date;
  }>`${prepared}
    select coalesce(${canBeAsked}::boolean
        and (links.id is not null or (account.id is null and providers.is_default)), false) as leads,
      providers.id as "providerId", links.id as "linkId", links.user_id as "userId", links.subject,
      clock_timestamp() as "beganAt"
    from (
      select (select id from users where canonical_username = ${canBeAsked ? canonical : ''} and deleted_at is null) as id
    ) as account
    join providers on providers.kind = 'ldap' and providers.enabled
    left join credentials as links on links.kind = 'link' and links.provider_id = providers.id
      and links.user_id = account.id and links.confirmed_at is not null and links.ended_at is null
    order by leads desc, providers.id limit 1`.execute(store);
  const [row] = rows;
  if (row?.leads !== true) return { isAnyEnabled: row !== undefined, providerId: row?.providerId };
  const { providerId, linkId: id, userId, subject, beganAt } = row;
  const link = id === null || userId === null || subject === null ? undefined : { id, userId, subject };
  return { isAnyEnabled: true, providerId, source: { providerId, link, beganAt } };
}

/** The directory of an invitation: the username that is sent with it is one of the directory, not of an account here. */
export async function findInvitedSource(
  store: Store,
  invitation: string,
  providerIds: readonly number[],
): Promise<LoginSource | undefined> {
  const hashes = providerIds.map((id) => hashInvitation(id, invitation));
  if (hashes.length === 0) return undefined;
  const row = await store
    .selectFrom('link_invitations')
    .select(['provider_id as providerId', sql<Date>`clock_timestamp()`.as('beganAt')])
    .where('hash', 'in', hashes)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return row && { ...row, link: undefined };
}
