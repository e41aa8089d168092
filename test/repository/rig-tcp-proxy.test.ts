// The lines of the rig do what the tests on them rely on: a cut holds and never drops, and a balancer hides nothing.
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type Backend, startTcpBalancer } from '../rig/tcp-balancer.ts';
import { findFreePort, startTcpProxy, type TcpProxy } from '../rig/tcp-proxy.ts';

/** Long enough for a byte to arrive that nothing holds back. */
const momentMilliseconds = 60;
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Peer {
  readonly socket: Socket;
  readonly received: string;
  /** How the other side ended it: `end`, or the code of the error. */
  readonly ending: string | undefined;
  say(text: string): void;
}

function watch(socket: Socket): Peer {
  let received = '';
  let ending: string | undefined;
  socket
    .setEncoding('utf8')
    .on('data', (text) => {
      received += text;
    })
    .on('end', () => {
      ending ??= 'end';
    })
    .on('error', (error: NodeJS.ErrnoException) => {
      ending = error.code;
    });
  closing.push(() => socket.destroy());
  return {
    socket,
    get received() {
      return received;
    },
    get ending() {
      return ending;
    },
    say: (text) => void socket.write(text),
  };
}

async function call(port: number): Promise<Peer> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const peer = watch(socket);
  await once(socket, 'connect');
  return peer;
}

/** A server that keeps the connections it was given, and greets with its name where it has one. */
async function startPeers(name?: string): Promise<{ port: number; peers: Peer[]; server: Server }> {
  const peers: Peer[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    peers.push(watch(socket));
    if (name !== undefined) socket.write(name);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  return { port: (server.address() as AddressInfo).port, peers, server };
}

async function startLine(): Promise<{ proxy: TcpProxy; peers: Peer[] }> {
  const { port, peers } = await startPeers();
  const proxy = await startTcpProxy({ port });
  closing.push(proxy.close);
  return { proxy, peers };
}

async function startCall(): Promise<{ proxy: TcpProxy; client: Peer; server: Peer }> {
  const { proxy, peers } = await startLine();
  const client = await call(proxy.port);
  await expect.poll(() => peers.length).toBe(1);
  return { proxy, client, server: peers[0] as Peer };
}

describe('the proxy', () => {
  it('passes bytes and half-closed ends both ways', async () => {
    const { proxy, client, server } = await startCall();
    client.socket.end('question');
    await expect.poll(() => [server.received, server.ending]).toEqual(['question', 'end']);
    server.socket.end('answer');
    await expect.poll(() => [client.received, client.ending]).toEqual(['answer', 'end']);
    await expect.poll(() => proxy.openConnections).toBe(0);
  });

  it.each([
    { direction: 'both', up: '', down: '' },
    { direction: 'up', up: '', down: 'down' },
    { direction: 'down', up: 'up', down: '' },
  ] as const)('holds back what goes $direction while that is cut, and lets it flow on', async (expected) => {
    const { proxy, client, server } = await startCall();
    proxy.cut(expected.direction);
    client.say('up');
    server.say('down');
    await setTimeout(momentMilliseconds);
    expect({ up: server.received, down: client.received }).toEqual({ up: expected.up, down: expected.down });
    proxy.heal();
    await expect.poll(() => [server.received, client.received]).toEqual(['up', 'down']);
  });

  it('reports a reset client to the server when the connection has healed, and not before', async () => {
    const { proxy, client, server } = await startCall();
    proxy.cut('both');
    client.socket.resetAndDestroy();
    await setTimeout(momentMilliseconds);
    expect(server.ending).toBeUndefined();
    proxy.heal();
    await expect.poll(() => server.ending).toBe('ECONNRESET');
    await expect.poll(() => proxy.openConnections).toBe(0);
  });

  it('accepts a new connection during a cut, which reaches the target after the cut', async () => {
    const { proxy, peers } = await startLine();
    const successor = await startPeers('successor');
    proxy.cut('both');
    const client = await call(proxy.port);
    client.say('hello');
    await setTimeout(momentMilliseconds);
    expect(peers).toEqual([]);
    proxy.setTarget(successor.port);
    proxy.heal();
    await expect.poll(() => successor.peers[0]?.received).toBe('hello');
    await expect.poll(() => client.received).toBe('successor');
  });

  it('holds more than any buffer without a loss', async () => {
    const { proxy, client, server } = await startCall();
    const text = 'x'.repeat(12 * 1024 * 1024);
    proxy.cut('up');
    client.say(text);
    await setTimeout(momentMilliseconds);
    expect(client.socket.writableNeedDrain).toBe(true);
    proxy.heal();
    await expect.poll(() => server.received.length).toBe(text.length);
  });

  it('delays each way and keeps the order when the delay falls', async () => {
    const { proxy, client, server } = await startCall();
    proxy.setDelay(100);
    const startedAt = performance.now();
    client.say('first ');
    // The proxy has it before the delay falls: what was written can be read in the next turn.
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    proxy.setDelay(0);
    client.say('second');
    await expect.poll(() => server.received, { interval: 5 }).toBe('first second');
    expect(performance.now() - startedAt).toBeGreaterThan(99);
  });

  it('resets both ends', async () => {
    const { proxy, client, server } = await startCall();
    proxy.destroyConnections();
    await expect.poll(() => [client.ending, server.ending]).toEqual(['ECONNRESET', 'ECONNRESET']);
    expect(proxy.openConnections).toBe(0);
  });

  it('resets the client of an absent server', async () => {
    const proxy = await startTcpProxy({ port: await findFreePort() });
    closing.push(proxy.close);
    const client = await call(proxy.port);
    await expect.poll(() => client.ending).toBe('ECONNRESET');
  });

  it('refuses new connections, keeps the others, and accepts again', async () => {
    const { proxy, client, server } = await startCall();
    proxy.refuse();
    await expect(call(proxy.port)).rejects.toThrow('ECONNREFUSED');
    client.say('still here');
    await expect.poll(() => server.received).toBe('still here');
    await proxy.accept();
    await call(proxy.port);
    await expect.poll(() => proxy.acceptedConnections).toBe(2);
  });

  it('writes itself into a URL', async () => {
    const { proxy } = await startLine();
    expect(proxy.urlThrough('postgres://user@elsewhere:5432/name?a=b')).toBe(
      `postgres://user@127.0.0.1:${proxy.port}/name?a=b`,
    );
  });
});

describe('the balancer', () => {
  interface Instance extends Backend {
    readonly name: string;
    readonly peers: Peer[];
    ready: boolean;
    /** Its port refuses from now on, whatever it says of its readiness. */
    stop(): void;
  }

  async function startInstance(name: string): Promise<Instance> {
    const { port, peers, server } = await startPeers(name);
    const ops = createHttpServer((_, response) => response.writeHead(instance.ready ? 200 : 503).end());
    ops.listen(0, '127.0.0.1');
    await once(ops, 'listening');
    closing.push(() => ops.close());
    const instance: Instance = {
      name,
      port,
      peers,
      opsPort: (ops.address() as AddressInfo).port,
      ready: true,
      stop: () => server.close(),
    };
    return instance;
  }

  async function startBalanced() {
    const instances = [await startInstance('a'), await startInstance('b')] as const;
    const balancer = await startTcpBalancer(instances);
    closing.push(balancer.close);
    const askName = async () => {
      const client = await call(balancer.port);
      await expect.poll(() => client.received).not.toBe('');
      return client.received;
    };
    return { balancer, instances, askName };
  }

  it('gives connections to the ready backends in turn', async () => {
    const { balancer, askName } = await startBalanced();
    expect([await askName(), await askName(), await askName()]).toEqual(['a', 'b', 'a']);
    expect(balancer.counters).toEqual({ connections: 3, refused: 0, unserved: 0, resets: 0 });
  });

  it('takes a backend out that is not ready, and keeps its connections', async () => {
    const { balancer, instances, askName } = await startBalanced();
    const client = await call(balancer.port);
    await expect.poll(() => instances[0].peers.length).toBe(1);
    instances[0].ready = false;
    await expect.poll(() => balancer.readyPorts).toEqual([instances[1].port]);
    expect([await askName(), await askName()]).toEqual(['b', 'b']);
    client.say('still here');
    await expect.poll(() => instances[0].peers[0]?.received).toBe('still here');
  });

  it('tries the next backend where one refuses, and resets a client that none accepts', async () => {
    const { balancer, instances, askName } = await startBalanced();
    instances[0].stop();
    expect([await askName(), await askName()]).toEqual(['b', 'b']);
    expect(balancer.counters).toMatchObject({ refused: 1, unserved: 0 });
    instances[1].stop();
    const client = await call(balancer.port);
    await expect.poll(() => client.ending).toBe('ECONNRESET');
    expect(balancer.counters).toMatchObject({ connections: 3, refused: 3, unserved: 1 });
  });

  it('forwards and counts a reset by a backend, and does not count an orderly end', async () => {
    const { balancer, instances } = await startBalanced();
    const clients = [await call(balancer.port), await call(balancer.port)];
    await expect.poll(() => instances.map(({ peers }) => peers.length)).toEqual([1, 1]);
    instances[0].peers[0]?.socket.resetAndDestroy();
    instances[1].peers[0]?.socket.end();
    await expect.poll(() => clients.map(({ ending }) => ending)).toEqual(['ECONNRESET', 'end']);
    clients[1]?.socket.end();
    await expect.poll(() => instances[1].peers[0]?.socket.closed).toBe(true);
    await setTimeout(momentMilliseconds);
    expect(balancer.counters.resets).toBe(1);
  });

  it('does not count a reset by a client', async () => {
    const { balancer, instances } = await startBalanced();
    const client = await call(balancer.port);
    await expect.poll(() => instances[0].peers.length).toBe(1);
    client.socket.resetAndDestroy();
    await expect.poll(() => instances[0].peers[0]?.ending).toBe('ECONNRESET');
    expect(balancer.counters.resets).toBe(0);
  });

  it('serves from new backends', async () => {
    const { balancer, askName } = await startBalanced();
    await balancer.setBackends([await startInstance('c')]);
    expect([await askName(), await askName()]).toEqual(['c', 'c']);
  });
});
