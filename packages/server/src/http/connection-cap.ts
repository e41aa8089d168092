// Connection limit per client network: a slow client costs a socket, so no network is allowed to hold all of them.
import type { Server, Socket } from 'node:net';
import { networkOf } from '../base/values/network.ts';
import { peerOf, type TrustedProxies } from './client-address.ts';

interface ConnectionCapOptions {
  readonly perNetwork: number;
  /** Proxies serve many clients, so they can keep any number. */
  readonly proxies: TrustedProxies;
}

export function capConnections(server: Server, { perNetwork, proxies }: ConnectionCapOptions): void {
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket);
    if (proxies.has(peer)) return;
    const network = networkOf(peer);
    const count = open.get(network) ?? 0;
    if (count >= perNetwork) {
      socket.destroy();
      return;
    }
    open.set(network, count + 1);
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left === 0) open.delete(network);
      else open.set(network, left);
    });
  });
}
