// SQL of the login log.
import type { Store } from '../store/store.ts';
import type { LoginRecord } from './login-record.ts';

/** Storing a record twice stores it once: its id is the key. */
export async function insertLoginRecords(store: Store, records: readonly LoginRecord[]): Promise<void> {
  await store
    .insertInto('login_log')
    .values(
      records.map((record) => ({
        id: record.id,
        at: record.at,
        username: record.username ?? null,
        user_id: record.userId ?? null,
        role_key: record.roleKey ?? null,
        outcome: record.outcome,
        reason: record.reason,
        ip: record.ip,
        user_agent: record.userAgent ?? null,
        request_id: record.requestId,
        jti: record.jti ?? null,
        instance: record.instance,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
