// The public keys that verify tokens, in memory, and which of them signs.
import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Change, KeyChange, PublicJwk } from '../access/change.ts';
import type { Replica } from '../access/follower.ts';

export interface VerifyingKeys extends Replica {
  find(kid: string): KeyObject | undefined;
  isRetired(kid: string): boolean;
  /** The key that signs; undefined before the first load. */
  readonly signingKid: string | undefined;
}

/** Keys of dev verify only in dev, so that a leaked token of 100 years is dead in production. */
export function createVerifyingKeys(dev: boolean): VerifyingKeys {
  let verifying = new Map<string, KeyObject>();
  let retired = new Set<string>();
  let signingKid: string | undefined;

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
    get signingKid() {
      return signingKid;
    },
    load() {
      const loaded = new Map<string, KeyObject>();
      const loadedRetired = new Set<string>();
      let loadedSigning: string | undefined;
      return {
        take(piece) {
          if (piece.kind !== 'keys' || piece.dev !== dev) return;
          for (const { kid, publicJwk, signing } of piece.live) {
            loaded.set(kid, publicKeyOf(publicJwk));
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

function publicKeyOf({ kty, crv, x, y }: PublicJwk): KeyObject {
  return createPublicKey({ format: 'jwk', key: { kty, crv, x, y } });
}
