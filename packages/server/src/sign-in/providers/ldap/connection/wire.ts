// One TLS connection to a directory (LDAPS or StartTLS). No password is sent before the certificate and the name in it are
// verified. The time of a connection and the bytes that are read from it are limited.
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import type { LdapSettings } from '@portcullis/contract';
import { Client } from 'ldapts';
import { beginTls, type Connect } from '../../../../base/outbound/checked-connection.ts';
import { createMessageReader } from './checked-messages.ts';
import { DirectoryUnavailable } from './directory-unavailable.ts';
import { parseDirectoryUrl } from './parse-directory-url.ts';
import { startTls } from './start-tls.ts';

export interface WireLimits {
  /** Its abort ends the connection. */
  readonly signal: AbortSignal;
  readonly connectMilliseconds: number;
  readonly mostBytes: number;
  readonly connect: Connect;
  readonly secureContext: SecureContext;
}

export interface Wire {
  readonly client: Client;
  /** When the directory's certificate expires. */
  readonly certificateEndsAt: Date;
  bind(dn: string, password: string): Promise<void>;
  /** Why this service gave up the connection; undefined when it did not. */
  readonly givenUp: DirectoryUnavailable | undefined;
  close(): void;
}

/** The trusted authorities: `ca` as PEM, or Node's default ones. Created once per directory, because that costs as much as a connection. */
export function createTrust(ca: string | undefined): SecureContext {
  return createSecureContext({ ...(ca !== undefined && { ca }), minVersion: 'TLSv1.2' });
}

export async function openWire(settings: LdapSettings, limits: WireLimits): Promise<Wire> {
  const socket = await openSocket(settings, limits);
  const stream = new MessageStream(socket, limits.mostBytes);
  let isHandedOver = false;
  const client = new Client({
    url: 'ldaps://directory',
    createSecureConnection() {
      if (isHandedOver) throw stream.givenUp ?? new DirectoryUnavailable('unreachable');
      isHandedOver = true;
      // The library uses no more of a socket than this.
      return stream as unknown as TLSSocket;
    },
  });
  const onAbort = () => stream.giveUp(new DirectoryUnavailable('slow'));
  limits.signal.addEventListener('abort', onAbort, { once: true });
  socket.once('close', () => limits.signal.removeEventListener('abort', onAbort));

  return {
    client,
    certificateEndsAt: new Date(socket.getPeerCertificate().valid_to),
    get givenUp() {
      return stream.givenUp;
    },
    async bind(dn, password) {
      const bound = client.bind(dn, password);
      // The library has removed the earlier listeners.
      if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
      await bound;
    },
    close() {
      if (isHandedOver) void client.unbind().catch(ignore);
      else stream.destroy();
    },
  };
}

/** The stream for the LDAP library: it reads one whole, checked message at a time. */
class MessageStream extends Duplex {
  readonly connecting = false;
  givenUp: DirectoryUnavailable | undefined;
  readonly #socket: TLSSocket;

  constructor(socket: TLSSocket, mostBytes: number) {
    super({ readableObjectMode: true, readableHighWaterMark: 1000 });
    this.#socket = socket;
    const reader = createMessageReader(mostBytes);
    this.on('error', ignore);
    socket.on('close', () => this.destroy());
    socket.on('data', (data: Buffer) => {
      try {
        for (const message of reader.take(data)) this.push(message);
      } catch (error) {
        this.giveUp(
          error instanceof DirectoryUnavailable
            ? error
            : new DirectoryUnavailable('unreadable', { cause: error }),
        );
      }
    });
  }

  get readyState(): string {
    return this.destroyed ? 'closed' : 'open';
  }

  giveUp(reason: DirectoryUnavailable): void {
    this.givenUp ??= reason;
    this.destroy(reason);
  }

  override _read(): void {}

  override _write(data: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(data, done);
  }

  override _final(done: () => void): void {
    this.#socket.end();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}

async function openSocket(settings: LdapSettings, limits: WireLimits): Promise<TLSSocket> {
  const address = parseDirectoryUrl(settings.url);
  if (address === undefined) throw new DirectoryUnavailable('unreachable');
  const { host, port, tlsFirst } = address;
  const signal = AbortSignal.any([limits.signal, AbortSignal.timeout(limits.connectMilliseconds)]);
  const plain = limits.connect({ host, port });
  plain.on('error', ignore);
  const onAbort = () => plain.destroy(new DirectoryUnavailable('slow'));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await opened(plain, 'connect', 'unreachable');
    if (!tlsFirst) await startTls(plain);
    const secure = beginTls(plain, settings.serverName ?? host, limits.secureContext);
    secure.on('error', ignore);
    await opened(secure, 'secureConnect', 'certificate');
    return secure;
  } catch (error) {
    plain.destroy();
    if (signal.aborted) throw new DirectoryUnavailable('slow');
    throw error instanceof DirectoryUnavailable
      ? error
      : new DirectoryUnavailable('unreachable', { cause: error });
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Resolves at the event; rejects when the socket fails or closes before it. */
function opened(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  reason: DirectoryUnavailable['reason'],
): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, () => resolve());
    socket.once('error', (cause) => reject(new DirectoryUnavailable(reason, { cause })));
    socket.once('close', () => reject(new DirectoryUnavailable(reason)));
  });
}

function ignore(): void {}
