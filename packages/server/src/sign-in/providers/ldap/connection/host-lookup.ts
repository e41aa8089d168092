// DNS lookup of a directory's host, cached for 30 seconds. One lookup per directory runs at a time: a name server that hangs
// blocks one thread of the thread pool, and the other threads hash passwords.
import { type LookupAddress, lookup as lookupHost } from 'node:dns';
import type { LookupFunction } from 'node:net';

const keptMilliseconds = 30_000;

interface HostLookupOptions {
  readonly monotonic: () => number;
  readonly ask?: (host: string) => Promise<LookupAddress[]>;
}

export function createHostLookup({ monotonic, ask = askSystem }: HostLookupOptions): LookupFunction {
  let kept: { readonly addresses: LookupAddress[]; readonly at: number } | undefined;
  let asking: Promise<LookupAddress[]> | undefined;

  async function find(host: string): Promise<LookupAddress[]> {
    if (kept !== undefined && monotonic() - kept.at < keptMilliseconds) return kept.addresses;
    asking ??= ask(host).finally(() => {
      asking = undefined;
    });
    const addresses = await asking;
    kept = { addresses, at: monotonic() };
    return addresses;
  }

  return (host, { all }, callback) => {
    find(host).then(
      (addresses) => {
        const [first] = addresses;
        if (all === true) callback(null, addresses);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}

function askSystem(host: string): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookupHost(host, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });
}
