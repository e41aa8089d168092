// StartTLS: asks for TLS on a plain connection (RFC 4511, 4.14). Bytes in plain text after the answer were injected by an
// attacker on the network (STARTTLS injection); they would be read as if they had come through TLS, so they end the connection.
import type { Socket } from 'node:net';
import { DirectoryUnavailable } from './directory-unavailable.ts';

const oid = '1.3.6.1.4.1.1466.20037';
const request = Buffer.concat([
  Buffer.from([0x30, oid.length + 7, 0x02, 0x01, 0x01, 0x77, oid.length + 2, 0x80, oid.length]),
  Buffer.from(oid),
]);
const longestAnswer = 4096;

export async function startTls(socket: Socket): Promise<void> {
  const answer = await readMessage(socket, () => socket.write(request));
  if (!isSuccess(answer)) throw new DirectoryUnavailable('certificate');
}

function readMessage(socket: Socket, begin: () => void): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let read = Buffer.alloc(0);
    const end = (error?: Error) => {
      socket.off('data', take).off('error', end).off('close', close).pause();
      if (error === undefined) resolve(read);
      else reject(error);
    };
    const close = () => end(new DirectoryUnavailable('unreachable'));
    function take(data: Buffer): void {
      read = Buffer.concat([read, data]);
      const length = lengthOf(read);
      if (read.length > Math.min(length, longestAnswer)) end(new DirectoryUnavailable('unreadable'));
      else if (read.length === length) end();
    }
    socket.on('data', take).on('error', end).on('close', close);
    begin();
  });
}

/** The length of the message with its header; the longest allowed one while the header is incomplete, and 0 for an invalid one. */
function lengthOf(bytes: Buffer): number {
  const first = bytes[1];
  if (first === undefined) return longestAnswer;
  if (first < 0x80) return 2 + first;
  const size = first & 0x7f;
  if (size === 0 || size > 4) return 0;
  return bytes.length < 2 + size ? longestAnswer : 2 + size + bytes.readUIntBE(2, size);
}

/** Whether it is an extended response to message 1 with result code 0. */
function isSuccess(message: Buffer): boolean {
  const inner = contentOf(message, 0x30);
  if (inner === undefined || inner[0] !== 0x02 || inner[1] !== 1 || inner[2] !== 1) return false;
  const response = contentOf(inner.subarray(3), 0x78);
  return response !== undefined && response[0] === 0x0a && response[1] === 1 && response[2] === 0;
}

function contentOf(bytes: Buffer, tag: number): Buffer | undefined {
  const first = bytes[1];
  if (bytes[0] !== tag || first === undefined) return undefined;
  return bytes.subarray(first < 0x80 ? 2 : 2 + (first & 0x7f));
}
