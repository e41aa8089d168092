// The keys that verify and the one that signs, opened and in memory.
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { StartRefusal } from '../../start-refusal.ts';
import type { Store } from '../../store/store.ts';
import { insertKey, listKeys, lockKeys, type StoredKey } from './key-store.ts';
import { seal, unseal } from './sealing.ts';

export interface SigningKey {
  readonly kid: string;
  readonly key: KeyObject;
}

export interface KeyRing {
  readonly signing: SigningKey;
  find(kid: string): KeyObject | undefined;
}

interface KeyRingOptions {
  readonly store: Store;
  readonly sealingKey: Buffer;
  readonly dev: boolean;
}

/** Opens the keys of the mode; makes the first one where there is none. Two instances at once make one between them. */
export async function openKeyRing({ store, sealingKey, dev }: KeyRingOptions): Promise<KeyRing> {
  const stored = await store.transaction().execute(async (transaction) => {
    const keys = await listKeys(transaction, dev);
    if (keys.some((key) => key.signing)) return keys;
    await lockKeys(transaction);
    const keysNow = await listKeys(transaction, dev);
    if (keysNow.some((key) => key.signing)) return keysNow;
    const first = createKey(sealingKey);
    await insertKey(transaction, first, dev);
    return [...keysNow, first];
  });
  return createKeyRing(stored, sealingKey);
}

function createKey(sealingKey: Buffer): StoredKey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const kid = randomBytes(8).toString('hex');
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' });
  return {
    kid,
    publicJwk: publicKey.export({ format: 'jwk' }),
    sealedPrivate: seal(secret, sealingKey, kid),
    signing: true,
  };
}

function createKeyRing(stored: readonly StoredKey[], sealingKey: Buffer): KeyRing {
  const verifying = new Map<string, KeyObject>();
  for (const { kid, publicJwk } of stored)
    verifying.set(kid, createPublicKey({ format: 'jwk', key: publicJwk }));
  const active = stored.find((key) => key.signing);
  if (active === undefined) throw new Error('There is no signing key.');
  const secret = openSecret(active, sealingKey);
  const signing = { kid: active.kid, key: createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' }) };
  return { signing, find: (kid) => verifying.get(kid) };
}

function openSecret({ kid, sealedPrivate }: StoredKey, sealingKey: Buffer): Buffer {
  try {
    return unseal(sealedPrivate, sealingKey, kid);
  } catch {
    throw new StartRefusal([
      `The signing key ${kid} does not open with this master key. Set \`auth.masterKey\` to the one that this database was started with.`,
    ]);
  }
}
