// SQL of passkeys. `public_part` holds the challenge during the registration and the public key after it, and always the user
// handle, by which authenticators distinguish the accounts of a site. The user handle is random and the same for all passkeys of
// a user: it reveals no user id, and a change of the master key does not affect it.
import { AppError } from '@portcullis/contract';
import { sql } from 'kysely';
import type { Store, StoreTransaction } from '../../../cluster/store/store.ts';
import { confirm } from '../credential-store.ts';
import type { VerifiedRegistration } from './web-authn.ts';

interface PublicPart {
  readonly userHandle: string;
  readonly challenge?: string;
  readonly publicKey?: string;
}

export interface PendingPasskey {
  readonly id: number;
  readonly challenge: string;
  readonly userHandle: string;
}

const lifetimeSeconds = 300;
const uniqueViolation = '23505';

/** The newest registration in progress, or the registration with this id, within its lifetime. */
export async function findPendingPasskey(
  store: Store,
  userId: number,
  pendingId?: number,
): Promise<PendingPasskey | undefined> {
  const row = await store
    .selectFrom('credentials')
    .select(['id', 'public_part'])
    .where('user_id', '=', userId)
    .where('kind', '=', 'passkey')
    .where('confirmed_at', 'is', null)
    .where('created_at', '>', sql<Date>`clock_timestamp() - make_interval(secs => ${lifetimeSeconds})`)
    .$if(pendingId !== undefined, (select) => select.where('id', '=', pendingId ?? 0))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { challenge = '', userHandle } = row.public_part as PublicPart;
  return { id: row.id, challenge, userHandle };
}

/** Whether the registration was still in progress. A passkey that is already registered is refused. */
export async function confirmPasskey(
  transaction: StoreTransaction,
  { id, userHandle }: PendingPasskey,
  { publicKey, ...made }: VerifiedRegistration & { readonly name: string },
): Promise<boolean> {
  const publicPart: PublicPart = { publicKey, userHandle };
  try {
    return await confirm(transaction, id, { ...made, publicPart });
  } catch (error) {
    throw (error as { code?: unknown }).code === uniqueViolation ? new AppError('conflict') : error;
  }
}

/** The user handle of any passkey that the user has or had. */
export async function findUserHandle(store: Store, userId: number): Promise<string | undefined> {
  const row = await store
    .selectFrom('credentials')
    .select('public_part')
    .where('user_id', '=', userId)
    .where('kind', '=', 'passkey')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return (row?.public_part as PublicPart | undefined)?.userHandle;
}

export async function listSubjects(store: Store, userId: number): Promise<string[]> {
  const rows = await store
    .selectFrom('credentials')
    .select('subject')
    .where('user_id', '=', userId)
    .where('kind', '=', 'passkey')
    .where('confirmed_at', 'is not', null)
    .where('ended_at', 'is', null)
    .orderBy('id')
    .execute();
  return rows.flatMap(({ subject }) => (subject === null ? [] : [subject]));
}

export interface StoredPasskey {
  readonly id: number;
  readonly userId: number;
  readonly publicKey: string;
  readonly userHandle: string;
  readonly counter: number;
}

/** A passkey in force: confirmed, and not ended. */
export async function findPasskey(store: Store, subject: string): Promise<StoredPasskey | undefined> {
  const row = await store
    .selectFrom('credentials')
    .select(['id', 'user_id as userId', 'public_part', 'counter'])
    .where('kind', '=', 'passkey')
    .where('subject', '=', subject)
    .where('confirmed_at', 'is not', null)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { id, userId, counter } = row;
  const { publicKey = '', userHandle } = row.public_part as PublicPart;
  return { id, userId, publicKey, userHandle, counter };
}

/** Whether the counter grew, or the authenticator has none: it then always sends 0. */
export async function raiseCounter(store: Store, id: number, counter: number): Promise<boolean> {
  const raised = await store
    .updateTable('credentials')
    .set({ counter, used_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .where((row) =>
      row.or([row('counter', '<', counter), row.and([row('counter', '=', 0), sql<boolean>`${counter} = 0`])]),
    )
    .executeTakeFirst();
  return raised.numUpdatedRows === 1n;
}
