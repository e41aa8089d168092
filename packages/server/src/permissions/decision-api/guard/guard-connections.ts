// The lines of guards: each a WebSocket, over which the instance gives leases and sends what changes.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Relay } from '@portcullis/gate';
import { type WebSocket, WebSocketServer } from 'ws';
import type { IsServiceSecret } from '../service-secret.ts';

export interface GuardConnections {
  /** Answers a guard that asks for a line. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Sends the guards to other instances, and resolves when none is left or none can be waited for any longer. */
  close(): Promise<void>;
}

interface GuardLinesOptions {
  readonly relay: Relay;
  readonly isSecret: IsServiceSecret;
  readonly readBearer: (rawHeaders: readonly string[]) => string;
  readonly reportMisuse: (text: string) => void;
}

const messageBytes = 4096;
/** A guard that does not read what it is sent is cut off: it loads everything when it comes back. */
const mostUnsentBytes = 64 * 1024 * 1024;
/** A guard asks every second; one that is cut off without a word is never heard of again. */
const silenceMilliseconds = 10_000;
/** A guard that finds another instance goes at once. One that does not keeps its lease, and this instance its row. */
const leaveMilliseconds = 500;
const lookMilliseconds = 10;

export function createGuardConnections({
  relay,
  isSecret,
  readBearer,
  reportMisuse,
}: GuardLinesOptions): GuardConnections {
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: messageBytes });
  let isClosing = false;

  function open(socket: WebSocket): void {
    const line = relay.connect({
      send(text) {
        if (socket.bufferedAmount > mostUnsentBytes) socket.terminate();
        else socket.send(text, () => {});
      },
      close: () => socket.terminate(),
    });
    const silence = setTimeout(() => socket.terminate(), silenceMilliseconds);
    socket.on('message', (data) => {
      silence.refresh();
      line.receive(String(data));
    });
    socket.on('error', () => socket.terminate());
    socket.once('close', () => {
      clearTimeout(silence);
      line.closed();
    });
  }

  return {
    upgrade(request, socket, head) {
      if (!isSecret(readBearer(request.rawHeaders))) {
        reportMisuse('A service sends no secret as Authorization: Bearer, a wrong one, or two.');
        return refuse(socket, '401 Unauthorized');
      }
      if (isClosing) return refuse(socket, '503 Service Unavailable');
      server.handleUpgrade(request, socket, head, open);
    },
    async close() {
      isClosing = true;
      relay.leave();
      for (const until = Date.now() + leaveMilliseconds; relay.isAnyLive() && Date.now() < until; )
        await sleep(lookMilliseconds);
      for (const socket of server.clients) socket.terminate();
    },
  };
}

function refuse(socket: Duplex, status: string): void {
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
