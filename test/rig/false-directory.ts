// A directory that lies: it speaks TLS with a certificate of any name, and answers whatever a test wants.
import { once } from 'node:events';
import { type AddressInfo, createServer as createPlainServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import { BerReader, BerWriter } from 'ldapts';
import type { Certificate } from './certificates.ts';

const operations = { bind: 0x60, unbind: 0x42, search: 0x63, extended: 0x77 } as const;
export type Operation = keyof typeof operations;
/** The first byte of what begins with TLS. */
const tlsHandshake = 0x16;

export interface Asked {
  readonly id: number;
  readonly operation: Operation | undefined;
  readonly bytes: Buffer;
}

/** What is sent for a message; nothing leaves the client waiting. */
export type Answering = (asked: Asked, socket: Socket) => readonly Buffer[] | undefined;

export interface FalseDirectory {
  readonly url: string;
  readonly startTlsUrl: string;
  readonly asked: readonly Asked[];
  /** All that came, also before TLS. */
  readonly connections: number;
  answer(how: Answering): void;
  close(): Promise<void>;
}

export const message = (id: number, write: (writer: BerWriter) => void): Buffer => {
  const writer = new BerWriter();
  writer.startSequence();
  writer.writeInt(id);
  write(writer);
  writer.endSequence();
  return writer.buffer;
};

const result =
  (tag: number) =>
  (id: number, code = 0, referrals: readonly string[] = []) =>
    message(id, (writer) => {
      writer.startSequence(tag);
      writer.writeEnumeration(code);
      writer.writeString('');
      writer.writeString('');
      if (referrals.length > 0) {
        writer.startSequence(0xa3);
        for (const url of referrals) writer.writeString(url);
        writer.endSequence();
      }
      writer.endSequence();
    });

export const bindResult = result(0x61);
export const searchDone = result(0x65);
export const extendedResult = result(0x78);

export function searchEntry(
  id: number,
  dn: string,
  attributes: Readonly<Record<string, readonly string[]>>,
): Buffer {
  return message(id, (writer) => {
    writer.startSequence(0x64);
    writer.writeString(dn);
    writer.startSequence();
    for (const [type, values] of Object.entries(attributes)) {
      writer.startSequence();
      writer.writeString(type);
      writer.startSequence(0x31);
      for (const value of values) writer.writeString(value);
      writer.endSequence();
      writer.endSequence();
    }
    writer.endSequence();
    writer.endSequence();
  });
}

export function searchReference(id: number, url: string): Buffer {
  return message(id, (writer) => {
    writer.startSequence(0x73);
    writer.writeString(url);
    writer.endSequence();
  });
}

/** Accepts every bind, and finds no entry. */
export const obliging: Answering = ({ id, operation }) => {
  if (operation === 'bind') return [bindResult(id)];
  if (operation === 'search') return [searchDone(id)];
  if (operation === 'extended') return [extendedResult(id)];
  return [];
};

interface FalseDirectoryOptions {
  readonly certificate: Certificate;
  /** The name in its address. */
  readonly host?: string;
}

export async function startFalseDirectory({
  certificate: { certificate: cert, key },
  host = 'localhost',
}: FalseDirectoryOptions): Promise<FalseDirectory> {
  const asked: Asked[] = [];
  let how: Answering = obliging;
  let connections = 0;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  };
  const listen = (socket: Socket) => {
    keep(socket);
    let rest = Buffer.alloc(0);
    socket.on('data', (data) => {
      rest = Buffer.concat([rest, data]);
      for (let length = lengthOf(rest); length > 0 && rest.length >= length; length = lengthOf(rest)) {
        const message = readAsked(rest.subarray(0, length));
        rest = rest.subarray(length);
        asked.push(message);
        for (const bytes of how(message, socket) ?? []) socket.write(bytes);
      }
    });
  };
  const tls = createTlsServer({ cert, key }, listen);
  tls.on('connection', (socket) => {
    connections += 1;
    keep(socket);
  });
  tls.on('tlsClientError', () => {});
  const plain = createPlainServer((socket) => {
    connections += 1;
    keep(socket);
    socket.once('data', (data) => {
      const message = readAsked(data);
      asked.push(message);
      const answers = how(message, socket);
      for (const bytes of answers ?? []) socket.write(bytes);
      if (answers !== undefined) socket.once('data', (next) => goOn(socket, next));
    });
  });
  /** Whoever asks for TLS no more is heard in plain text. */
  function goOn(socket: Socket, next: Buffer): void {
    socket.pause().unshift(next);
    if (next[0] === tlsHandshake) listen(new TLSSocket(socket, { isServer: true, cert, key }));
    else {
      listen(socket);
      socket.resume();
    }
  }
  const [tlsPort, plainPort] = await Promise.all([portOf(tls), portOf(plain)]);
  return {
    url: `ldaps://${host}:${tlsPort}`,
    startTlsUrl: `ldap://${host}:${plainPort}`,
    asked,
    get connections() {
      return connections;
    },
    answer(next) {
      how = next;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      tls.close();
      plain.close();
      await Promise.all([once(tls, 'close'), once(plain, 'close')]);
    },
  };
}

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function lengthOf(bytes: Buffer): number {
  const first = bytes[1];
  if (first === undefined) return 0;
  if (first < 0x80) return 2 + first;
  const size = first & 0x7f;
  return bytes.length < 2 + size ? 0 : 2 + size + bytes.readUIntBE(2, size);
}

function readAsked(bytes: Buffer): Asked {
  const reader = new BerReader(bytes);
  reader.readSequence();
  const id = reader.readInt() ?? 0;
  const tag = reader.peek();
  const [operation] = Object.entries(operations).find(([, value]) => value === tag) ?? ([undefined] as const);
  return { id, operation: operation as Operation | undefined, bytes };
}
