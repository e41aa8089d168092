// SQL of the personal data outside the two logs, part by part: how each part is exported and how it is erased. A new table that can
// name a person needs a part here, and its columns in `personal-columns.ts`.
import { sql } from 'kysely';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';
import { erasedName } from './erasure-store.ts';

export interface Person {
  readonly userId: number;
  /** Undefined if it was already erased. */
  readonly username: string | undefined;
}

export interface PersonalData {
  /** The name of the part in an export. */
  readonly name: string;
  /** Never returns a secret. */
  readonly read: (store: Store, person: Person) => Promise<unknown>;
  /** Returns the number of changed rows; 0 if it is repeated. */
  readonly erase: (transaction: StoreTransaction, person: Person) => Promise<number>;
}

const sessions: PersonalData = {
  name: 'sessions',
  read: (store, { userId }) =>
    store
      .selectFrom('sessions')
      .select(['jti', 'role_key as roleKey', 'ip', 'user_agent as userAgent', 'method'])
      .select(['issued_at as issuedAt', 'expires_at as expiresAt'])
      .where('user_id', '=', userId)
      .orderBy('issued_at')
      .execute(),
  erase: (transaction, { userId }) =>
    changedBy(
      sql`update sessions set ip = null, user_agent = null, provider_session = null
      where user_id = ${userId}
        and (ip is not null or user_agent is not null or provider_session is not null)`,
      transaction,
    ),
};

const factors: PersonalData = {
  name: 'factors',
  read: (store, { userId }) =>
    store
      .selectFrom('credentials')
      .select(['id', 'kind', 'name', 'created_at as createdAt', 'used_at as usedAt', 'ended_at as endedAt'])
      .where('user_id', '=', userId)
      .orderBy('id')
      .execute(),
  async erase(transaction, { userId }) {
    let rows = 0;
    for (const table of [
      ...['credentials', 'recovery_codes', 'enrolment_codes', 'login_attempts'],
      ...['link_invitations', 'link_attempts', 'password_codes'],
    ])
      rows += await changedBy(sql`delete from ${sql.table(table)} where user_id = ${userId}`, transaction);
    return rows;
  },
};

/**
 * Called while the account still has its links, because they are deleted with it. For a person who was deleted earlier, these rows
 * are swept within 25 hours.
 */
export async function eraseProviderLogouts(transaction: StoreTransaction, userId: number): Promise<void> {
  await sql`delete from provider_logouts using credentials
    where credentials.user_id = ${userId} and credentials.kind = 'link' and provider_logouts.kind in ('subject', 'unnamed')
      and provider_logouts.provider_id = credentials.provider_id and value = credentials.subject`.execute(
    transaction,
  );
}

const accessRequests: PersonalData = {
  name: 'accessRequests',
  read: (store, { userId }) =>
    store
      .selectFrom('access_requests')
      .select(['id', 'method', 'path', 'reason', 'seconds', 'asked_at as requestedAt', 'state'])
      .select(['answered_at as answeredAt', 'note', 'ends_at as endsAt'])
      .where('user_id', '=', userId)
      .orderBy('id')
      .execute(),
  // An erased name is null, and null matches no row.
  async erase(transaction, { userId, username = null }) {
    const own = await changedBy(sql`delete from access_requests where user_id = ${userId}`, transaction);
    const answered = sql`update access_requests set answered_by = '[erased]' where answered_by = ${username}`;
    return own + (await changedBy(answered, transaction));
  },
};

const rules: PersonalData = {
  name: 'ruleChanges',
  read: (store, { userId }) =>
    store
      .selectFrom('rule_history')
      .select(['role_id as roleId', 'revision', 'at', 'username', 'added', 'removed'])
      .where('user_id', '=', userId)
      .orderBy('at')
      .execute(),
  async erase(transaction, { userId, username = null }) {
    const { rows } = await sql<{ n: number }>`select erase_rule_history(${userId}) as n`.execute(transaction);
    const history = rows[0]?.n ?? 0;
    const given = sql`update temporary_rules set given_by = '[erased]' where given_by = ${username}`;
    return history + (await changedBy(given, transaction));
  },
};

const mails: PersonalData = {
  name: 'mails',
  read: (store, { userId }) =>
    store
      .selectFrom('mails')
      .select(['id', 'kind', 'address', 'facts', 'state', 'created_at as createdAt', 'ended_at as endedAt'])
      .where('user_id', '=', userId)
      .orderBy('created_at')
      .execute(),
  // Mails that were requested with the address alone were deleted with the account, which still had the address.
  erase: (transaction, { userId }) =>
    changedBy(sql`delete from mails where user_id = ${userId}`, transaction),
};

/** Last, because rows of other parts are found by the username. */
const account: PersonalData = {
  name: 'account',
  read: (store, { userId }) =>
    store
      .selectFrom('users')
      .select(['id', 'username', 'nick_name as name', 'avatar', 'introduction', 'mail'])
      .select(['department_id as departmentId', 'role_id as roleId', 'enabled'])
      .select(['created_at as createdAt', 'deleted_at as deletedAt'])
      .where('id', '=', userId)
      .executeTakeFirst(),
  erase: (transaction, { userId }) =>
    changedBy(
      sql`update users set username = ${erasedName(userId)}, canonical_username = ${erasedName(userId)},
      nick_name = '', avatar = '', introduction = '', password_hash = '!', mail = null
      where id = ${userId} and deleted_at is not null and username <> ${erasedName(userId)}`,
      transaction,
    ),
};

export const personalData: readonly PersonalData[] = [
  sessions,
  factors,
  accessRequests,
  rules,
  mails,
  account,
];

async function changedBy(statement: ReturnType<typeof sql>, transaction: StoreTransaction): Promise<number> {
  return Number((await statement.execute(transaction)).numAffectedRows ?? 0);
}
