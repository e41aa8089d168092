// A way to the service that sends a read again which was answered with 503. On a machine that stands still for seconds the
// service gives up on Postgres and says so, which is right; the pages here are not about that.
import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingMessage,
  request as openRequest,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { mostResent, note } from '../rig/notes.ts';

export interface ReadResender {
  readonly port: number;
  close(): void;
}

const mostTries = 20;
const pauseMilliseconds = 500;
const idleMilliseconds = 120_000;
/** Of the connection to the service alone. */
const ownHeaders = ['connection', 'keep-alive'];

export async function startReadResender(servicePort: number): Promise<ReadResender> {
  const agent = new Agent({ keepAlive: true });
  const server = createServer((request, response) => forward(request, response, mostTries));
  server.keepAliveTimeout = idleMilliseconds;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };

  function forward(request: IncomingMessage, response: ServerResponse, tries: number): void {
    const { method = 'GET', url = '/', headers } = request;
    const isRead = method === 'GET';
    const again = () => {
      note('retried', 'a read of a page that was answered with 503 or not at all', mostResent);
      setTimeout(() => forward(request, response, tries - 1), pauseMilliseconds);
    };
    const opened = openRequest({
      host: '127.0.0.1',
      port: servicePort,
      method,
      path: url,
      headers,
      // Only a read can be sent again where the service has just closed an idle connection.
      agent: isRead ? agent : false,
    });
    opened
      .on('response', (answer) => {
        if (isRead && answer.statusCode === 503 && tries > 1) {
          answer.resume();
          again();
          return;
        }
        response.writeHead(answer.statusCode ?? 502, headersOf(answer));
        answer.pipe(response);
      })
      .on('error', () => {
        if (isRead && tries > 1 && !response.headersSent && !response.destroyed) again();
        else response.destroy();
      });
    if (isRead) opened.end();
    else request.pipe(opened);
    // A client that leaves a stream ends it.
    response.once('close', () => opened.destroy());
  }
}

function headersOf({ rawHeaders }: IncomingMessage): string[] {
  const pairs = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : [],
  );
  return pairs.filter(([name = '']) => !ownHeaders.includes(name.toLowerCase())).flat();
}
