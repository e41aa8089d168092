// Stands between a guard and the real decision listener, and answers one path in its own way when it is told to.
import { once } from 'node:events';
import { createServer, request as forward, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

export type Fault = (response: ServerResponse, url: string) => void;

export interface FaultyListener {
  readonly url: string;
  /** How often it was asked for a path. */
  count(path: string): number;
  /** Answers what begins with this path by the fault from now on. */
  break(path: string, fault: Fault): void;
  heal(): void;
  close(): Promise<void>;
}

export async function startFaultyListener(real: string): Promise<FaultyListener> {
  const faults = new Map<string, Fault>();
  const asked: string[] = [];
  const pass: RequestListener = (request, response) => {
    const { method, headers, url = '' } = request;
    const onward = forward(new URL(url, real), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers).flushHeaders();
      pipeline(answer, response, () => {});
    });
    onward.on('error', () => response.destroy());
    // A guard that gives up takes its question along: an answer would find nobody to write to.
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
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: (path) => asked.filter((url) => url.startsWith(path)).length,
    break: (path, fault) => void faults.set(path, fault),
    heal: () => faults.clear(),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
