// The public keys in memory that verify tokens (key set), and the id of the key that signs.
import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Change, KeyChange, PublicJwk } from '../access/change.ts';
import type { ReadableReplica } from '../access/follower.ts';

export interface VerifyingKeys extends ReadableReplica {
  find(kid: string): KeyObject | undefined;
  isRetired(kid: string): boolean;
  /** The key that signs; undefined before the first load. */
  readonly signingKid: string | undefined;
}

interface Verifying {
  readonly key: KeyObject;
  readonly publicJwk: PublicJwk;
}

/** Dev keys verify only in dev, so that a leaked dev token, valid for 100 years, is rejected in production. */
export function createVerifyingKeys(dev: boolean): VerifyingKeys {
  let verifying = new Map<string, Verifying>();
  let retired = new Set<string>();
  let signingKid: string | undefined;

  function apply(change: KeyChange): void {
    if (change.dev !== dev) return;
    switch (change.kind) {
      case 'key_added':
        verifying.set(change.kid, openKey(change.publicJwk));
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
    find: (kid) => verifying.get(kid)?.key,
    snapshotRecords() {
      const byKid = [...verifying].sort(([one], [other]) => (one < other ? -1 : 1));
      const live = byKid.map(([kid, { publicJwk }]) => ({
        kid,
        publicJwk,
        signing: kid === signingKid,
      }));
      return [{ kind: 'keys', dev, live, retired: [...retired].sort() }];
    },
    isRetired: (kid) => retired.has(kid),
    get signingKid() {
      return signingKid;
    },
    load() {
      const loaded = new Map<string, Verifying>();
      const loadedRetired = new Set<string>();
      let loadedSigning: string | undefined;
      return {
        take(piece) {
          if (piece.kind !== 'keys' || piece.dev !== dev) return;
          for (const { kid, publicJwk, signing } of piece.live) {
            loaded.set(kid, openKey(publicJwk));
            if (signing) loadedSigning = kid;
          }
          for (const kid of piece.retired) loadedRetired.add(kid);
        },
        finish: () => () => {
          verifying = loaded;
          retired = loadedRetired;
          signingKid = loadedSigning;
        },
      };
    },
    apply: (changes) => changes.filter(isKeyChange).forEach(apply),
  };
}

function isKeyChange(change: Change): change is KeyChange {
  return change.kind === 'key_added' || change.kind === 'key_activated' || change.kind === 'key_retired';
}

function openKey({ kty, crv, x, y }: PublicJwk): Verifying {
  const publicJwk = { kty, crv, x, y };
  return { publicJwk, key: createPublicKey({ format: 'jwk', key: publicJwk }) };
}
