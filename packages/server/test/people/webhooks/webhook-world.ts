// Webhooks in a database, without anything that delivers them.
import { sql } from 'kysely';
import type { Store } from '../../../src/cluster/store/store.ts';

/** It has everything that the logs hold behind it. */
export async function insertWebhook(
  store: Store,
  change: Readonly<Record<string, unknown>> = {},
): Promise<number> {
  const { seq } = await store.selectFrom('audit_log_end').select('seq').executeTakeFirstOrThrow();
  const { id } = await store
    .insertInto('webhooks')
    .values({
      name: 'SIEM',
      url: 'https://siem.example.com/',
      kinds: [],
      sealed_secret: Buffer.alloc(1),
      audit_seq: seq,
      ...change,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function setWebhook(store: Store, id: number, assignments: string): Promise<void> {
  await sql`update webhooks set ${sql.raw(assignments)} where id = ${id}`.execute(store);
}

export async function readWebhook(store: Store, id: number) {
  return await store.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}
