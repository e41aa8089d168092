// SQL of the signing keys.

import type { JWK } from 'jose';
import { sql } from 'kysely';
import type { Store, StoreTransaction } from '../../store/store.ts';

export interface StoredKey {
  readonly kid: string;
  readonly publicJwk: JWK;
  readonly sealedPrivate: Buffer;
  readonly signing: boolean;
}

export async function listKeys(store: Store, dev: boolean): Promise<StoredKey[]> {
  const rows = await store
    .selectFrom('keys')
    .select(['kid', 'public_jwk', 'sealed_private', 'signing'])
    .where('dev', '=', dev)
    .execute();
  return rows.map((row) => ({
    kid: row.kid,
    publicJwk: row.public_jwk as unknown as JWK,
    sealedPrivate: row.sealed_private,
    signing: row.signing,
  }));
}

export async function insertKey(transaction: StoreTransaction, key: StoredKey, dev: boolean): Promise<void> {
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

/** Until the transaction ends, no other instance makes keys. */
export async function lockKeys(transaction: StoreTransaction): Promise<void> {
  await sql`lock table keys in share row exclusive mode`.execute(transaction);
}
