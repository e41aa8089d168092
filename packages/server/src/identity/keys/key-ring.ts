// The keys that verify and the one that signs, in memory. The private part is opened when it is first needed.
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { Change, KeyChange, PublicJwk } from '../../cluster/change.ts';
import type { Replica } from '../../cluster/follower.ts';
import { writeRevision } from '../../cluster/revision-store.ts';
import { StartRefusal } from '../../start-refusal.ts';
import type { Store } from '../../store/store.ts';
import { createKeyRow } from './create-key.ts';
import { findSealedPrivate, insertKey, listLiveKeys, listRetiredKids, lockKeys } from './key-store.ts';
import { unsealWithAny } from './sealing.ts';

export interface SigningKey {
  readonly kid: string;
  readonly key: KeyObject;
}

export interface KeyRing extends Replica {
  find(kid: string): KeyObject | undefined;
  isRetired(kid: string): boolean;
  getSigningKey(): Promise<SigningKey>;
}

interface KeyRingOptions {
  readonly store: Store;
  /** The first one seals; the others only open, while the master key is being changed. */
  readonly sealingKeys: readonly [Buffer, ...Buffer[]];
  readonly dev: boolean;
}

export function createKeyRing({ store, sealingKeys, dev }: KeyRingOptions): KeyRing {
  let verifying = new Map<string, KeyObject>();
  let retired = new Set<string>();
  let signingKid: string | undefined;
  let opened: { kid: string; key: Promise<KeyObject> } | undefined;

  async function open(kid: string): Promise<KeyObject> {
    const sealed = await findSealedPrivate(store, kid);
    const secret = sealed && unsealWithAny(sealed, sealingKeys, kid);
    if (secret === undefined)
      throw new StartRefusal([
        `The signing key ${kid} does not open with this master key. Set \`auth.masterKey\` to the one that this database was started with.`,
      ]);
    return createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' });
  }

  function apply(change: KeyChange): void {
    if (change.dev !== dev) return;
    switch (change.kind) {
      case 'key_added':
        verifying.set(change.kid, publicKeyOf(change.publicJwk));
        break;
      case 'key_activated':
        signingKid = change.kid;
        break;
      case 'key_retired':
        verifying.delete(change.kid);
        retired.add(change.kid);
        break;
    }
  }

  return {
    find: (kid) => verifying.get(kid),
    isRetired: (kid) => retired.has(kid),
    async getSigningKey() {
      const kid = signingKid;
      if (kid === undefined) throw new Error('There is no signing key.');
      if (opened?.kid !== kid) opened = { kid, key: open(kid) };
      const { key } = opened;
      // One that failed to open is tried again.
      key.catch(() => {
        if (opened?.key === key) opened = undefined;
      });
      return { kid, key: await key };
    },
    async load(transaction) {
      const live = await listLiveKeys(transaction, dev);
      const retiredKids = await listRetiredKids(transaction, dev);
      return () => {
        verifying = new Map(live.map(({ kid, publicJwk }) => [kid, publicKeyOf(publicJwk)]));
        retired = new Set(retiredKids);
        signingKid = live.find(({ signing }) => signing)?.kid;
      };
    },
    apply: (changes) => changes.filter(isKeyChange).forEach(apply),
  };
}

/** Makes the first key of the mode where there is none. Two instances at once make one between them. */
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

function isKeyChange(change: Change): change is KeyChange {
  return change.kind === 'key_added' || change.kind === 'key_activated' || change.kind === 'key_retired';
}

function publicKeyOf({ kty, crv, x, y }: PublicJwk): KeyObject {
  return createPublicKey({ format: 'jwk', key: { kty, crv, x, y } });
}
