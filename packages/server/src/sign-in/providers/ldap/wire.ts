// One connection to a directory. Nobody's password is sent before TLS stands and the name in the certificate is the right
// one; it lasts for so long, and so many bytes are read from it.
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { Client } from 'ldapts';
import { createMessageReader } from './checked-messages.ts';
import type { DirectorySettings } from './directory-settings.ts';
import { DirectoryUnavailable } from './directory-unavailable.ts';
import { parseDirectoryUrl } from './parse-directory-url.ts';
import { startTls } from './start-tls.ts';

export interface WireLimits {
  /** Ends whatever is under way. */
  readonly signal: AbortSignal;
  readonly connectMilliseconds: number;
  readonly mostBytes: number;
  readonly lookup: LookupFunction;
  readonly secureContext: SecureContext;
}

export interface Wire {
  readonly client: Client;
  /** When the directory's certificate ends. */
  readonly certificateEndsAt: Date;
  bind(dn: string, password: string): Promise<void>;
  /** Why the connection was given up from here, where it was. */
  readonly givenUp: DirectoryUnavailable | undefined;
  close(): void;
}

/** Of the authorities as PEM, or of Node's bundled list. Made once: that costs as much as a connection. */
export function createTrust(ca: string | undefined): SecureContext {
  return createSecureContext({ ...(ca !== undefined && { ca }), minVersion: 'TLSv1.2' });
}

export async function openWire(settings: DirectorySettings, limits: WireLimits): Promise<Wire> {
  const socket = await openSocket(settings, limits);
  const line = new Line(socket, limits.mostBytes);
  let isHandedOver = false;
  const client = new Client({
    url: 'ldaps://directory',
    createSecureConnection() {
      if (isHandedOver) throw line.givenUp ?? new DirectoryUnavailable('unreachable');
      isHandedOver = true;
      // As much of a socket as the library asks for.
      return line as unknown as TLSSocket;
    },
  });
  const onAbort = () => line.giveUp(new DirectoryUnavailable('slow'));
  limits.signal.addEventListener('abort', onAbort, { once: true });
  socket.once('close', () => limits.signal.removeEventListener('abort', onAbort));

  return {
    client,
    certificateEndsAt: new Date(socket.getPeerCertificate().valid_to),
    get givenUp() {
      return line.givenUp;
    },
    async bind(dn, password) {
      const bound = client.bind(dn, password);
      // The library has taken away whoever listened before.
      if (!line.listeners('error').includes(ignore)) line.on('error', ignore);
      await bound;
    },
    close() {
      if (isHandedOver) void client.unbind().catch(ignore);
      else line.destroy();
    },
  };
}

/** What the library reads from and writes to: whole messages, each by itself. */
class Line extends Duplex {
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

async function openSocket(settings: DirectorySettings, limits: WireLimits): Promise<TLSSocket> {
  const address = parseDirectoryUrl(settings.url);
  if (address === undefined) throw new DirectoryUnavailable('unreachable');
  const { host, port, tlsFirst } = address;
  const signal = AbortSignal.any([limits.signal, AbortSignal.timeout(limits.connectMilliseconds)]);
  const plain = connect({ host, port, lookup: limits.lookup, noDelay: true });
  plain.on('error', ignore);
  const onAbort = () => plain.destroy(new DirectoryUnavailable('slow'));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await opened(plain, 'connect', 'unreachable');
    if (!tlsFirst) await startTls(plain);
    const name = settings.serverName ?? host;
    const secure = connectTls({
      socket: plain,
      host: name,
      ...(isIP(name) === 0 && { servername: name }),
      secureContext: limits.secureContext,
      rejectUnauthorized: true,
    });
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

/** Rejects where it is closed before. */
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
