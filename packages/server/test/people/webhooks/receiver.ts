// A real receiver on this host: remembers what it was sent, and answers as the test requires.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly log: string;
  readonly chain: string | null;
  readonly seq: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** How the next ones are answered; 200 unless said. */
  answer: (received: Received, response: ServerResponse) => void;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += String(piece);
    const event = { ...(JSON.parse(body) as Received), headers: request.headers, body };
    received.push(event);
    receiver.answer(event, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/events`,
    received,
    answer: (_received, response) => void response.end(),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}
