// SQL of the single-use codes of password links, and of the mails that contain them. Triggers of the database delete the codes when
// the password or the address changes, when the account is disabled or deleted (migration 0030), or when a provider begins to
// decide about an account that has a password (migration 0041).
import { AppError, type UserKind } from '@portcullis/contract';
import { sql } from 'kysely';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';

export type CodeKind = 'reset' | 'invitation';

/** After this many wrong secrets for a code, the right one is refused too. */
const mostTries = 5;
const batch = 1000;

/** Locks the user; true if the user has a password. Throws for a service account, which never has one. */
export async function lockPassword(transaction: StoreTransaction, userId: number): Promise<boolean> {
  const { rows } = await sql<{ has: boolean; kind: UserKind }>`
    select password_hash like '$%' as has, kind
    from users where id = ${userId} for no key update`.execute(transaction);
  if (rows[0]?.kind === 'service') throw new AppError('account_kind_wrong');
  return rows[0]?.has === true;
}

interface NewCode {
  readonly id: string;
  readonly userId: number;
  readonly kind: CodeKind;
  readonly hash: Buffer;
  readonly seconds: number;
}

/** Ends the previous codes of this user, and deletes their queued mails. */
export async function insertCode(transaction: StoreTransaction, code: NewCode): Promise<void> {
  await transaction.deleteFrom('password_codes').where('user_id', '=', code.userId).execute();
  await transaction
    .deleteFrom('mails')
    .where('user_id', '=', code.userId)
    .where('kind', 'in', ['invitation', 'password_reset'])
    .where('state', '=', 'queued')
    .execute();
  await addCode(transaction, code);
}

async function addCode(store: Store, { id, userId, kind, hash, seconds }: NewCode): Promise<void> {
  const expires = sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})`;
  await store
    .insertInto('password_codes')
    .values({ id, user_id: userId, kind, hash, expires_at: expires })
    .execute();
}

export async function insertLinkMail(
  transaction: StoreTransaction,
  { id, userId, address, kind }: { id: string; userId: number; address: string; kind: CodeKind },
): Promise<void> {
  const mailKind = kind === 'reset' ? 'password_reset' : 'invitation';
  await transaction.insertInto('mails').values({ id, kind: mailKind, user_id: userId, address }).execute();
}

export async function countLinkMails(transaction: StoreTransaction, userId: number): Promise<number> {
  const { n } = await transaction
    .selectFrom('mails')
    .select(sql<number>`count(*)::int`.as('n'))
    .where('user_id', '=', userId)
    .where('kind', 'in', ['invitation', 'password_reset'])
    .where('created_at', '>', sql<Date>`clock_timestamp() - interval '1 day'`)
    .executeTakeFirstOrThrow();
  return n;
}

export interface ResetRequest {
  readonly address: string;
  readonly counted: readonly { readonly key: Buffer; readonly most: number }[];
}

/**
 * False if one of the rate limits is reached. The work is the same for every address, so its time reveals nothing: the account is
 * looked up when the mail is sent.
 */
export async function insertResetRequest(store: Store, { address, counted }: ResetRequest): Promise<boolean> {
  return await store.transaction().execute(async (transaction) => {
    for (const { key, most } of counted) {
      const { rows } = await sql<{ may: boolean }>`select count_mail(${key}, ${most}) as may`.execute(
        transaction,
      );
      if (rows[0]?.may !== true) return false;
    }
    await transaction.insertInto('mails').values({ kind: 'password_reset', address }).execute();
    return true;
  });
}

/** The owner of a code that is still valid. A wrong secret counts as a try. */
export async function findCode(
  store: Store,
  { id, hash }: { readonly id: string; readonly hash: Buffer },
): Promise<{ userId: number; kind: CodeKind } | undefined> {
  const { rows } = await sql<{ user_id: number; kind: CodeKind; right: boolean }>`
    update password_codes set tries = tries + (hash <> ${hash})::int
    where id = ${id} and tries < ${mostTries} and expires_at > clock_timestamp()
    returning user_id, kind, hash = ${hash} as "right"`.execute(store);
  const [found] = rows;
  return found?.right === true ? { userId: found.user_id, kind: found.kind } : undefined;
}

/** Consumes the code. Of any number of concurrent callers, exactly one gets true. */
export async function spendCode(transaction: StoreTransaction, id: string, hash: Buffer): Promise<boolean> {
  const spent = await transaction
    .deleteFrom('password_codes')
    .where('id', '=', id)
    .where('hash', '=', hash)
    .where('tries', '<', mostTries)
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .executeTakeFirst();
  return spent.numDeletedRows === 1n;
}

export interface PasswordLink {
  readonly id: string;
  readonly userId: number | null;
  readonly address: string;
}

interface Recipient {
  readonly address: string;
  readonly username: string;
  readonly name: string;
  readonly expiresAt: Date;
}

/**
 * The recipient of a mail whose code is valid; undefined if there is none any more. For a forgotten password, the recipient is the
 * user with this address who is enabled, has a password and an enabled role, and about whom no provider decides. The mail goes to
 * the address as it is spelled in the account.
 */
export async function prepareLinkMail(
  store: Store,
  mail: PasswordLink,
  { hash, seconds }: { readonly hash: Buffer; readonly seconds: number },
): Promise<Recipient | undefined> {
  return await store.transaction().execute(async (transaction) => {
    if (mail.userId === null && !(await addressAsked(transaction, mail, hash, seconds))) return undefined;
    // The master key can have changed since the request.
    const { rows } = await sql<Recipient>`
      update password_codes set hash = ${hash} from users
      where password_codes.id = ${mail.id} and users.id = password_codes.user_id
        and password_codes.expires_at > clock_timestamp() and users.mail is not null
      returning users.mail as address, users.username, users.nick_name as name,
        password_codes.expires_at as "expiresAt"`.execute(transaction);
    return rows[0];
  });
}

async function addressAsked(
  transaction: StoreTransaction,
  { id, address }: PasswordLink,
  hash: Buffer,
  seconds: number,
): Promise<boolean> {
  const { rows } = await sql<{ id: number }>`
    select users.id from users join roles on roles.id = users.role_id
    where lower(users.mail collate "C") = lower(${address} collate "C") and users.mail is not null
      and users.deleted_at is null and users.enabled and roles.enabled and users.password_hash like '$%'
      and not users.decided_by_provider
    for no key update of users`.execute(transaction);
  const [user] = rows;
  if (user === undefined) return false;
  await addCode(transaction, { id, userId: user.id, kind: 'reset', hash, seconds });
  await transaction.updateTable('mails').set({ user_id: user.id }).where('id', '=', id).execute();
  return true;
}

export async function sweepCodes(store: Store): Promise<void> {
  await sql`delete from password_codes where id = any (array(
    select id from password_codes where expires_at <= clock_timestamp() limit ${batch} for update skip locked))`.execute(
    store,
  );
  await sql`delete from mail_counts where day < current_date - 1`.execute(store);
}
