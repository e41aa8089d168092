// SSRF guard of every outbound connection: it checks the addresses that a host name resolves to, and again the address of the open
// socket. A host name cannot lead to another address at its second lookup (DNS rebinding), because there is none.
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls';
import type { AllowedAddresses } from './allowed-addresses.ts';
import type { Address, ResolveHost } from './host-resolver.ts';
import { OutboundError } from './outbound-error.ts';

export interface ConnectionCheckOptions {
  readonly addresses: AllowedAddresses;
  readonly resolve: ResolveHost;
}

export interface ConnectionCheck {
  /** The DNS lookup of sockets. Fails when one of the addresses is refused. */
  readonly lookup: LookupFunction;
  /** Throws for a refused IP address in a URL, for which there is no lookup. Without TLS only loopback addresses are allowed. */
  checkHost(host: string, isPlain: boolean): void;
  /** Destroys the socket when its address is refused, before anything is sent. */
  checkPeer(socket: Socket, isPlain: boolean): void;
}

export function createConnectionCheck({ addresses, resolve }: ConnectionCheckOptions): ConnectionCheck {
  async function find(name: string): Promise<readonly Address[]> {
    const all = await resolve(name);
    const refused = addresses.findRefused(all);
    if (refused !== undefined)
      throw new OutboundError('address_refused', `${name} is ${refused}, which the settings do not allow`);
    if (all.length === 0) throw new OutboundError('no_address', `${name} has no address`);
    return all;
  }

  const isAllowed = (address: string, isPlain: boolean) =>
    isPlain ? addresses.hasLoopback(address) : addresses.has(address);

  return {
    lookup(name, { all }, callback) {
      find(name).then(
        (found) => {
          const [first = { address: '', family: 0 }] = found;
          if (all === true) callback(null, [...found]);
          else callback(null, first.address, first.family);
        },
        (error: Error) => callback(error, ''),
      );
    },
    checkHost(host, isPlain) {
      if (isIP(host) !== 0 && !isAllowed(host, isPlain)) throw refusalOf(host);
    },
    checkPeer(socket, isPlain) {
      const check = () => {
        const peer = socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/, '') ?? '';
        if (!isAllowed(peer, isPlain)) socket.destroy(refusalOf(peer));
      };
      if (socket.connecting) socket.once('connect', check);
      else check();
    },
  };
}

function refusalOf(address: string): OutboundError {
  return new OutboundError('address_refused', `${address} is not allowed by the settings`);
}

export type Connect = (to: { readonly host: string; readonly port: number }) => Socket;

/** TCP connections for protocols that begin TLS themselves. */
export function createConnect(options: ConnectionCheckOptions): Connect {
  const { lookup, checkHost, checkPeer } = createConnectionCheck(options);
  return ({ host, port }) => {
    checkHost(host, false);
    const socket = connect({ host, port, lookup, noDelay: true });
    checkPeer(socket, false);
    return socket;
  };
}

/** TLS over an open connection. The certificate must be valid for the name. */
export function beginTls(socket: Socket, name: string, secureContext: SecureContext): TLSSocket {
  return connectTls({
    socket,
    host: name,
    ...(isIP(name) === 0 && { servername: name }),
    secureContext,
    rejectUnauthorized: true,
  });
}
