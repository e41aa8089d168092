// Stands between a guard and the real decision listener, and answers one path in its own way when it is told to, or changes
// what the listener says over a line.
import { once } from 'node:events';
import { createServer, request as forward, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import { guardConnectionRoute } from '@portcullis/gate';
import { WebSocket, WebSocketServer } from 'ws';

export type Fault = (response: ServerResponse, url: string) => void;
/** What the guard hears in place of a text: another one, nothing, or the end of the line. */
export type LineFault = (text: string) => string | undefined | typeof cut;
export const cut = Symbol('cut');

export interface FaultyListener {
  readonly url: string;
  /** How often it was asked for a path. */
  count(path: string): number;
  /** Answers what begins with this path by the fault from now on. */
  break(path: string, fault: Fault): void;
  breakLines(fault: LineFault): void;
  heal(): void;
  close(): Promise<void>;
}

export async function startFaultyListener(real: string): Promise<FaultyListener> {
  const faults = new Map<string, Fault>();
  const asked: string[] = [];
  let lineFault: LineFault = (text) => text;
  const pass: RequestListener = (request, response) => {
    const { method, headers, url = '' } = request;
    const onward = forward(new URL(url, real), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers).flushHeaders();
      pipeline(answer, response, () => {});
    });
    onward.on('error', () => response.destroy());
    // A guard that gives up closes its request, so an answer has no receiver.
    response.once('close', () => onward.destroy());
    pipeline(request, onward, () => {});
  };
  const server = createServer((request, response) => {
    const { url = '' } = request;
    asked.push(url);
    const [, fault] = [...faults].find(([path]) => url.startsWith(path)) ?? [];
    if (fault === undefined) pass(request, response);
    else request.resume().once('end', () => fault(response, url));
  });
  const lines = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    asked.push(request.url ?? '');
    const { authorization = '' } = request.headers;
    const onward = new WebSocket(new URL(guardConnectionRoute.path, real), { headers: { authorization } });
    onward.on('error', () => socket.destroy());
    onward.once('open', () =>
      lines.handleUpgrade(request, socket, head, (line) => {
        line.on('message', (data) => onward.send(String(data)));
        onward.on('message', (data) => {
          const text = lineFault(String(data));
          if (text === cut) line.terminate();
          else if (text !== undefined) line.send(text);
        });
        line.once('close', () => onward.close());
        onward.once('close', () => line.terminate());
      }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: (path) => asked.filter((url) => url.startsWith(path)).length,
    break: (path, fault) => void faults.set(path, fault),
    breakLines: (fault) => {
      lineFault = fault;
    },
    heal() {
      faults.clear();
      lineFault = (text) => text;
    },
    async close() {
      server.close();
      for (const line of lines.clients) line.terminate();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
