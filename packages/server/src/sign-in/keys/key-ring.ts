// Key ring: the verifying keys and the signing key, in memory. The private key is decrypted at first use.
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { createVerifyingKeys, type VerifyingKeys } from '@portcullis/gate';
import { createSealedSecrets, type SealingKeys } from '../../base/secrets/sealed-secrets.ts';
import { StartRefusal } from '../../base/values/start-refusal.ts';
import { writeRevision } from '../../cluster/revision-store.ts';
import type { Store } from '../../cluster/store/store.ts';
import { createKeyRow } from './create-key.ts';
import { findSealedPrivate, insertKey, listLiveKeys, lockKeys } from './key-store.ts';

export interface SigningKey {
  readonly kid: string;
  readonly key: KeyObject;
}

export interface KeyRing extends VerifyingKeys {
  getSigningKey(): Promise<SigningKey>;
}

interface KeyRingOptions {
  readonly store: Store;
  readonly sealingKeys: SealingKeys;
  readonly dev: boolean;
}

export function createKeyRing({ store, sealingKeys, dev }: KeyRingOptions): KeyRing {
  const verifying = createVerifyingKeys(dev);
  let opened: { kid: string; key: Promise<KeyObject> } | undefined;

  async function getSigningKey(): Promise<SigningKey> {
    const kid = verifying.signingKid;
    if (kid === undefined) throw new Error('There is no signing key.');
    if (opened?.kid !== kid) opened = { kid, key: openSigningKey(store, sealingKeys, kid) };
    const { key } = opened;
    // A failed decryption is tried again at the next use.
    key.catch(() => {
      if (opened?.key === key) opened = undefined;
    });
    return { kid, key: await key };
  }

  return Object.assign(verifying, { getSigningKey });
}

/** Rejects if none of the sealing keys decrypts the private key. */
export async function openSigningKey(
  store: Store,
  sealingKeys: SealingKeys,
  kid: string,
): Promise<KeyObject> {
  const sealed = await findSealedPrivate(store, kid);
  const secret = sealed && createSealedSecrets('signingKey', sealingKeys).open(kid, sealed);
  if (secret === undefined)
    throw new StartRefusal([
      `The signing key ${kid} cannot be decrypted with this master key. Set \`auth.masterKey\` (AUTH_MASTER_KEY) to the key that created this database. If that key is lost, keep the new key and run \`portcullis recover\`, which ends every session and creates a new signing key (docs/how-to/backup.md, “The master key is lost”).`,
    ]);
  return createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' });
}

/** Creates the first signing key of the mode if there is none. If two instances start at once, one key is created. */
export async function ensureSigningKey({ store, sealingKeys, dev }: KeyRingOptions): Promise<void> {
  const hasSigningKey = async (from: Store) => (await listLiveKeys(from, dev)).some(({ signing }) => signing);
  if (await hasSigningKey(store)) return;
  await store.transaction().execute(async (transaction) => {
    await lockKeys(transaction);
    if (await hasSigningKey(transaction)) return;
    const key = createKeyRow(sealingKeys[0]);
    const { kid, publicJwk } = key;
    await insertKey(transaction, { ...key, signing: true }, dev);
    await writeRevision(transaction, [
      { kind: 'key_added', kid, dev, publicJwk },
      { kind: 'key_activated', kid, dev },
    ]);
  });
}
