// A gateway asks about the complete request: no upgrade bypasses the decision, and no body arrives after it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { setTimeout } from 'node:timers/promises';
import { carriers } from '../rig/carriers.ts';
import { judgesTimes } from '../rig/judges-times.ts';
import { sendRaw } from '../rig/raw-socket.ts';
import { bearer } from './decision-cases.ts';
import { expectAllowed, expectIdentity, expectNoToken, type Scene } from './expect.ts';
import type { Recipe } from './gateway.ts';
import {
  askForUpgrade,
  framings,
  holdBody,
  listenToQuestions,
  logInAsCarl,
  logOut,
  protocols,
  replay,
  upgrade,
} from './whole-request-probes.ts';
import type { World } from './world.ts';
import { type MistakeCase, withGateway } from './wrong-answer-cases.ts';

export const wholeRequestCases: readonly MistakeCase[] = [
  { title: 'rejects upgrades, so that no connection outlives a session', run: expectNoUpgrade },
  { title: 'asks after the body has arrived, so that no held-back body passes', run: expectNoHeldBody },
  { title: 'refuses a body that is too large, too slow or of no known length', run: expectBounds },
  { title: 'opens one path for websockets where it is configured', run: expectWebsocket },
];

/** What the probes must be able to see. */
export async function expectOpen(world: World, recipe: Recipe): Promise<number> {
  const questions = await listenToQuestions(world);
  try {
    await withGateway(world, recipe, { decisionPort: questions.port }, async (scene) => {
      for (const protocol of protocols)
        assert.match((await upgrade(scene, protocol)) ?? '', /after the logout the service got DELETE/);
      for (const framing of framings)
        assert.match(
          (await holdBody(scene, framing, questions, 'early')) ?? '',
          /after the logout the service got/,
        );
      for (const carrier of carriers) assert.match((await replay(scene, carrier)) ?? '', /is answered 200/);
    });
  } finally {
    questions.close();
  }
  return protocols.length + framings.length + carriers.length;
}

const livePath = '/api/v1/orders/live';

async function expectNoUpgrade(world: World, recipe: Recipe): Promise<number> {
  await withGateway(world, recipe, {}, async (scene) => {
    for (const protocol of protocols) assert.equal(await upgrade(scene, protocol), undefined);
  });
  await withGateway(world, recipe, { http2: true, websocketPath: livePath }, expectNoConnect);
  return protocols.length + 1;
}

/** A websocket over HTTP/2 is an extended CONNECT (RFC 8441), which HAProxy turns into an upgrade. */
async function expectNoConnect({ world, gateway }: Scene): Promise<void> {
  const session = connect(`http://127.0.0.1:${gateway.port}`);
  session.on('error', () => {});
  const before = world.upstream.reached.length;
  const stream = session.request({
    ...{ ':method': 'CONNECT', ':protocol': 'websocket', ':scheme': 'http', ':authority': 'rig' },
    ...{ ':path': livePath, 'sec-websocket-version': '13' },
    authorization: `Bearer ${await world.service.tokenOf('carl')}`,
  });
  // Caddy ends the session.
  stream.on('error', () => {});
  await Promise.race([once(stream, 'response'), once(stream, 'close')]).catch(() => {});
  session.destroy();
  assert.equal(world.upstream.reached.length, before, 'requests that reached the service');
}

async function expectNoHeldBody(world: World, recipe: Recipe): Promise<number> {
  const questions = await listenToQuestions(world);
  try {
    await withGateway(world, recipe, { decisionPort: questions.port }, async (scene) => {
      for (const framing of framings) assert.equal(await holdBody(scene, framing, questions), undefined);
    });
    await withGateway(world, recipe, { http2: true }, expectNoHeldStream);
  } finally {
    questions.close();
  }
  return framings.length + 2;
}

/** Over HTTP/2, where a body needs no length: half of it, the end of the session, and the rest. */
async function expectNoHeldStream({ world, gateway }: Scene): Promise<void> {
  const session = connect(`http://127.0.0.1:${gateway.port}`);
  session.on('error', () => {});
  try {
    for (const length of [{ 'content-length': 10 }, {}]) {
      const token = await logInAsCarl(world);
      const before = world.upstream.reached.length;
      const authorization = `Bearer ${token}`;
      const stream = session.request({
        ...{ ':method': 'POST', ':path': '/api/v1/orders', authorization },
        ...length,
      });
      stream.on('error', () => {}).write('12345');
      await setTimeout(500);
      await logOut(world, token);
      stream.end('67890');
      for await (const _part of stream);
      assert.equal(world.upstream.reached.length, before, 'requests that reached the service');
    }
  } finally {
    session.destroy();
  }
}

/** Below this every recipe takes a body, above the other none does. */
const [small, large] = [250_000, 1_100_000];
/** How long one may take; a machine that stands still for seconds would be taken for a slow client. */
const bodySeconds = judgesTimes ? 1 : 5;

async function expectBounds(world: World, recipe: Recipe): Promise<number> {
  await withGateway(world, recipe, { bodySeconds }, async (scene) => {
    const { gateway } = scene;
    const item = { item: 'x'.repeat(small) };
    await expectAllowed(
      scene,
      await bearer(scene, 'carl', { method: 'POST', path: '/api/v1/orders', body: item }),
      'carl',
    );
    const before = world.upstream.reached.length;
    const head = `POST /api/v1/orders HTTP/1.1\r\nHost: rig\r\nAuthorization: Bearer ${await world.service.tokenOf('carl')}\r\n`;
    const tooLarge = `${head}Content-Length: ${large}\r\n\r\n${'x'.repeat(large)}`;
    assert.equal((await sendRaw(gateway.port, tooLarge)).status, 413);
    const tooSlow = await sendRaw(gateway.port, `${head}Content-Length: 10\r\n\r\n12345`);
    assert.ok([0, 400, 408].includes(tooSlow.status), `a slow body is answered ${tooSlow.status}`);
    assert.equal(world.upstream.reached.length, before, 'requests that reached the service');
    const chunked = await sendRaw(
      gateway.port,
      `${head}Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n0\r\n\r\n`,
    );
    // Whole, or not at all.
    const [reached] = world.upstream.reached.slice(before);
    assert.equal(chunked.status, recipe.name === 'nginx' ? 200 : 411);
    assert.equal(reached?.body, recipe.name === 'nginx' ? '12345' : undefined);
  });
  return 4;
}

async function expectWebsocket(world: World, recipe: Recipe): Promise<number> {
  const path = livePath;
  await withGateway(world, recipe, { websocketPath: path }, async (scene) => {
    for (const protocol of protocols) assert.equal(await upgrade(scene, protocol), undefined);
    const ask = async (protocol: (typeof protocols)[number], token: string) => {
      const { socket, head } = await askForUpgrade(scene, { token, path, protocol });
      return { socket, status: Number(head.split(' ')[1]), head };
    };
    const token = await logInAsCarl(world);
    for (const protocol of ['h2c', 'anything'] as const) {
      const { socket, status } = await ask(protocol, token);
      socket.destroy();
      assert.equal(status, 200, `${protocol} on the path of the websocket`);
    }
    const { socket, status } = await ask('websocket', token);
    try {
      assert.equal(status, 101);
      const reached = world.upstream.reached.at(-1);
      assert.ok(reached);
      expectIdentity(reached, 'carl');
      expectNoToken(reached);
      await logOut(world, token);
      // As the page says: an open connection stays open, and a new one is checked.
      socket.write(`still-here-${gatewayName(scene)}`);
      await world.upstream.waitForTunnelled(new RegExp(`still-here-${gatewayName(scene)}`));
    } finally {
      socket.destroy();
    }
    const late = await ask('websocket', token);
    late.socket.destroy();
    assert.match(late.head, /^HTTP\/1\.1 200 [\s\S]*token_revoked/);
  });
  return protocols.length + 5;
}

const gatewayName = ({ gateway }: Scene) => gateway.name;
