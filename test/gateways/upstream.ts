// The guarded service: plain HTTP, and it writes down everything that reaches it.
import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

export interface Reached {
  readonly method: string;
  /** As it came. */
  readonly target: string;
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

export interface Upstream {
  readonly port: number;
  /** Everything so far, in the order of arrival; also what was no HTTP. */
  readonly reached: readonly Reached[];
  /** What came by connections that were upgraded, as soon as it matches. */
  waitForTunnelled(pattern: RegExp): Promise<void>;
  close(): void;
}

export const upstreamAnswer = '{"reached":true}';

export async function startUpstream(): Promise<Upstream> {
  const reached: Reached[] = [];
  // Never the first to close a connection that is idle: a gateway's next request could meet that, and one that was opened
  // ahead and never used would count as a request that came too slowly.
  const options = { maxHeaderSize: 65_536, keepAliveTimeout: 600_000, headersTimeout: 0, requestTimeout: 0 };
  const server = createServer(options, (request, response) => {
    let body = '';
    const { method = '', url = '', rawHeaders } = request;
    request
      .setEncoding('latin1')
      .on('data', (part: string) => {
        body += part;
      })
      .on('end', () => {
        reached.push({ method, target: url, rawHeaders, body });
        response.writeHead(200, { 'content-type': 'application/json' }).end(upstreamAnswer);
      });
  });
  const tunnels = new Set<Duplex>();
  const arrivals = new EventEmitter();
  let tunnelled = '';
  // It takes every upgrade that it is offered.
  server.on('upgrade', (request, socket, head) => {
    const { method = '', url = '', rawHeaders, headers } = request;
    reached.push({ method, target: url, rawHeaders, body: '' });
    tunnels.add(socket);
    const take = (part: Buffer) => {
      tunnelled += part.toString('latin1');
      arrivals.emit('part');
    };
    take(head);
    socket.on('data', take).on('error', () => {});
    const accept = acceptOf(headers['sec-websocket-key'] ?? '');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${headers.upgrade}\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // A gateway that stops is allowed to close the connection.
    if (error.code !== 'ECONNRESET')
      reached.push({ method: '', target: '', rawHeaders: [], body: String(error) });
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    reached,
    async waitForTunnelled(pattern) {
      while (!pattern.test(tunnelled)) await once(arrivals, 'part');
    },
    close() {
      for (const socket of tunnels) socket.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** RFC 6455, section 4.2.2: HAProxy looks at it. */
function acceptOf(key: string): string {
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
}

/** As WSGI, CGI and PHP name headers: they cannot tell a hyphen from an underscore. */
export function foldHeaders({ rawHeaders }: Reached): [name: string, value: string][] {
  return rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name.toUpperCase().replace(/[^A-Z0-9]/g, '_'), rawHeaders[index + 1] ?? '']] : [],
  );
}
