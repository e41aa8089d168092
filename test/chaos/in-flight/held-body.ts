// A request whose body lacks its last byte until it is finished.
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Request } from '../../rig/http-client.ts';
import type { Instance } from '../start-cluster.ts';

export function openHeldBody({ server }: Instance, { method = 'POST', path, headers = {}, body }: Request) {
  const content = JSON.stringify(body);
  const socket = connect({ port: server.port, host: '127.0.0.1', noDelay: true });
  let text = '';
  socket.setEncoding('utf8').on('error', () => {});
  socket.on('data', (part: string) => {
    text += part;
  });
  const answer = once(socket, 'close').then(() => ({ text }));
  socket.write(
    [
      `${method} ${path} HTTP/1.1`,
      'Host: portcullis',
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(content)}`,
      'Connection: close',
      '',
      content.slice(0, -1),
    ].join('\r\n'),
  );
  return { answer, finish: () => void socket.write(content.slice(-1)) };
}
