// SQL that checks whether a provider's proof of a login is still valid: the provider is enabled and unchanged, the link is in
// force, and no logout has arrived since. The trigger of the table `sessions` checks the same.
import { sql } from 'kysely';
import type { StoreTransaction } from '../../cluster/store/store.ts';
import type { SessionProvider } from '../login/method.ts';

/** Advisory locks of a provider, of a session there and of a subject there. The trigger has the same numbers. */
export const providerProofLocks = { provider: 1886352750, session: 1886352751, subject: 1886352752 } as const;

/**
 * A change that invalidates the proof waits until the transaction ends. The caller holds the lock of the user, under which a
 * link ends.
 */
export async function lockProviderProof(
  transaction: StoreTransaction,
  userId: number,
  { providerId, epoch, session, linkId, beganAt }: SessionProvider,
): Promise<boolean> {
  const hold = async (lock: number, name: string) => {
    await sql`select pg_advisory_xact_lock_shared(${lock}, hashtext(${name}))`.execute(transaction);
  };
  await hold(providerProofLocks.provider, String(providerId));
  if (session !== undefined) await hold(providerProofLocks.session, `${providerId} ${session}`);
  const link = await transaction
    .selectFrom('credentials')
    .select('subject')
    .where('id', '=', linkId)
    .where('user_id', '=', userId)
    .where('kind', '=', 'link')
    .where('provider_id', '=', providerId)
    .where('confirmed_at', 'is not', null)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  if (link === undefined) return false;
  await hold(providerProofLocks.subject, `${providerId} ${link.subject}`);
  const { rows } = await sql`
    select from providers where id = ${providerId} and enabled and epoch = ${epoch} and not exists (
      select from provider_logouts
      where provider_id = ${providerId}
        and (kind = 'session' and value = ${session ?? null}::text
          or (kind = 'subject' or kind = 'unnamed' and ${session ?? null}::text is null)
            and value = ${link.subject} and ended_at >= ${beganAt})
    )`.execute(transaction);
  return rows.length > 0;
}
