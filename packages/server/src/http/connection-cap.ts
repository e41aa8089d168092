// Connection limit per client network: a slow client costs a socket, so no network is allowed to hold all of them.
import type { Server, Socket } from 'node:net';
import { createConcurrencyLimit } from '../base/limit/concurrency-limit.ts';
import { networkOf } from '../base/values/network.ts';
import { peerOf, type TrustedProxies } from './client-address.ts';

interface ConnectionCapOptions {
  readonly perNetwork: number;
  /** Proxies serve many clients, so they can keep any number. */
  readonly proxies: TrustedProxies;
}

export function capConnections(server: Server, { perNetwork, proxies }: ConnectionCapOptions): void {
  const limit = createConcurrencyLimit(perNetwork);
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket);
    if (proxies.has(peer)) return;
    const free = limit.take(networkOf(peer));
    if (free === undefined) socket.destroy();
    else socket.once('close', free);
  });
}
