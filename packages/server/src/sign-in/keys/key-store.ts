// SQL of the signing keys (JWKS, key rotation).

import { AppError, type KeyState } from '@portcullis/contract';
import type { PublicJwk } from '@portcullis/gate';
import { sql } from 'kysely';
import { Type } from 'typebox';
import { createCursor } from '../../cluster/store/cursor.ts';
import { createPage } from '../../cluster/store/page.ts';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';
import type { KeyRow } from './create-key.ts';

export interface LiveKey {
  readonly kid: string;
  readonly publicJwk: PublicJwk;
  readonly signing: boolean;
}

const cursor = createCursor(Type.String({ pattern: '^[a-z0-9]{1,16}$' }));

/** The keys of the mode that verify tokens: all that are not retired. */
export async function listLiveKeys(store: Store, dev: boolean): Promise<LiveKey[]> {
  const rows = await store
    .selectFrom('keys')
    .select(['kid', 'public_jwk', 'signing'])
    .where('dev', '=', dev)
    .where('retired_at', 'is', null)
    .orderBy('created_at')
    .orderBy('kid')
    .execute();
  return rows.map(({ kid, public_jwk, signing }) => ({
    kid,
    publicJwk: public_jwk as unknown as PublicJwk,
    signing,
  }));
}

export async function listRetiredKids(store: Store, dev: boolean): Promise<string[]> {
  const rows = await store
    .selectFrom('keys')
    .select('kid')
    .where('dev', '=', dev)
    .where('retired_at', 'is not', null)
    .execute();
  return rows.map(({ kid }) => kid);
}

/** A page of the keys, newest first. A row is never deleted, so the cursor is the last key of the page. */
export async function listKeys(
  store: Store,
  dev: boolean,
  query: { after: string | undefined; limit: number },
) {
  const after = cursor.read(query.after);
  const rows = await store
    .selectFrom('keys')
    .select(['kid', 'signing', 'created_at', 'deactivated_at', 'retired_at'])
    .where('dev', '=', dev)
    .$if(after !== undefined, (select) =>
      select.where(
        sql<boolean>`(created_at, kid) < (select last.created_at, last.kid from keys as last where last.kid = ${after})`,
      ),
    )
    .orderBy('created_at', 'desc')
    .orderBy('kid', 'desc')
    .limit(query.limit + 1)
    .execute();
  return createPage(rows, query.limit, { itemOf, positionOf: ({ kid }) => kid, cursor });
}

interface KeyTimes {
  readonly kid: string;
  readonly signing: boolean;
  readonly created_at: Date;
  readonly deactivated_at: Date | null;
  readonly retired_at: Date | null;
}

function itemOf(row: KeyTimes) {
  return {
    kid: row.kid,
    state: stateOf(row),
    createdAt: row.created_at.toISOString(),
    deactivatedAt: row.deactivated_at?.toISOString() ?? null,
    retiredAt: row.retired_at?.toISOString() ?? null,
  };
}

function stateOf({ signing, deactivated_at, retired_at }: KeyTimes): KeyState {
  if (retired_at !== null) return 'retired';
  if (signing) return 'signing';
  return deactivated_at === null ? 'standby' : 'verifying';
}

/** Undefined for an unknown key and for a retired key. */
export async function findSealedPrivate(store: Store, kid: string): Promise<Buffer | undefined> {
  const row = await store
    .selectFrom('keys')
    .select('sealed_private')
    .where('kid', '=', kid)
    .executeTakeFirst();
  return row?.sealed_private ?? undefined;
}

/** Until the transaction ends, no other transaction creates or changes keys. */
export async function lockKeys(transaction: StoreTransaction): Promise<void> {
  await sql`lock table keys in share row exclusive mode`.execute(transaction);
}

/** Null if the key does not exist. */
export async function readKeyState(transaction: StoreTransaction, kid: string, dev: boolean) {
  await lockKeys(transaction);
  const key = await transaction
    .selectFrom('keys')
    .select(['kid', 'signing', 'created_at', 'deactivated_at', 'retired_at'])
    .where('kid', '=', kid)
    .where('dev', '=', dev)
    .executeTakeFirst();
  return key === undefined ? null : { state: stateOf(key) };
}

export async function readSigningKid(transaction: StoreTransaction, dev: boolean) {
  await lockKeys(transaction);
  const keys = await listLiveKeys(transaction, dev);
  return { signingKey: keys.find(({ signing }) => signing)?.kid ?? null };
}

/** The current state of a key of the mode. The caller holds the lock. */
export async function getKey(transaction: StoreTransaction, kid: string, dev: boolean) {
  const key = await transaction
    .selectFrom('keys')
    .select(['signing', 'retired_at'])
    .where('kid', '=', kid)
    .where('dev', '=', dev)
    .executeTakeFirst();
  if (key === undefined) throw new AppError('record_not_found');
  return { signing: key.signing, isRetired: key.retired_at !== null };
}

export async function insertKey(
  transaction: StoreTransaction,
  key: KeyRow & { readonly signing: boolean },
  dev: boolean,
): Promise<void> {
  await transaction
    .insertInto('keys')
    .values({
      kid: key.kid,
      dev,
      public_jwk: JSON.stringify(key.publicJwk),
      sealed_private: key.sealedPrivate,
      signing: key.signing,
    })
    .execute();
}

/** Deactivates the previous key first: one key of a mode signs at a time. */
export async function setSigningKey(transaction: StoreTransaction, kid: string, dev: boolean): Promise<void> {
  await transaction
    .updateTable('keys')
    .set({ signing: false, deactivated_at: sql<Date>`now()` })
    .where('dev', '=', dev)
    .where('signing', '=', true)
    .execute();
  await transaction
    .updateTable('keys')
    .set({ signing: true, deactivated_at: null })
    .where('kid', '=', kid)
    .execute();
}

/**
 * Whether a token that the key has signed can still be valid. An instance that does not know the change yet signs with the key
 * for up to one lease after its deactivation.
 */
export async function mayHaveLiveTokens(
  transaction: StoreTransaction,
  kid: string,
  maxTokenLifetimeSeconds: number,
): Promise<boolean> {
  const key = await transaction
    .selectFrom(['keys', 'current_revision'])
    .select('kid')
    .where('kid', '=', kid)
    .where(
      'deactivated_at',
      '>',
      sql<Date>`now() - make_interval(secs => ${maxTokenLifetimeSeconds} + lease_milliseconds / 1000.0)`,
    )
    .executeTakeFirst();
  return key !== undefined;
}

/** Deletes the private key at once. The row stays, to distinguish the key's tokens from forged ones. */
export async function markRetired(transaction: StoreTransaction, kids: readonly string[]): Promise<void> {
  await transaction
    .updateTable('keys')
    .set({
      signing: false,
      sealed_private: null,
      retired_at: sql<Date>`now()`,
      deactivated_at: sql<Date>`case when signing then now() else deactivated_at end`,
    })
    .where('kid', 'in', kids)
    .execute();
}
