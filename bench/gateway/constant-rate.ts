// Load generator with a constant rate over persistent connections. Requests are due by the clock, whether or not the
// server keeps up. The latency of a request that waits for a connection counts from its due time, so a slow server
// cannot hide its delay (coordinated omission).
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Load {
  readonly port: number;
  /** Sent round-robin, unchanged. */
  readonly requests: readonly Buffer[];
  readonly perSecond: number;
  readonly seconds: number;
}

export interface Latencies {
  /** Requests answered per second, until the last answer. */
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

const connections = 32;
const endOfHead = Buffer.from('\r\n\r\n');

/** Throws at the first answer that is not HTTP 200 with `"code":200`. */
export async function putLoad({ port, requests, perSecond, seconds }: Load): Promise<Latencies> {
  const pool = await Promise.all(Array.from({ length: connections }, () => openConnection(port)));
  const total = perSecond * seconds;
  const latencies: number[] = [];
  const idle = [...pool];
  const waiting: number[] = [];
  let sent = 0;
  const done = Promise.withResolvers<void>();

  function send(connection: Connection, dueAt: number): void {
    const request = requests[sent % requests.length] ?? Buffer.alloc(0);
    sent += 1;
    connection.ask(request, (problem) => {
      if (problem !== undefined) return done.reject(problem);
      latencies.push(performance.now() - dueAt);
      const next = waiting.shift();
      if (next !== undefined) send(connection, next);
      else idle.push(connection);
      if (latencies.length === total) done.resolve();
    });
  }

  const startedAt = performance.now();
  let due = 0;
  // Sends all requests that became due since the last tick: timers have a resolution of a millisecond.
  const timer = setInterval(() => {
    const now = performance.now();
    const until = Math.min(total, Math.floor(((now - startedAt) * perSecond) / 1000));
    for (; due < until; due += 1) {
      const connection = idle.shift();
      if (connection === undefined) waiting.push(now);
      else send(connection, now);
    }
    if (due === total) clearInterval(timer);
  }, 1);
  try {
    await done.promise;
  } finally {
    clearInterval(timer);
    for (const connection of pool) connection.close();
  }
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return {
    perSecond: (total * 1000) / (performance.now() - startedAt),
    p50: at(0.5),
    p99: at(0.99),
  };
}

interface Connection {
  ask(request: Buffer, answered: (problem?: Error) => void): void;
  close(): void;
}

/** One connection with one request at a time. */
async function openConnection(port: number): Promise<Connection> {
  const socket: Socket = connect(port, '127.0.0.1').setNoDelay(true);
  await once(socket, 'connect');
  let answered: ((problem?: Error) => void) | undefined;
  let received = Buffer.alloc(0);
  const tell = (problem?: Error) => {
    const settle = answered;
    answered = undefined;
    settle?.(problem);
  };
  socket
    .on('data', (part) => {
      received = received.length === 0 ? part : Buffer.concat([received, part]);
      const answer = takeAnswer(received);
      if (answer === undefined) return;
      received = Buffer.alloc(0);
      tell(answer.includes('"code":200') ? undefined : new Error(`Answered with:\n${answer}`));
    })
    .on('error', tell)
    .on('close', () => tell(new Error('The server closed a connection that was to be kept.')));
  return {
    ask(request, callback) {
      answered = callback;
      socket.write(request);
    },
    close: () => socket.destroy(),
  };
}

/** Undefined until the answer is complete. */
function takeAnswer(received: Buffer): string | undefined {
  const end = received.indexOf(endOfHead);
  if (end === -1) return undefined;
  const length = /\r\ncontent-length: (\d+)/i.exec(received.toString('latin1', 0, end))?.[1];
  if (length === undefined) return received.toString('latin1');
  return received.length < end + 4 + Number(length) ? undefined : received.toString('latin1');
}
