// SQL of ended tokens and of raised user epochs.
import { sql } from 'kysely';
import { writeRevision } from '../cluster/revision-store.ts';
import type { Store } from '../store/store.ts';

/** Ends one token. Ending it twice is one revocation. */
export async function insertRevocation(
  store: Store,
  token: { jti: string; userId: number; expiresAt: number },
) {
  await store.transaction().execute(async (transaction) => {
    const inserted = await transaction
      .insertInto('revocations')
      .values({ jti: token.jti, user_id: token.userId, expires_at: new Date(token.expiresAt * 1000) })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    if (inserted.numInsertedOrUpdatedRows === 0n) return;
    await writeRevision(transaction, [{ kind: 'token_revoked', jti: token.jti }]);
  });
}

/** The `jti`s of ended tokens that would otherwise still live. */
export async function listLiveRevocations(store: Store): Promise<string[]> {
  const rows = await store
    .selectFrom('revocations')
    .select('jti')
    .where('expires_at', '>', sql<Date>`now()`)
    .execute();
  return rows.map((row) => row.jti);
}

/** The epochs that were raised while a token could live that carries an older one. */
export async function listRaisedEpochs(store: Store, maxTokenLifetimeSeconds: number) {
  return await store
    .selectFrom('users')
    .select(['id as userId', 'epoch'])
    .where('epoch_raised_at', '>', sql<Date>`now() - make_interval(secs => ${maxTokenLifetimeSeconds})`)
    .execute();
}
