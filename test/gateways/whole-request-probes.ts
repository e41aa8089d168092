// What a caller can do with half a request, and a service with a caller's token. Each says what got through, or nothing: the
// same probes must find the open recipes open and the shipped recipes shut.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { type Carrier, present } from '../rig/carriers.ts';
import type { Answer } from '../rig/http-client.ts';
import { findFreePort } from '../rig/tcp-proxy.ts';
import { isSentAgain, type Scene, send } from './expect.ts';
import type { World } from './world.ts';

/** The requests that passed. */
type Finding = string | undefined;

export async function logInAsCarl({ service }: World): Promise<string> {
  return String((await service.logIn('carl')).body.token);
}

export async function logOut({ service }: World, token: string): Promise<void> {
  const left = await service.send(present(token, 'header', { method: 'POST', path: '/api/v1/logout' }));
  assert.equal(left.body.code, 200);
}

const websocketKey = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
const settings = 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n';

export const protocols = ['h2c', 'websocket', 'anything'] as const;
type Protocol = (typeof protocols)[number];

/** A connection after its upgrade was asked for, with the head of the answer. */
export async function askForUpgrade(
  { gateway }: Scene,
  { token, path, protocol }: { token: string; path: string; protocol: Protocol },
): Promise<{ socket: Socket; head: string }> {
  const socket = connect(gateway.port, '127.0.0.1');
  socket.on('error', () => {});
  const named = protocol === 'h2c' ? 'Upgrade, HTTP2-Settings' : 'Upgrade';
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: rig\r\nAuthorization: Bearer ${token}\r\nConnection: ${named}\r\nUpgrade: ${protocol}\r\n${settings}${websocketKey}\r\n`,
  );
  let head = '';
  for await (const part of socket.iterator({ destroyOnReturn: false })) {
    head += String(part);
    if (head.includes('\r\n\r\n')) break;
  }
  return { socket, head };
}

/** Past every check: what a clerk may read opens a line to the service, and that outlives the session. */
export async function upgrade(scene: Scene, protocol: Protocol, tries = 1): Promise<Finding> {
  const { world } = scene;
  const token = await logInAsCarl(world);
  const before = world.upstream.reached.length;
  const { socket, head } = await askForUpgrade(scene, { token, path: '/api/v1/orders', protocol });
  try {
    await logOut(world, token);
    if (head.startsWith('HTTP/1.1 101 ')) {
      const late = `/orders/${protocol}-${before}`;
      socket.write(`DELETE ${late} HTTP/1.1\r\nHost: rig\r\nX-Portcullis-User-Id: 1\r\n\r\n`);
      await world.upstream.waitForTunnelled(new RegExp(`DELETE ${late}`));
      return `after the logout the service got DELETE ${late} with a made-up identity`;
    }
    const reached = world.upstream.reached.slice(before);
    if (isSentAgain(tries, statusOf(head), reached)) return await upgrade(scene, protocol, tries + 1);
    assert.match(head, /^HTTP\/1\.1 200 /);
    assert.equal(reached.length, 1);
    return reached[0]?.rawHeaders.some((name) => /^upgrade$/i.test(name)) ? 'the header passed' : undefined;
  } finally {
    socket.destroy();
  }
}

export const framings = ['Content-Length', 'Transfer-Encoding'] as const;
type Framing = (typeof framings)[number];

const pieces = {
  'Content-Length': ['Content-Length: 10\r\n\r\n12345', '67890'],
  'Transfer-Encoding': ['Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n', '5\r\n67890\r\n0\r\n\r\n'],
} as const;

const statusOf = (head: string) => Number(head.split(' ')[1]);

/** How long a gateway is waited for that may ask too early, and one that does. */
const headStartMilliseconds = { unknown: 500, early: 120_000 };

/** Sends a head and half of its body, ends the session, and sends the rest. `questions` count up as the gateway asks. */
export async function holdBody(
  scene: Scene,
  framing: Framing,
  questions: Questions,
  asks: keyof typeof headStartMilliseconds = 'unknown',
  tries = 1,
): Promise<Finding> {
  const { world, gateway } = scene;
  const token = await logInAsCarl(world);
  const before = world.upstream.reached.length;
  const asked = questions.next();
  const socket = connect(gateway.port, '127.0.0.1');
  const [first, rest] = pieces[framing];
  try {
    socket.on('error', () => {});
    socket.write(`POST /api/v1/orders HTTP/1.1\r\nHost: rig\r\nAuthorization: Bearer ${token}\r\n${first}`);
    await Promise.race([asked, setTimeout(headStartMilliseconds[asks], undefined, { ref: false })]);
    await logOut(world, token);
    socket.write(rest);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    const reached = world.upstream.reached.slice(before);
    const { body } = reached[0] ?? {};
    if (body !== undefined) return `after the logout the service got POST /api/v1/orders with ${body}`;
    if (isSentAgain(tries, statusOf(String(answer)), reached))
      return await holdBody(scene, framing, questions, asks, tries + 1);
    assert.match(String(answer), /^HTTP\/1\.1 (?:200 [\s\S]*token_revoked|411 )/);
    return undefined;
  } finally {
    socket.destroy();
  }
}

export interface Questions {
  /** The address for the gateway's decision requests. */
  readonly port: number;
  /** The next decision request. */
  next(): Promise<unknown>;
  close(): void;
}

/** A line to the decision listener that tells when something comes by it. */
export async function listenToQuestions({ decisionPort }: World): Promise<Questions> {
  const port = await findFreePort();
  const server = createServer((socket) => {
    const onward = connect(decisionPort, '127.0.0.1');
    socket.on('data', () => server.emit('question'));
    for (const [from, to] of [
      [socket, onward],
      [onward, socket],
    ] as const)
      from
        .on('error', () => to.destroy())
        .on('close', () => to.destroy())
        .pipe(to);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { port, next: () => once(server, 'question'), close: () => void server.close() };
}

/** A guarded service that keeps what it is given and calls the administration with it. */
export async function replay(scene: Scene, carrier: Carrier): Promise<Finding> {
  const { world } = scene;
  const own = await world.service.tokenOf('ada');
  const { answer, reached } = await send(scene, present(own, carrier, { path: '/api/v1/orders?a=%2F;{b}' }));
  assert.equal(answer.status, 200);
  assert.equal(reached.length, 1);
  const [kept] = /eyJ[\w.-]+/.exec(JSON.stringify(reached)) ?? [];
  if (kept === undefined) return undefined;
  const listed: Answer = await world.service.send(present(kept, 'header', { path: '/api/v1/users' }));
  return `GET /api/v1/users with what the service was given is answered ${listed.body.code}`;
}
