// The known networks, in memory: an account has logged in from them before. Under overload, their logins have priority.
import type { KeyObject } from 'node:crypto';
import { createBoundedMap } from '@portcullis/gate';
import { networkKey } from './throttle.ts';
import { knownDays, type ThrottleStore } from './throttle-store.ts';

export interface KnownNetworks {
  has(network: string): boolean;
  add(network: string): void;
  /** Reads the networks that other instances have added. */
  refresh(): Promise<void>;
}

/** Beyond this number, a new network pushes out the oldest one. */
const remembered = 100_000;
/** How far a later refresh looks back: well beyond the interval between two refreshes. */
const laterSeconds = 600;

export function createKnownNetworks(store: ThrottleStore, key: KeyObject): KnownNetworks {
  const known = createBoundedMap<string, true>(remembered);
  let withinSeconds = knownDays * 86_400;
  const nameOf = (network: string) => networkKey(key, network).toString('base64');
  return {
    has: (network) => known.has(nameOf(network)),
    add: (network) => known.set(nameOf(network), true),
    async refresh() {
      const newestFirst = await store.listKnownNetworks(withinSeconds, remembered);
      withinSeconds = laterSeconds;
      for (const name of newestFirst.toReversed()) known.set(name.toString('base64'), true);
    },
  };
}
