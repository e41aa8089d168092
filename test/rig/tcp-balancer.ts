// A layer-4 balancer before the instances of a rolling restart: a new connection goes to the next one that says it
// is ready, and stays there. It knows no HTTP but the question of readiness, so it cannot mend what an instance cut.
import { get } from 'node:http';
import { type AddressInfo, createServer, Socket } from 'node:net';

export interface Backend {
  readonly port: number;
  readonly opsPort: number;
}

export interface BalancerCounters {
  /** From clients. */
  readonly connections: number;
  /** Attempts that a backend refused although it was in rotation. */
  readonly refused: number;
  /** Connections that no backend took. The client's was reset. */
  readonly unserved: number;
  /** Connections that a backend ended by RST. */
  readonly resets: number;
}

export interface TcpBalancer {
  readonly port: number;
  /** A copy, as they stand now. */
  readonly counters: BalancerCounters;
  /** The ports in rotation. */
  readonly readyPorts: readonly number[];
  /** Resolves once each of them was asked; connections to those that are gone stay. */
  setBackends(backends: readonly Backend[]): Promise<void>;
  close(): Promise<void>;
}

const askEveryMilliseconds = 150;
const answerWithinMilliseconds = 10_000;

export async function startTcpBalancer(initialBackends: readonly Backend[]): Promise<TcpBalancer> {
  const counters = { connections: 0, refused: 0, unserved: 0, resets: 0 };
  const clients = new Set<Socket>();
  let backends = initialBackends;
  let ready: readonly Backend[] = [];
  let turn = 0;
  let asks = 0;
  let newestAnswered = 0;

  async function askAll(): Promise<void> {
    const asked = backends;
    asks += 1;
    const ask = asks;
    const answers = await Promise.all(asked.map(isReady));
    // An answer that was slow tells less than one to a later question.
    if (asked !== backends || ask < newestAnswered) return;
    newestAnswered = ask;
    ready = asked.filter((_, index) => answers[index]);
  }

  const onBackendReset = () => {
    counters.resets += 1;
  };
  async function serve(client: Socket): Promise<void> {
    counters.connections += 1;
    clients.add(client);
    client.on('error', () => {}).on('close', () => clients.delete(client));
    const first = turn++ % Math.max(ready.length, 1);
    for (const { port } of [...ready.slice(first), ...ready.slice(0, first)]) {
      const backend = await connectTo(port);
      if (backend !== undefined) return join(client, backend, onBackendReset);
      counters.refused += 1;
    }
    counters.unserved += 1;
    client.resetAndDestroy();
  }

  const listener = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, serve);
  await askAll();
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const timer = setInterval(askAll, askEveryMilliseconds);

  return {
    port: (listener.address() as AddressInfo).port,
    get counters() {
      return { ...counters };
    },
    get readyPorts() {
      return ready.map(({ port }) => port);
    },
    async setBackends(newBackends) {
      backends = newBackends;
      ready = ready.filter(({ port }) => newBackends.some((backend) => backend.port === port));
      await askAll();
    },
    async close() {
      clearInterval(timer);
      const closed = new Promise((resolve) => listener.close(resolve));
      for (const client of clients) client.resetAndDestroy();
      await closed;
    },
  };
}

/** On a separate connection, so that the question never holds one open that the instance waits for. */
function isReady({ opsPort }: Backend): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  get({
    host: '127.0.0.1',
    port: opsPort,
    path: '/readyz',
    agent: false,
    signal: AbortSignal.timeout(answerWithinMilliseconds),
  })
    .on('response', (answer) => {
      answer.on('error', () => {}).resume();
      resolve(answer.statusCode === 200);
    })
    .on('error', () => resolve(false));
  return promise;
}

/** Undefined where the backend refuses. */
function connectTo(port: number): Promise<Socket | undefined> {
  const { promise, resolve } = Promise.withResolvers<Socket | undefined>();
  const backend = new Socket({ allowHalfOpen: true }).setNoDelay();
  backend.on('error', () => resolve(undefined)).on('connect', () => resolve(backend));
  backend.connect({ port, host: '127.0.0.1' });
  return promise;
}

/** Bytes and ends pass by the pipes; whatever breaks one side resets the other. */
function join(client: Socket, backend: Socket, onBackendReset: () => void): void {
  backend.on('close', (hadError) => {
    if (!hadError || client.destroyed) return;
    onBackendReset();
    client.resetAndDestroy();
  });
  client.on('close', (hadError) => {
    if (!backend.destroyed && (hadError || !backend.writableEnded)) backend.resetAndDestroy();
  });
  if (client.destroyed) backend.destroy();
  client.pipe(backend).pipe(client);
}
