// The guarded service: plain HTTP, and it writes down everything that reaches it.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

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
  close(): void;
}

export const upstreamAnswer = '{"reached":true}';

export async function startUpstream(): Promise<Upstream> {
  const reached: Reached[] = [];
  // Never the first to close a connection that is idle: a gateway's next request could meet that.
  const server = createServer({ maxHeaderSize: 65_536, keepAliveTimeout: 600_000 }, (request, response) => {
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
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // A gateway that ends has a right to hang up.
    if (error.code !== 'ECONNRESET')
      reached.push({ method: '', target: '', rawHeaders: [], body: String(error) });
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    reached,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** As WSGI, CGI and PHP name headers: they cannot tell a hyphen from an underscore. */
export function foldHeaders({ rawHeaders }: Reached): [name: string, value: string][] {
  return rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name.toUpperCase().replace(/[^A-Z0-9]/g, '_'), rawHeaders[index + 1] ?? '']] : [],
  );
}
