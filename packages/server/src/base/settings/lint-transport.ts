// Lint of the connection to Postgres: an attacker must not be able to read or redirect it. The check asks the driver what it
// would do with the URL, because names of TLS modes differ between drivers and versions, but what a driver verifies is visible.
import { BlockList, isIPv6 } from 'node:net';
import pg from 'pg';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

interface Transport {
  readonly url: string;
  /** The operator declares the network secure. */
  readonly allowPlaintext: boolean;
}

interface Target {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly ssl: unknown;
}

/** Each problem of the connection with its remedy; empty when there is none. */
export function lintTransport(
  { url, allowPlaintext }: Transport,
  environment: Readonly<Record<string, string | undefined>>,
): string[] {
  const target = readTarget(url);
  if (target === undefined)
    return [
      '`database.url` cannot be read. Write it as `postgres://user@host:5432/name`, and check the files that it names.',
    ];
  if (allowPlaintext || isLocal(target.host)) return [];
  if (environment.NODE_TLS_REJECT_UNAUTHORIZED === '0')
    return ['NODE_TLS_REJECT_UNAUTHORIZED=0 lets an attacker impersonate Postgres. Remove the variable.'];
  if (isVerified(target.ssl)) return [];
  return [
    '`database.url` connects to another host without verified TLS. Add `?sslmode=verify-full` (and `sslrootcert=` for a private CA), or set `database.allowPlaintext` in a private network.',
  ];
}

/** Reads the URL with the driver's own parser, without connecting. */
export function readTarget(url: string): Target | undefined {
  try {
    const { host, port, database = '', ssl } = new pg.Client({ connectionString: url });
    return { host, port, database, ssl };
  } catch {
    return undefined;
  }
}

/** Whether the host is this machine. */
export function isLocal(host: string): boolean {
  return host.startsWith('/') || host === 'localhost' || loopback.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
}

/** TLS verifies the server unless an option switches a part of the verification off. */
function isVerified(ssl: unknown): boolean {
  if (ssl === true) return true;
  if (typeof ssl !== 'object' || ssl === null) return false;
  return (
    !('checkServerIdentity' in ssl) && (!('rejectUnauthorized' in ssl) || ssl.rejectUnauthorized === true)
  );
}
