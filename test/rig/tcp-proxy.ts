// A TCP line between an instance and Postgres that a test can cut, slow down, re-point and reset. What a cut holds
// back is never dropped: TCP would send it again, so it flows on when the line heals.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, Socket } from 'node:net';

export type Direction = 'both' | 'up' | 'down';

export interface TcpProxy {
  readonly host: string;
  readonly port: number;
  /** Connections that are still open at one of their two ends. */
  readonly openConnections: number;
  /** Connections that clients made so far. */
  readonly acceptedConnections: number;
  /** The same URL by way of the proxy. */
  urlThrough(url: string): string;
  /** Holds back the bytes, ends and resets that go this way: up is to the server. A new connection stays silent. */
  cut(direction: Direction): void;
  heal(): void;
  /** How long each chunk takes each way; those under way keep their time. */
  setDelay(milliseconds: number): void;
  /** Where connections go that do not reach the server yet. */
  setTarget(port: number): void;
  /** Resets every connection at both ends, cut or not. */
  destroyConnections(): void;
  /** Closes the port, so that the kernel refuses new connections; the others stay. */
  refuse(): void;
  accept(): Promise<void>;
  close(): Promise<void>;
}

export interface TcpProxyOptions {
  /** The server behind it. */
  readonly port: number;
  readonly host?: string;
}

interface Line {
  readonly cut: { up: boolean; down: boolean };
  delayMilliseconds: number;
  readonly target: { readonly host: string; port: number };
}

interface Connection {
  /** Lets through what is held, where the line allows it by now. */
  flow(): void;
  reset(): void;
}

const listenHost = '127.0.0.1';
/** What a lane holds before it stops to read; from there the sender's own buffers fill up, as on a dead line. */
const laneLimitBytes = 1024 * 1024;

export async function startTcpProxy({
  port: targetPort,
  host = '127.0.0.1',
}: TcpProxyOptions): Promise<TcpProxy> {
  const line: Line = {
    cut: { up: false, down: false },
    delayMilliseconds: 0,
    target: { host, port: targetPort },
  };
  const connections = new Set<Connection>();
  let acceptedConnections = 0;
  const onClient = (client: Socket) => {
    acceptedConnections += 1;
    const connection = join(client, line, () => connections.delete(connection));
    connections.add(connection);
  };
  let listener: Server | undefined = await listenSomewhere(onClient);
  const { port } = listener.address() as AddressInfo;

  function refuse(): void {
    listener?.close();
    listener = undefined;
  }
  function destroyConnections(): void {
    for (const connection of connections) connection.reset();
  }
  function setCut(up: boolean, down: boolean): void {
    Object.assign(line.cut, { up, down });
    for (const connection of connections) connection.flow();
  }

  return {
    host: listenHost,
    port,
    get openConnections() {
      return connections.size;
    },
    get acceptedConnections() {
      return acceptedConnections;
    },
    urlThrough: (url) => Object.assign(new URL(url), { host: `${listenHost}:${port}` }).href,
    cut: (direction) => setCut(direction !== 'down', direction !== 'up'),
    heal: () => setCut(false, false),
    setDelay(milliseconds) {
      line.delayMilliseconds = milliseconds;
    },
    setTarget(newPort) {
      line.target.port = newPort;
    },
    destroyConnections,
    refuse,
    async accept() {
      listener ??= await listen(port, onClient);
    },
    async close() {
      const closed = listener === undefined ? undefined : once(listener, 'close');
      refuse();
      destroyConnections();
      await closed;
    },
  };
}

/**
 * A port without a listener, from below the range that the kernel gives to outgoing connections: so it is still
 * free when a server that was killed comes back to it.
 */
export async function findFreePort(): Promise<number> {
  const probe = await listenSomewhere((socket) => socket.destroy());
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** None is given twice: its owner may not listen on it yet, or not at the moment. */
const givenPorts = new Set<number>();

async function listenSomewhere(onClient: (client: Socket) => void): Promise<Server> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 17_000);
    if (givenPorts.has(port)) continue;
    try {
      const server = await listen(port, onClient);
      givenPorts.add(port);
      return server;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
}

async function listen(port: number, onClient: (client: Socket) => void): Promise<Server> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, onClient);
  server.listen(port, listenHost);
  await once(server, 'listening');
  server.on('error', () => {});
  return server;
}

/** One client's connection and the one to the server that is made for it. */
function join(client: Socket, line: Line, onClosed: () => void): Connection {
  const server = new Socket({ allowHalfOpen: true }).setNoDelay();
  const up = createLane(client, server, () => line.cut.up, line);
  const down = createLane(server, client, () => line.cut.down, line);
  // The connection attempt goes up the line like any byte: a cut line holds it back.
  up.pass(() => server.connect(line.target));
  for (const socket of [client, server])
    socket.once('close', () => {
      if (client.closed && server.closed) onClosed();
    });
  return {
    flow() {
      up.flow();
      down.flow();
    },
    reset() {
      for (const lane of [up, down]) lane.clear();
      for (const socket of [client, server]) socket.resetAndDestroy();
    },
  };
}

interface Lane {
  /** Does this at the far end, after all that was passed before it. */
  pass(deliver: () => void, bytes?: number): void;
  flow(): void;
  clear(): void;
}

/** One direction of a connection: what `from` says reaches `to` in order, late by the delay, and not while it is cut. */
function createLane(from: Socket, to: Socket, isCut: () => boolean, line: Line): Lane {
  const queue: { readonly dueAt: number; readonly bytes: number; readonly deliver: () => void }[] = [];
  let queuedBytes = 0;
  let timer: NodeJS.Timeout | undefined;

  function flow(): void {
    clearTimeout(timer);
    for (let next = queue[0]; next !== undefined && !isCut() && !to.writableNeedDrain; next = queue[0]) {
      const wait = next.dueAt - performance.now();
      if (wait > 0) {
        timer = setTimeout(flow, wait);
        return;
      }
      queue.shift();
      queuedBytes -= next.bytes;
      next.deliver();
    }
    if (queuedBytes < laneLimitBytes) from.resume();
  }
  function pass(deliver: () => void, bytes = 0): void {
    queue.push({ dueAt: performance.now() + line.delayMilliseconds, bytes, deliver });
    queuedBytes += bytes;
    if (queuedBytes >= laneLimitBytes) from.pause();
    flow();
  }
  function clear(): void {
    queue.length = 0;
    queuedBytes = 0;
    clearTimeout(timer);
  }

  from
    .on('data', (chunk) => pass(() => void (to.writable && to.write(chunk)), chunk.length))
    .on('end', () => pass(() => void to.end()))
    // The close that follows says the same.
    .on('error', () => {})
    .on('close', (hadError) => {
      if (hadError) pass(() => void to.resetAndDestroy());
    });
  to.on('drain', flow);
  return { pass, flow, clear };
}
