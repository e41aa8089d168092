// Signing key rotation. The states of a key are standby, signing, verifying and retired. Each change runs in the transaction that
// writes its revision, under the lock on the keys, so that two changes at once run one after the other.

import { AppError } from '@portcullis/contract';
import type { KeyChange } from '@portcullis/gate';
import type { StoreTransaction } from '../../cluster/store/store.ts';
import { createKeyRow, type KeyRow } from './create-key.ts';
import {
  getKey,
  insertKey,
  listLiveKeys,
  lockKeys,
  markRetired,
  mayHaveLiveTokens,
  setSigningKey,
} from './key-store.ts';

export async function addKey(transaction: StoreTransaction, key: KeyRow, dev: boolean): Promise<KeyChange[]> {
  await insertKey(transaction, { ...key, signing: false }, dev);
  return [{ kind: 'key_added', kid: key.kid, dev, publicJwk: key.publicJwk }];
}

/** The previous signing key still verifies tokens. */
export async function activateKey(
  transaction: StoreTransaction,
  kid: string,
  dev: boolean,
): Promise<KeyChange[]> {
  await lockKeys(transaction);
  const { signing, isRetired } = await getKey(transaction, kid, dev);
  if (isRetired) throw new AppError('conflict');
  if (signing) return [];
  await setSigningKey(transaction, kid, dev);
  return [{ kind: 'key_activated', kid, dev }];
}

export async function retireKey(
  transaction: StoreTransaction,
  kid: string,
  { dev, maxTokenLifetimeSeconds }: { dev: boolean; maxTokenLifetimeSeconds: number },
): Promise<KeyChange[]> {
  await lockKeys(transaction);
  const { signing, isRetired } = await getKey(transaction, kid, dev);
  if (isRetired) return [];
  if (signing || (await mayHaveLiveTokens(transaction, kid, maxTokenLifetimeSeconds)))
    throw new AppError('conflict');
  await markRetired(transaction, [kid]);
  return [{ kind: 'key_retired', kid, dev }];
}

interface Replacement {
  readonly dev: boolean;
  readonly sealingKey: Buffer;
}

/** Emergency retirement: every token of the key becomes invalid. If the key was signing, the same change activates a new key. */
export async function retireKeyAtOnce(
  transaction: StoreTransaction,
  kid: string,
  { dev, sealingKey }: Replacement,
): Promise<KeyChange[]> {
  await lockKeys(transaction);
  const { signing, isRetired } = await getKey(transaction, kid, dev);
  if (isRetired) return [];
  await markRetired(transaction, [kid]);
  const added = signing ? await addSigningKey(transaction, { dev, sealingKey }) : [];
  return [...added, { kind: 'key_retired', kid, dev }];
}

/** Makes every token of the mode invalid. */
export async function retireAllKeys(
  transaction: StoreTransaction,
  { dev, sealingKey }: Replacement,
): Promise<KeyChange[]> {
  await lockKeys(transaction);
  const kids = (await listLiveKeys(transaction, dev)).map(({ kid }) => kid);
  if (kids.length > 0) await markRetired(transaction, kids);
  const added = await addSigningKey(transaction, { dev, sealingKey });
  return [...added, ...kids.map((kid) => ({ kind: 'key_retired' as const, kid, dev }))];
}

async function addSigningKey(
  transaction: StoreTransaction,
  { dev, sealingKey }: Replacement,
): Promise<KeyChange[]> {
  const key = createKeyRow(sealingKey);
  await insertKey(transaction, { ...key, signing: true }, dev);
  return [
    { kind: 'key_added', kid: key.kid, dev, publicJwk: key.publicJwk },
    { kind: 'key_activated', kid: key.kid, dev },
  ];
}
