// DNS lookup, one host name at a time: a lookup occupies one of the threads that also hash passwords, and a name server that hangs
// must not occupy them all. Sign-ins and background jobs have one resolver each, so that they do not wait for each other.
import { lookup as lookUpName } from 'node:dns/promises';

export interface Address {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a host name. */
export type ResolveHost = (name: string) => Promise<readonly Address[]>;

interface Lookup {
  readonly found: Promise<readonly Address[]>;
  /** When the answer came; undefined while the name server is asked. */
  at?: number;
}

interface HostResolverOptions {
  readonly ask?: ResolveHost;
  readonly monotonic?: () => number;
}

/** How long a DNS answer is cached. */
const keptMilliseconds = 5000;

export function createHostResolver({
  ask = (name) => lookUpName(name, { all: true }),
  monotonic = () => performance.now(),
}: HostResolverOptions = {}): ResolveHost {
  const known = new Map<string, Lookup>();
  let last: Promise<unknown> = Promise.resolve();

  return (name) => {
    const before = known.get(name);
    if (before !== undefined && monotonic() - (before.at ?? monotonic()) < keptMilliseconds)
      return before.found;
    const entry: Lookup = { found: last.then(() => ask(name)) };
    known.set(name, entry);
    last = entry.found.then(
      (all) => {
        entry.at = monotonic();
        if (all.length === 0) known.delete(name);
      },
      () => known.delete(name),
    );
    return entry.found;
  };
}
