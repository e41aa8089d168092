// A client that logs in and does not wait for the answer.
import { once } from 'node:events';
import { connect } from 'node:net';
import { loginPath } from '../login/guesses.ts';

export async function hangUp(port: number, body: object): Promise<void> {
  const text = JSON.stringify(body);
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(
    `POST ${loginPath} HTTP/1.1\r\nHost: rig\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
    () => socket.destroy(),
  );
  await once(socket, 'close');
}
