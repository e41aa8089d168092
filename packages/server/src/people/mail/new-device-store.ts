// SQL of the new-device notice: queues a mail about a login on a device that this account had not used before, in the transaction
// that stores the session.
import { sql } from 'kysely';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';

interface ToldSession {
  readonly account: { readonly userId: number };
  /** Missing if the login log is off. */
  readonly ip?: string | undefined;
  readonly userAgent?: string | undefined;
}

export async function queueNewDeviceMail(
  store: Store,
  { account, ip, userAgent }: ToldSession,
  insert: (transaction: StoreTransaction) => Promise<void>,
): Promise<void> {
  const facts = JSON.stringify({ ip, agent: userAgent?.slice(0, 256).toWellFormed().replaceAll('\0', '') });
  await store.transaction().execute(async (transaction) => {
    await insert(transaction);
    await sql`select tell_by_mail(${account.userId}, 'new_device', ${facts}::jsonb)`.execute(transaction);
  });
}
