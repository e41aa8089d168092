// A server of the Postgres wire protocol on a local socket: it shares the one session of an in-process
// Postgres among all clients.
import { randomInt, timingSafeEqual } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { type Client, createSessionQueue, type SessionQueue } from './session-queue.ts';
import { createMessage, int32, renameStatement, splitMessages, type WireMessage } from './wire-messages.ts';

interface SessionOptions {
  /** Takes complete messages, and returns Postgres's answer. */
  readonly execute: (bytes: Buffer) => Buffer;
  readonly serverVersion: string;
  readonly password: string;
}

/** The request codes of the startup message, which has no type byte. */
const requests = { cancel: 80_877_102, tls: 80_877_103, gssapi: 80_877_104 };
const startupBytes = { least: 8, most: 10_000 };
const askForPassword = createMessage('R', int32(3));
const ready = createMessage('Z', 'I');
const sync = createMessage('S');

export function createSessionServer({ execute, serverVersion, password }: SessionOptions): Server {
  const queue = createSessionQueue(execute);
  const greeting = createGreeting(serverVersion);
  let lastNumber = 0;
  return createServer((socket) => {
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    let serve: ((message: WireMessage) => void) | undefined;
    readMessages(socket, (message) => {
      if (serve !== undefined) return serve(message);
      if (message.type !== 'p' || !isPassword(message.bytes, password)) {
        socket.write(wrongPassword);
        return socket.destroySoon();
      }
      socket.write(greeting);
      lastNumber += 1;
      serve = createConnection({ socket, queue, number: lastNumber });
    });
  });
}

/** Answers the startup message with a request for a password, and passes on every later message. */
function readMessages(socket: Socket, take: (message: WireMessage) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  let isStarted = false;

  function readStartup(): void {
    while (!isStarted && rest.length >= startupBytes.least) {
      const length = rest.readInt32BE(0);
      if (length < startupBytes.least || length > startupBytes.most) throw new RangeError('Not a startup.');
      if (rest.length < length) return;
      const request = rest.readInt32BE(4);
      rest = rest.subarray(length);
      if (request === requests.cancel) socket.destroy();
      isStarted = request !== requests.tls && request !== requests.gssapi;
      socket.write(isStarted ? askForPassword : 'N');
    }
  }

  socket.on('data', (bytes: Buffer) => {
    try {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      readStartup();
      if (!isStarted) return;
      const split = splitMessages(rest);
      rest = split.rest;
      split.messages.forEach(take);
    } catch {
      // Bytes that are not a valid message do not come from a Postgres client.
      socket.destroy();
    }
  });
}

interface ConnectionOptions {
  readonly socket: Socket;
  readonly queue: SessionQueue;
  readonly number: number;
}

/**
 * Prefixes the names of prepared statements with the number of the connection: in the shared session, two
 * clients could use the same name.
 */
function createConnection({ socket, queue, number }: ConnectionOptions): (message: WireMessage) => void {
  const statements = new Set<string>();
  let exchange: Buffer[] = [];
  const client: Client = {
    send: (bytes) => void (socket.writable && socket.write(bytes)),
    end: () => socket.destroy(),
  };
  queue.join(client);
  socket.on('close', () => {
    queue.disconnect(client);
    const closings = [...statements].map((name) => createMessage('C', 'S', name, '\0'));
    if (closings.length > 0) queue.run({ send() {}, end() {} }, Buffer.concat([...closings, sync]));
  });
  return (message) => {
    if (message.type === 'X') return void socket.end();
    exchange.push(
      renameStatement(message, (name) => {
        const renamed = `c${number}_${name}`;
        statements.add(renamed);
        return renamed;
      }),
    );
    if (!['S', 'H', 'Q'].includes(message.type)) return;
    queue.run(client, Buffer.concat(exchange));
    exchange = [];
  };
}

function isPassword(message: Buffer, password: string): boolean {
  const given = message.subarray(5, -1);
  const expected = Buffer.from(password);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

const wrongPassword = createMessage('E', 'SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed\0\0');

function createGreeting(serverVersion: string): Buffer {
  const parameters = {
    server_version: serverVersion,
    server_encoding: 'UTF8',
    client_encoding: 'UTF8',
    DateStyle: 'ISO, MDY',
    integer_datetimes: 'on',
    standard_conforming_strings: 'on',
  };
  return Buffer.concat([
    createMessage('R', int32(0)),
    ...Object.entries(parameters).map(([name, value]) => createMessage('S', `${name}\0${value}\0`)),
    createMessage('K', int32(process.pid), int32(randomInt(2 ** 31))),
    ready,
  ]);
}
