// How many logins are worked on at once. What does not fit is refused before it costs anything, and a flood from
// networks that nobody ever logged in from does not take the slots of the others.
import { AppError } from '@portcullis/contract';

export interface LoginConcurrencyLimit {
  /** Runs the login where a slot is free. The slot is the work's, not the client's: who hangs up frees nothing. */
  run<T>(from: LoginNetwork, work: () => Promise<T>): Promise<T>;
}

/** Where a login comes from, as far as it decides which slot it gets. */
export interface LoginNetwork {
  readonly network: string;
  readonly isKnownNetwork: boolean;
  /** Whether it stands for one person and not for all who share an address. */
  readonly isOnePerson?: true;
}

/** Nobody logs in more often at once than a few tabs do. */
const mostOfOnePerson = 4;

/** So many for known networks and as many for the others, half of them for any one network, and a few for one person. */
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
