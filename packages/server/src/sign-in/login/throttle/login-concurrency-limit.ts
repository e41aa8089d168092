// Concurrency limit for logins: a login without a free slot is refused before it costs anything. Known networks have separate
// slots, so that a flood from unknown networks does not block their logins.
import { AppError } from '@portcullis/contract';

export interface LoginConcurrencyLimit {
  /** Runs the login if a slot is free. The work holds the slot, not the client: a client that disconnects frees nothing. */
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
  const taken = { known: 0, unknown: 0 };
  const takenBy = new Map<string, number>();

  return {
    async run({ network, isKnownNetwork, isOnePerson }, work) {
      const kind = isKnownNetwork ? 'known' : 'unknown';
      const ofNetwork = takenBy.get(network) ?? 0;
      const isFull = ofNetwork >= slots / 2 || (isOnePerson && ofNetwork >= mostOfOnePerson);
      if (taken[kind] >= slots || isFull) throw new AppError('rate_limited', { retryAfterSeconds: 1 });
      taken[kind] += 1;
      takenBy.set(network, ofNetwork + 1);
      try {
        return await work();
      } finally {
        taken[kind] -= 1;
        const left = (takenBy.get(network) ?? 1) - 1;
        if (left === 0) takenBy.delete(network);
        else takenBy.set(network, left);
      }
    },
  };
}
