// Concurrency limit for logins. Known networks have separate slots, so that a flood from unknown networks does not block their
// logins.
import { createConcurrencyLimit } from '../../../base/limit/concurrency-limit.ts';

export interface LoginConcurrencyLimit {
  /** Runs the login if a slot is free; otherwise throws `rate_limited`. */
  run<T>(from: LoginNetwork, work: () => Promise<T>): Promise<T>;
}

/** The origin of a login, as far as it decides about the slot. */
export interface LoginNetwork {
  readonly network: string;
  readonly isKnownNetwork: boolean;
  /** Whether `network` identifies one person, and not all users who share an address. */
  readonly isOnePerson?: true;
}

/** One person logs in at once in a few tabs at most. */
const mostOfOnePerson = 4;

/** `slots` for known networks and as many for all others. One network can use half of them, and one person a few. */
export function createLoginConcurrencyLimit(slots: number): LoginConcurrencyLimit {
  const limit = createConcurrencyLimit(slots);
  return {
    run({ network, isKnownNetwork, isOnePerson }, work) {
      const kind = isKnownNetwork ? 'known' : 'unknown';
      const mostOfNetwork = Math.min(slots / 2, isOnePerson ? mostOfOnePerson : slots);
      const wanted = [
        { key: kind, most: slots },
        { key: `network ${network}`, most: mostOfNetwork },
      ];
      return limit.run(wanted, work);
    },
  };
}
