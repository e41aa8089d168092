// SQL of token revocation: the revoked tokens and the raised user epochs.
import type { Change } from '@portcullis/gate';
import { sql } from 'kysely';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';

const page = 10_000;
/**
 * A raised epoch has the time at which its transaction began. Tokens with the old epoch can be issued until the transaction
 * ends.
 */
const longestTransactionSeconds = 60;

interface Token {
  readonly jti: string;
  readonly userId: number;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

/** Revokes one token. Idempotent: a second call returns no change. */
export async function insertRevocation(transaction: StoreTransaction, token: Token): Promise<Change[]> {
  const { jti, userId, expiresAt } = token;
  const inserted = await transaction
    .insertInto('revocations')
    .values({ jti, user_id: userId, expires_at: new Date(expiresAt * 1000) })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  await transaction.deleteFrom('sessions').where('jti', '=', jti).execute();
  return inserted.numInsertedOrUpdatedRows === 0n ? [] : [{ kind: 'token_revoked', jti, expiresAt }];
}

/**
 * The revoked tokens that have not expired, as `jti expiry,jti expiry`. There can be millions, so they are read page by page, and
 * each page is one text: a million rows as objects would take 200 MB and four times as long.
 */
export async function* listRevocationLines(store: Store): AsyncGenerator<string> {
  for (let next = await readPage(store, ''); next !== undefined; next = await readPage(store, next.last))
    yield next.lines;
}

async function readPage(store: Store, after: string): Promise<{ lines: string; last: string } | undefined> {
  const { rows } = await sql<{ lines: string; last: string }>`
    select string_agg(jti || ' ' || ceil(extract(epoch from expires_at)), ',') as lines, max(jti) as last
    from (
      select jti, expires_at from revocations
      where expires_at > now() - interval '1 minute' and jti > ${after} order by jti limit ${page}
    ) as page
    having count(*) > 0`.execute(store);
  return rows[0];
}

/** The raised epochs for which a token with an older epoch can still be valid, page by page. */
export async function* listRaisedEpochs(
  store: Store,
  maxTokenLifetimeSeconds: number,
): AsyncGenerator<{ userId: number; epoch: number }[]> {
  const seconds = maxTokenLifetimeSeconds + longestTransactionSeconds;
  for (let after = 0; ; ) {
    const rows = await store
      .selectFrom('users')
      .select(['id as userId', 'epoch'])
      .where('epoch_raised_at', '>', sql<Date>`now() - make_interval(secs => ${seconds})`)
      .where('id', '>', after)
      .orderBy('id')
      .limit(page)
      .execute();
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < page) return;
    after = last.userId;
  }
}
