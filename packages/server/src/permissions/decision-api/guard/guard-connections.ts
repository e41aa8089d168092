// WebSocket server for guards: over each connection, the instance grants leases and sends changes.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Relay } from '@portcullis/gate';
import { type WebSocket, WebSocketServer } from 'ws';
import type { IsServiceSecret } from '../service-secret.ts';

export interface GuardConnections {
  /** Handles the WebSocket upgrade of a guard. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Tells the guards to connect to other instances. Resolves when no guard holds a lease, or after a timeout. */
  close(): Promise<void>;
}

interface GuardConnectionsOptions {
  readonly relay: Relay;
  readonly isSecret: IsServiceSecret;
  readonly readBearer: (rawHeaders: readonly string[]) => string;
  readonly reportMisuse: (text: string) => void;
}

const messageBytes = 4096;
/** Backpressure: a guard with this many unread bytes is disconnected. It loads a snapshot after it reconnects. */
const mostUnsentBytes = 64 * 1024 * 1024;
/** The idle timeout. A guard renews its lease every second; a connection can be lost without a close. */
const silenceMilliseconds = 10_000;
/**
 * The timeout of the shutdown. A guard that finds another instance leaves at once. A guard that finds none keeps its
 * lease, and then this instance keeps its row.
 */
const shutdownMilliseconds = 500;
const pollMilliseconds = 10;

export function createGuardConnections({
  relay,
  isSecret,
  readBearer,
  reportMisuse,
}: GuardConnectionsOptions): GuardConnections {
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: messageBytes });
  let isClosing = false;

  function open(socket: WebSocket): void {
    const connection = relay.connect({
      send(text) {
        if (socket.bufferedAmount > mostUnsentBytes) socket.terminate();
        else socket.send(text, () => {});
      },
      close: () => socket.terminate(),
    });
    const silence = setTimeout(() => socket.terminate(), silenceMilliseconds);
    socket.on('message', (data) => {
      silence.refresh();
      connection.receive(String(data));
    });
    socket.on('error', () => socket.terminate());
    socket.once('close', () => {
      clearTimeout(silence);
      connection.closed();
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
      for (const until = Date.now() + shutdownMilliseconds; relay.isAnyLive() && Date.now() < until; )
        await sleep(pollMilliseconds);
      for (const socket of server.clients) socket.terminate();
    },
  };
}

function refuse(socket: Duplex, status: string): void {
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
