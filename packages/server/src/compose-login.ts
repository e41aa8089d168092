// What login is made of, and what of it has a life of its own: it is refreshed, swept and closed.
import { createSecretKey, randomBytes } from 'node:crypto';
import type { Config } from './config.ts';
import { canonicalUsername } from './directory/canonical-username.ts';
import { findAccount, findDearestImportedCost, replaceHash } from './directory/user-store.ts';
import { networkOf } from './http/network.ts';
import { createCaptcha } from './login/captcha/captcha.ts';
import { createCaptchaStore } from './login/captcha/captcha-store.ts';
import { createBcrypt } from './login/credentials/bcrypt.ts';
import type { CredentialVerifier } from './login/credentials/credential-verifier.ts';
import { createHashPool } from './login/credentials/hash-pool.ts';
import { createPasswordHashes } from './login/credentials/password-hashes.ts';
import { createPasswordVerifier } from './login/credentials/password-verifier.ts';
import { createRefusalTime } from './login/credentials/refusal-time.ts';
import { createKnownNetworks } from './login/throttle/known-networks.ts';
import { createPlaces } from './login/throttle/places.ts';
import { createThrottle } from './login/throttle/throttle.ts';
import { createThrottleStore } from './login/throttle/throttle-store.ts';
import type { Store } from './store/store.ts';

/** As many as are hashed in the second that a login waits for its hash at most. */
const placesPerHash = 32;

export type LoginParts = ReturnType<typeof composeLogin>;

export function composeLogin(store: Store, config: Config, credentials: CredentialVerifier | undefined) {
  const monotonic = () => performance.now();
  const { concurrency } = config.hash;
  const key = createSecretKey(config.masterKey.throttle);
  const captchas = createCaptchaStore(store);
  const throttles = createThrottleStore(store, config.throttle);
  const knownNetworks = createKnownNetworks(throttles, key);
  const bcrypt = createBcrypt();
  const hashes = createPasswordHashes({ cost: config.hash, matchesBcrypt: bcrypt.matches, randomBytes });
  const pool = createHashPool(concurrency);
  const findDearestCost = () => findDearestImportedCost(store);
  const refusalTime = createRefusalTime({
    findDearestCost,
    compare: (stored) => hashes.matches('', stored),
    monotonic,
  });
  const passwords = createPasswordVerifier({
    findAccount: (username) => findAccount(store, username),
    replaceHash: (...change) => replaceHash(store, ...change),
    hashes,
    pool,
    refusalTime,
    monotonic,
  });
  return {
    captchaRequired: config.captchaRequired,
    captcha: createCaptcha({ store: captchas, key: config.masterKey.captcha, randomBytes }),
    networkOf,
    knownNetworks,
    places: createPlaces(placesPerHash * concurrency),
    throttle: createThrottle({ store: throttles, key, canonicalUsername, monotonic }),
    credentials: credentials ?? passwords,
    hashPassword: (password: string) => pool.run(() => hashes.hash(password), true),
    /** Learns what the other instances and the imports have changed. */
    refresh: () => Promise.all([knownNetworks.refresh(), refusalTime.refresh()]),
    sweep: () => Promise.all([captchas.sweep(), throttles.sweep()]),
    close: bcrypt.close,
  };
}
