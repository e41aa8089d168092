// The networks from which somebody has logged in before, in memory: when more want to log in than can be served, they
// come first.
import type { KeyObject } from 'node:crypto';
import { createBoundedMap } from '@portcullis/gate';
import { networkKey } from './throttle.ts';
import { knownDays, type ThrottleStore } from './throttle-store.ts';

export interface KnownNetworks {
  has(network: string): boolean;
  add(network: string): void;
  /** Learns what the other instances have added. */
  refresh(): Promise<void>;
}

/** More networks than this push out the ones that came first. */
const remembered = 100_000;
/** How far a refresh looks back after the first one: well beyond the time from one to the next. */
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
