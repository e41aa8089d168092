// The same over HTTP/2, which most browsers speak to a gateway: the target is a header there, and gateways keep it in
// another form.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { bodyOf, expectIdentity, expectNoToken, isSentAgain, type Scene } from './expect.ts';
import type { Recipe } from './gateway.ts';
import { upstreamAnswer } from './upstream.ts';
import type { World } from './world.ts';
import { withGateway } from './wrong-answer-cases.ts';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const unserved = [
  '/api/v1//orders',
  '/api/v1/x/../orders',
  '/api/v1/orders/%37',
  '/api/v1/orders;x',
  '//evil/api/v1/orders',
];
const malformed = ['http://evil/api/v1/orders', 'api/v1/orders', '*', '/api/v1/orders#x'];

export async function speakHttp2(world: World, recipe: Recipe): Promise<number> {
  await withGateway(world, recipe, { http2: true }, async (scene) => {
    const session = connect(`http://127.0.0.1:${scene.gateway.port}`);
    session.on('error', () => {});
    try {
      await judge(scene, session);
    } finally {
      session.destroy();
    }
  });
  return 7 + unserved.length + malformed.length;
}

async function judge({ world }: Scene, session: ClientHttp2Session): Promise<void> {
  const { service, upstream } = world;
  const token = await service.tokenOf('carl');
  const authorization = `Bearer ${token}`;
  const spoofed = {
    'x-portcullis-user-id': '1',
    x_portcullis_user_id: '1',
    x_http_method_override: 'DELETE',
  };
  const target = '/api/v1/orders?a=%2f;b';
  const before = upstream.reached.length;
  for (const headers of [{ authorization }, { authorization, ...spoofed }]) {
    const allowed = await ask(session, { ':path': target, ...headers });
    assert.equal(allowed.status, 200);
    assert.equal(allowed.text, upstreamAnswer);
  }
  const reached = upstream.reached.slice(before);
  assert.equal(reached.length, 2);
  for (const one of reached) {
    assert.equal(one.target, target);
    expectIdentity(one, 'carl');
  }

  // By the other carriers, as clients of HTTP/2 split cookies.
  const byQuery = await ask(session, { ':path': `/api/v1/orders?token=${token}&a=1` });
  const byCookie = await ask(session, { ':path': '/api/v1/orders?a=1', cookie: ['b=2', `jwt=${token}`] });
  for (const { status } of [byQuery, byCookie]) assert.equal(status, 200);
  const carried = upstream.reached.slice(before + 2);
  assert.deepEqual(
    carried.map((one) => one.target),
    ['/api/v1/orders?a=1', '/api/v1/orders?a=1'],
  );
  for (const one of carried) expectNoToken(one);

  const refused = await ask(session, { ':path': '/api/v1/reports/2024/05', authorization });
  assert.equal(refused.status, 200);
  assert.equal(refused.text, bodyOf('permission_denied'));
  assert.equal(refused.headers['x-auth-reason'], 'permission_denied');
  for (const headers of [{}, spoofed]) {
    const missing = await ask(session, { ':path': target, ...headers });
    assert.equal(missing.text, bodyOf('token_missing'));
  }
  for (const path of unserved) {
    const answer = await ask(session, { ':path': path, authorization });
    assert.equal(answer.status, 404, path);
    assert.equal(answer.text, bodyOf('route_not_found'));
  }
  for (const path of malformed) {
    const { status } = await ask(session, { ':path': path, authorization });
    assert.ok([0, 400, 404].includes(status), `${path} is answered with ${status}`);
  }
  assert.equal(upstream.reached.length, before + 4, 'requests that reached the service');
}

async function ask(session: ClientHttp2Session, headers: OutgoingHttpHeaders): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await askOnce(session, headers);
    // What reached the service all the same is counted in the end.
    if (!isSentAgain(tries, answer.status, [])) return answer;
  }
}

/** Status 0 where the gateway ends the stream without an answer. */
async function askOnce(session: ClientHttp2Session, headers: OutgoingHttpHeaders): Promise<Answer> {
  const stream = session.request(headers);
  let received: IncomingHttpHeaders & { ':status'?: number | undefined } = {};
  let text = '';
  stream
    .setEncoding('utf8')
    .on('response', (head) => {
      received = head;
    })
    .on('data', (part: string) => {
      text += part;
    })
    .on('error', () => {});
  await once(stream, 'close').catch(() => {});
  return { status: received[':status'] ?? 0, headers: received, text };
}
