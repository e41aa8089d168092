// SQL checks of provider links on accounts that a provider decides about (`decided_by_provider`, defined by migration 0038): run
// when a link is created or ended.
import { AppError } from '@portcullis/contract';
import { sql } from 'kysely';
import type { StoreTransaction } from '../../cluster/store/store.ts';
import { adminRoleId } from '../roles/role-store.ts';
import { requireOtherAdministrator } from './last-admin-store.ts';
import { lockUser } from './user-access-store.ts';

/**
 * Locks the user before a link is created. Throws if a directory would then decide about the last administrator who can sign in
 * without a provider: while the directory fails, no administrator could sign in to repair it.
 */
export async function lockUserForLink(
  transaction: StoreTransaction,
  userId: number,
  providerId: number,
): Promise<void> {
  const { enabled, roleId } = await lockUser(transaction, userId);
  if (!enabled || roleId !== adminRoleId) return;
  const { rows } = await sql`
    select from providers, users
    where providers.id = ${providerId} and providers.kind = 'ldap'
      and users.id = ${userId} and users.password_hash like '$%' and not users.decided_by_provider`.execute(
    transaction,
  );
  if (rows.length > 0) await requireOtherAdministrator(transaction, userId);
}

/** Called after a person ended a link. Throws if the account would leave its directory, or the person could no longer sign in. */
export async function requireDecidingLink(
  transaction: StoreTransaction,
  userId: number,
  endedLinkId: number,
): Promise<void> {
  const { rows } = await sql`
    select from users where id = ${userId} and decided_by_provider and (
      exists (
        select from credentials join providers on providers.id = credentials.provider_id
        where credentials.id = ${endedLinkId} and providers.kind = 'ldap')
      or not exists (select from credentials where user_id = ${userId} and kind = 'link' and ended_at is null)
    )`.execute(transaction);
  if (rows.length > 0) throw new AppError('conflict');
}
