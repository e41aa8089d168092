// How many logins are worked on at once. What does not fit is refused before it costs anything, and a flood from
// networks that nobody ever logged in from does not take the places of the others.
import { AppError } from '@portcullis/contract';

export interface Places {
  /** Runs the login where there is a place for it. The place is the work's, not the client's: who hangs up frees nothing. */
  hold<T>(place: Place, work: () => Promise<T>): Promise<T>;
}

export interface Place {
  readonly network: string;
  readonly isKnownNetwork: boolean;
}

/** Of the known networks' places and of the others', and half of them for any one network. */
export function createPlaces(places: number): Places {
  const taken = { known: 0, unknown: 0 };
  const takenBy = new Map<string, number>();

  return {
    async hold({ network, isKnownNetwork }, work) {
      const kind = isKnownNetwork ? 'known' : 'unknown';
      const ofNetwork = takenBy.get(network) ?? 0;
      if (taken[kind] >= places || ofNetwork >= places / 2)
        throw new AppError('rate_limited', { retryAfterSeconds: 1 });
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
