// SQL of sessions: the logins that have not ended, for people to see and to end. Whether a token stands is never
// asked here.

import { type Account, AppError, type Factor, type LoginMethod } from '@portcullis/contract';
import type { Change } from '@portcullis/gate';
import { type RawBuilder, sql } from 'kysely';
import { prepared, type Store, type StoreTransaction, sendTogether } from '../../cluster/store/store.ts';
import { raiseEpoch } from '../../people/users/epoch-store.ts';
import type { Admission } from '../login/throttle/throttle.ts';
import { insertRevocation } from './revocation-store.ts';

/** What it was proven with. */
export interface SessionProof {
  readonly method: LoginMethod;
  readonly factor: Factor;
  readonly credentialId?: number | undefined;
  readonly provider?: ProviderProof | undefined;
  /** Where the token lives shorter than others. */
  readonly lifetimeSeconds?: number | undefined;
}

/** By way of whom it was proven, where that was not this service. */
export interface ProviderProof {
  readonly providerId: number;
  /** As it was when the provider was asked. */
  readonly epoch: number;
  /** What the provider calls the session, where it ends sessions one by one. */
  readonly session?: string | undefined;
  readonly linkId: number;
  /** When the login began, by the database's clock. */
  readonly beganAt: Date;
}

export interface NewSession {
  readonly jti: string;
  readonly kid: string;
  readonly account: Pick<Account, 'userId' | 'roleKey' | 'epoch'>;
  /** Left out, it is the least that there is. */
  readonly proof?: SessionProof | undefined;
  /** Left out, as is the agent, where the login log is off. */
  readonly ip?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

const maxUserAgentLength = 256;
/** How many rows one statement deletes, so that none is long. */
const batch = 5000;

const leastProof: SessionProof = { method: 'password', factor: 1 };
/** Of the trigger that stores no session which proves too little. */
const provesTooLittle = 'PF001';
/** Of the trigger that stores none whose provider or link has ended. */
const vouchedNoMore = 'PF002';

/** Settles the guess that led to it in the same packet, where one did. */
export async function insertSession(store: Store, session: NewSession, admitted?: Admission): Promise<void> {
  const insertion = insertionOf(session);
  try {
    if (admitted === undefined) await insertion.execute(store);
    else await insertAndSettle(store, session.jti, insertion, admitted);
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === provesTooLittle) throw new AppError('factor_required');
    if (code === vouchedNoMore) throw new AppError('provider_refused');
    throw error;
  }
}

/** Two transactions: the rows of the throttle, which others wait for, are not locked until the session is on the disk. */
async function insertAndSettle(
  store: Store,
  jti: string,
  insertion: RawBuilder<unknown>,
  admitted: Admission,
): Promise<void> {
  const statements = [insertion, admitted.settleBySession(jti)];
  const answers = await sendTogether(
    store,
    statements.map((statement) => statement.compile(store)),
  );
  admitted.isSettled = true;
  for (const answer of answers) if (answer.status === 'rejected') throw answer.reason;
}

function insertionOf(session: NewSession): RawBuilder<unknown> {
  const { userId, roleKey, epoch } = session.account;
  const { method, factor, credentialId, provider } = session.proof ?? leastProof;
  // Node names the interface of a link-local address (`fe80::1%eth0`); Postgres has no such address.
  const ip = session.ip?.replace(/%.*/, '') ?? null;
  const userAgent = session.userAgent?.slice(0, maxUserAgentLength) ?? null;
  return sql`${prepared}insert into sessions
      (jti, user_id, role_key, kid, epoch, ip, user_agent, issued_at, expires_at, method, factor, credential_id,
       provider_id, provider_epoch, provider_session, link_id, began_at)
    values (${session.jti}, ${userId}, ${roleKey}, ${session.kid}, ${epoch}, ${ip}, ${userAgent},
      ${session.issuedAt}, ${session.expiresAt}, ${method}, ${factor}, ${credentialId ?? null},
      ${provider?.providerId ?? null}, ${provider?.epoch ?? null}, ${provider?.session ?? null},
      ${provider?.linkId ?? null}, ${provider?.beganAt ?? null})`;
}

export async function endSession(transaction: StoreTransaction, jti: string): Promise<Change[]> {
  const session = await transaction
    .selectFrom('sessions')
    .select(['user_id', sql<number>`ceil(extract(epoch from expires_at))::float8`.as('expires_at')])
    .where('jti', '=', jti)
    .executeTakeFirst();
  if (session === undefined) return await checkEnded(transaction, jti);
  return await insertRevocation(transaction, {
    jti,
    userId: session.user_id,
    expiresAt: session.expires_at,
  });
}

/** Null where there is no such session, or it has been ended. */
export async function readSession(transaction: StoreTransaction, jti: string) {
  const session = await transaction
    .selectFrom('sessions')
    .select(['user_id', 'issued_at', 'expires_at'])
    .where('jti', '=', jti)
    .where('jti', 'not in', (from) => from.selectFrom('revocations').select('jti').where('jti', '=', jti))
    .executeTakeFirst();
  if (session === undefined) return null;
  const { user_id, issued_at, expires_at } = session;
  return { userId: user_id, issuedAt: issued_at, expiresAt: expires_at };
}

/** A second call for the same session, after a first that could not be answered, waits as that one did. */
async function checkEnded(transaction: StoreTransaction, jti: string): Promise<Change[]> {
  const ended = await transaction
    .selectFrom('revocations')
    .select('jti')
    .where('jti', '=', jti)
    .executeTakeFirst();
  if (ended === undefined) throw new AppError('record_not_found');
  return [];
}

/** The epoch ends them all. Rows beyond a batch are left to the sweep: a million must not fail what ends them. */
export async function endUserSessions(transaction: StoreTransaction, userId: number): Promise<Change[]> {
  const changes = await raiseEpoch(transaction, userId);
  await transaction
    .deleteFrom('sessions')
    .where('jti', 'in', (from) =>
      from.selectFrom('sessions').select('jti').where('user_id', '=', userId).limit(batch),
    )
    .execute();
  return changes;
}

/**
 * What is swept. Sessions whose user's epoch was raised or whose key was retired are only looked for soon after:
 * no index leads to the latter, and those that are missed expire.
 */
const swept = {
  expiredSessions: sql`sessions where expires_at <= now()`,
  outdatedSessions: sql`sessions join users on users.id = user_id and users.epoch > sessions.epoch
    where users.epoch_raised_at > now() - interval '10 minutes'`,
  retiredSessions: sql`sessions join keys using (kid) where keys.retired_at > now() - interval '10 minutes'`,
  expiredRevocations: sql`revocations where expires_at <= now() - interval '1 minute'`,
};

/**
 * Deletes sessions that expired or were ended, and revocations of tokens that have expired since. Many instances may
 * sweep at once: none waits for another's rows.
 */
export async function sweepSessions(store: Store): Promise<void> {
  await sweep(store, 'sessions', swept.expiredSessions);
  await sweep(store, 'sessions', swept.outdatedSessions);
  await sweep(store, 'sessions', swept.retiredSessions);
  await sweep(store, 'revocations', swept.expiredRevocations);
}

async function sweep(
  store: Store,
  table: 'sessions' | 'revocations',
  rows: RawBuilder<unknown>,
): Promise<void> {
  const statement = sql`delete from ${sql.table(table)} where jti = any (array(
    select jti from ${rows} limit ${batch} for update of ${sql.table(table)} skip locked))`;
  while ((await statement.execute(store)).numAffectedRows === BigInt(batch));
}
