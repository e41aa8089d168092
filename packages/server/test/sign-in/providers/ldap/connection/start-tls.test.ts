// Which answers to StartTLS begin TLS.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startTls } from '../../../../../src/sign-in/providers/ldap/connection/start-tls.ts';

/** What becomes of a connection that is answered so, a chunk after the other. */
async function answered(...chunks: readonly (readonly number[] | 'end')[]): Promise<string> {
  const server = createServer(async (socket: Socket) => {
    socket.setNoDelay(true).on('error', () => {});
    await once(socket, 'data');
    for (const chunk of chunks)
      if (chunk === 'end') socket.end();
      else await new Promise((resolve) => socket.write(Buffer.from(chunk), resolve));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  try {
    return await startTls(socket).then(
      () => 'begun',
      ({ reason }: { reason?: string }) => String(reason),
    );
  } finally {
    socket.destroy();
    server.close();
  }
}

const result = [0x0a, 1, 0, 0x04, 0, 0x04, 0];
const sound = [0x30, 12, 0x02, 1, 1, 0x78, 7, ...result];

describe('TLS is begun', () => {
  it.each([
    ['by a short length', [sound]],
    ['by a long one', [[0x30, 0x81, 12, ...sound.slice(2)]]],
    ['by a longer one inside', [[0x30, 0x82, 0, 13, 0x02, 1, 1, 0x78, 0x81, 7, ...result]]],
    ['in pieces', sound.map((byte) => [byte])],
  ] as readonly [string, readonly (readonly number[])[]][])('%s', async (_what, chunks) => {
    expect(await answered(...chunks)).toBe('begun');
  });
});

describe('TLS is not begun', () => {
  const changed = (at: number, byte: number) => sound.with(at, byte);
  it.each<[string, readonly (readonly number[] | 'end')[], string]>([
    ['by another code', [changed(9, 2)], 'certificate'],
    ['for another message', [changed(4, 7)], 'certificate'],
    ['for an id of another type', [changed(2, 4)], 'certificate'],
    ['for an id of another length', [changed(3, 2)], 'certificate'],
    ['by a bind', [changed(5, 0x61)], 'certificate'],
    ['by a code of another type', [changed(7, 2)], 'certificate'],
    ['by a code of another length', [changed(8, 2)], 'certificate'],
    ['by what is no sequence', [changed(0, 0x31)], 'certificate'],
    ['by an empty message', [[0x30, 0]], 'certificate'],
    ['by a message with more behind it', [[...sound, 0]], 'unreadable'],
    ['by a length without an end', [[0x30, 0x80, 0]], 'unreadable'],
    ['by a length of five bytes', [[0x30, 0x85, 0, 0, 0, 0, 0]], 'unreadable'],
    ['by more than an answer has', [[0x30, 0x82, 0xff, 0xff, ...Array(4093).fill(0)]], 'unreadable'],
    ['by half an answer', [sound.slice(0, 5), 'end'], 'unreachable'],
    ['by none', ['end'], 'unreachable'],
  ])('%s', async (_what, chunks, reason) => {
    expect(await answered(...chunks)).toBe(reason);
  });
});
