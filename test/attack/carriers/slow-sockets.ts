// A worker that opens slow connections from many addresses and feeds them a byte at a time, apart from the thread
// that measures. It tells when all are open and, once the server has closed them all, how long each was kept.
import { connect, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

export interface SlowSocketOptions {
  readonly port: number;
  readonly addresses: readonly string[];
  readonly perAddress: number;
}

/** What is sent at once; the rest comes byte by byte, or never. */
const openings = {
  idle: '',
  headers: 'GET /api/v1/greeting HTTP/1.1\r\nHost: x\r\nX-Slow: ',
  body: 'POST /api/v1/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 4000\r\n\r\n',
} as const;
export type SlowKind = keyof typeof openings;
const kinds = Object.keys(openings) as SlowKind[];

export interface SlowReport {
  readonly kind: SlowKind;
  readonly keptMilliseconds: number;
}

const tickMilliseconds = 10;
/** Every socket gets its next byte after this many ticks. */
const ticksPerByte = 50;

const { port, addresses, perAddress } = workerData as SlowSocketOptions;
const sockets = new Map<Socket, SlowKind>();
const reports: SlowReport[] = [];
const total = addresses.length * perAddress;
let opened = 0;

function open(localAddress: string, kind: SlowKind): void {
  const startedAt = performance.now();
  const socket = connect({ port, host: '127.0.0.1', localAddress }, () => {
    socket.write(openings[kind]);
    sockets.set(socket, kind);
    opened += 1;
    if (opened === total) parentPort?.postMessage('open');
  });
  socket
    .resume()
    .on('error', () => {})
    .on('close', () => {
      sockets.delete(socket);
      reports.push({ kind, keptMilliseconds: performance.now() - startedAt });
      if (reports.length === total) finish();
    });
}

/** At a pace that the queue of the listening socket takes: one that overflows leaves connections that only we have. */
const opensPerTick = 20;
const waiting = Array.from({ length: total }, (_, index) => ({
  address: addresses[index % addresses.length] ?? '',
  kind: kinds[index % kinds.length] ?? 'idle',
}));

/** A slice of the sockets each tick, so that nothing comes in bursts. */
let tick = 0;
const feeding = setInterval(() => {
  for (const { address, kind } of waiting.splice(0, opensPerTick)) open(address, kind);
  tick += 1;
  let index = 0;
  for (const [socket, kind] of sockets) {
    index += 1;
    if (kind !== 'idle' && index % ticksPerByte === tick % ticksPerByte && socket.writable) socket.write('x');
  }
}, tickMilliseconds);

function finish(): void {
  clearInterval(feeding);
  parentPort?.postMessage(reports);
}
