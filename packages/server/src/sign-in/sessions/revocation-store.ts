// SQL of ended tokens and of raised user epochs.
import type { Change } from '@portcullis/gate';
import { sql } from 'kysely';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';

const page = 10_000;
/** An epoch bears the time at which its transaction began; a token of the old one may be issued until it ends. */
const longestTransactionSeconds = 60;

interface Token {
  readonly jti: string;
  readonly userId: number;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

/** Ends one token. Ending it twice is one revocation. */
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
 * The ended tokens that would otherwise still live, as `jti expiry,jti expiry`. There may be millions, so they come page by
 * page and each page as one text: a million rows as objects would take 200 MB and four times as long.
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

/** The epochs that were raised while a token could live that carries an older one, page by page. */
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
