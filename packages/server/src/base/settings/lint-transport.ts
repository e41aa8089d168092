// Whether the way to Postgres could be read or redirected on the way. The driver itself is asked what it would do with
// the URL: what a mode is called differs between drivers and their versions, what is verified does not.
import { BlockList, isIPv6 } from 'node:net';
import pg from 'pg';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

interface Transport {
  readonly url: string;
  /** The operator vouches for the network. */
  readonly plaintext: boolean;
}

interface Target {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly ssl: unknown;
}

/** What is wrong with the way, with what to do; empty where nothing is. */
export function lintTransport(
  { url, plaintext }: Transport,
  environment: Readonly<Record<string, string | undefined>>,
): string[] {
  const target = readTarget(url);
  if (target === undefined)
    return [
      '`database.url` cannot be read. Write it as `postgres://user@host:5432/name`, and check its files.',
    ];
  if (plaintext || isLocal(target.host)) return [];
  if (environment.NODE_TLS_REJECT_UNAUTHORIZED === '0')
    return ['NODE_TLS_REJECT_UNAUTHORIZED=0 lets anybody pose as Postgres. Remove the variable.'];
  if (isVerified(target.ssl)) return [];
  return [
    '`database.url` leads to another host without verified TLS. Add `?sslmode=verify-full` (and `sslrootcert=` for an authority of your own), or set `database.plaintext` where the network is yours alone.',
  ];
}

/** The driver's own reading, without connecting. */
export function readTarget(url: string): Target | undefined {
  try {
    const { host, port, database = '', ssl } = new pg.Client({ connectionString: url });
    return { host, port, database, ssl };
  } catch {
    return undefined;
  }
}

/** A host of this machine. */
export function isLocal(host: string): boolean {
  return host.startsWith('/') || host === 'localhost' || loopback.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
}

/** On is on with verification, unless a part of it is switched off. */
function isVerified(ssl: unknown): boolean {
  if (ssl === true) return true;
  if (typeof ssl !== 'object' || ssl === null) return false;
  return (
    !('checkServerIdentity' in ssl) && (!('rejectUnauthorized' in ssl) || ssl.rejectUnauthorized === true)
  );
}
