// The networks from which somebody has logged in before, in memory: when more want to log in than can be served, they
// come first.
import type { KeyObject } from 'node:crypto';
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
  const known = new Set<string>();
  // One walk for all evictions: a new one would pass everything that was evicted before.
  const oldest = known.values();
  let withinSeconds = knownDays * 86_400;
  const nameOf = (network: string) => networkKey(key, network).toString('base64');
  function remember(name: string): void {
    known.delete(name);
    known.add(name);
    if (known.size > remembered) known.delete(oldest.next().value ?? '');
  }
  return {
    has: (network) => known.has(nameOf(network)),
    add: (network) => remember(nameOf(network)),
    async refresh() {
      const newestFirst = await store.listKnownNetworks(withinSeconds, remembered);
      withinSeconds = laterSeconds;
      for (const name of newestFirst.toReversed()) remember(name.toString('base64'));
    },
  };
}
