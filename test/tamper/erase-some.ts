// Erases people of a log that a test has made, by the product's own code, as if a caller had been allowed to.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { findDeployment } from '../../packages/server/src/cluster/store/deployment.ts';
import type { Store } from '../../packages/server/src/cluster/store/store.ts';
import { eraseLoginLog } from '../../packages/server/src/people/erasure/erase-login-records.ts';
import { signErasureAuthorization } from '../../packages/server/src/people/erasure/erasure-authorization.ts';

/** An open erasure, signed. Its id. */
export async function beginErasure(store: Store, key: Buffer, userId: number): Promise<string> {
  const deployment = await findDeployment(store);
  const authorization = { id: randomUUID(), userId, reference: Buffer.alloc(16), at: new Date() };
  const signature = signErasureAuthorization(key, deployment, authorization);
  const { rows } = await sql<{ id: string }>`
    insert into erasures (id, user_id, reference, at, signature)
    values (${authorization.id}, ${userId}, ${authorization.reference}, ${authorization.at}, ${signature})
    on conflict (user_id) do update set finished_at = null returning id`.execute(store);
  return rows[0]?.id ?? '';
}

/** How many records. */
export async function eraseLogins(store: Store, keys: readonly [Buffer, ...Buffer[]], userId: number) {
  const erasure = await beginErasure(store, keys[0], userId);
  let erased = 0;
  for await (const records of eraseLoginLog(store, { keys, erasure, userId, names: [] })) erased += records;
  return erased;
}
