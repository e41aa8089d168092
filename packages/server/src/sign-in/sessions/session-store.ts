// SQL of sessions: stores the logins that have not ended, for users and administrators to list and to end. Token verification
// never reads this table.

import { type Account, AppError, type Factor, type LoginMethod } from '@portcullis/contract';
import type { Change } from '@portcullis/gate';
import { type RawBuilder, sql } from 'kysely';
import { prepared, type Store, type StoreTransaction, sendTogether } from '../../cluster/store/store.ts';
import { raiseEpoch } from '../../people/users/epoch-store.ts';
import type { Admission } from '../login/throttle/throttle.ts';
import { insertRevocation } from './revocation-store.ts';

/** The proof that the session was issued for. */
export interface SessionProof {
  readonly method: LoginMethod;
  readonly factor: Factor;
  readonly credentialId?: number | undefined;
  readonly provider?: ProviderProof | undefined;
  /** Set if the token lives shorter than other tokens. */
  readonly lifetimeSeconds?: number | undefined;
}

/** The proof of the provider that verified the login, if it was not this service. */
export interface ProviderProof {
  readonly providerId: number;
  /** The provider's epoch at the time of its answer. */
  readonly epoch: number;
  /** The provider's own session id, if it ends sessions one by one. */
  readonly session?: string | undefined;
  readonly linkId: number;
  /** The start of the login, by the database's clock. */
  readonly beganAt: Date;
}

export interface NewSession {
  readonly jti: string;
  readonly kid: string;
  readonly account: Pick<Account, 'userId' | 'roleKey' | 'epoch'>;
  /** If left out, the proof is a password with factor 1. */
  readonly proof?: SessionProof | undefined;
  /** Left out, like the user agent, if the login log is off. */
  readonly ip?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

const maxUserAgentLength = 256;
/** How many rows one statement deletes, so that none is long. */
const batch = 5000;

const leastProof: SessionProof = { method: 'password', factor: 1 };
/** Error code of the triggers that refuse a session whose proof is not enough. */
const proofNotEnough = 'PF001';
/** Error code of the trigger that refuses a session whose provider or link has ended. */
const providerProofEnded = 'PF002';

/** If a reserved login attempt led to the session, settles it in the same network packet. */
export async function insertSession(store: Store, session: NewSession, admitted?: Admission): Promise<void> {
  const insertion = insertionOf(session);
  try {
    if (admitted === undefined) await insertion.execute(store);
    else await insertAndSettle(store, session.jti, insertion, admitted);
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === proofNotEnough) throw new AppError('factor_required');
    if (code === providerProofEnded) throw new AppError('provider_refused');
    throw error;
  }
}

/** Two transactions: the throttle rows, which other attempts wait for, stay unlocked until the session is on disk. */
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
  // Node appends the interface to a link-local address (`fe80::1%eth0`), which Postgres does not accept.
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

/** Null if the session does not exist or has ended. */
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

/** A second call for the same session, after a first call without an answer, waits as the first one did. */
async function checkEnded(transaction: StoreTransaction, jti: string): Promise<Change[]> {
  const ended = await transaction
    .selectFrom('revocations')
    .select('jti')
    .where('jti', '=', jti)
    .executeTakeFirst();
  if (ended === undefined) throw new AppError('record_not_found');
  return [];
}

/**
 * The raised epoch ends all sessions. The sweep deletes the rows beyond one batch: a million rows must not make the change
 * fail.
 */
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
 * The rows that the sweep deletes. It searches for sessions of a raised epoch or of a retired key during ten minutes only: no
 * index leads to the latter, and missed rows expire.
 */
const swept = {
  expiredSessions: sql`sessions where expires_at <= now()`,
  outdatedSessions: sql`sessions join users on users.id = user_id and users.epoch > sessions.epoch
    where users.epoch_raised_at > now() - interval '10 minutes'`,
  retiredSessions: sql`sessions join keys using (kid) where keys.retired_at > now() - interval '10 minutes'`,
  expiredRevocations: sql`revocations where expires_at <= now() - interval '1 minute'`,
};

/**
 * Deletes expired and ended sessions, and revocations whose tokens have expired since. Many instances can sweep at once: no
 * instance waits for rows that another one has locked.
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
