// A gateway that asks wrongly, or that gets an answer that is no decision: no request passes.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { bearer, orders, testItself } from './decision-cases.ts';
import { expectRefused, expectUnavailable, type Scene } from './expect.ts';
import { type GatewayOptions, type Recipe, startGateway } from './gateway.ts';
import { naiveNginx } from './recipes.ts';
import type { World } from './world.ts';

/** A case that starts separate gateways. */
export interface MistakeCase {
  readonly title: string;
  readonly run: (world: World, recipe: Recipe) => Promise<number>;
}

export const mistakeCases: readonly MistakeCase[] = [
  { title: 'refuses with a wrong secret', run: askWithWrongSecret },
  { title: 'refuses where it asks the public listener', run: askPublicListener },
  { title: 'refuses by every answer that is no decision', run: hearNonsense },
];

/** With the token of an administrator, who can call everything. */
async function expectShut(world: World, recipe: Recipe, options: Partial<GatewayOptions>): Promise<void> {
  await withGateway(world, recipe, options, async (scene) => {
    await expectUnavailable(scene, await bearer(scene, 'ada', orders));
    await expectUnavailable(scene, await bearer(scene, 'gina', orders));
    await expectUnavailable(scene, { ...orders, headers: { 'X-Portcullis-User-Id': '1' } });
  });
}

export async function withGateway(
  world: World,
  recipe: Recipe,
  options: Partial<GatewayOptions>,
  work: (scene: Scene) => Promise<void>,
): Promise<void> {
  const { secret, decisionPort, upstream } = world;
  const usual = { secret, decisionPort, upstreamPort: upstream.port };
  const gateway = await startGateway(recipe, { ...usual, ...options });
  try {
    await work({ world, gateway });
  } finally {
    await gateway.stop();
  }
}

async function askWithWrongSecret(world: World, recipe: Recipe): Promise<number> {
  for (const secret of ['wrong', `${world.secret}x`]) await expectShut(world, recipe, { secret });
  return 6;
}

async function askPublicListener(world: World, recipe: Recipe): Promise<number> {
  for (const decisionPath of ['/forward-auth', '/api/v1/getinfo', '/api/v1/user/profile'])
    await expectShut(world, recipe, { decisionPort: world.publicPort, decisionPath });
  return 9;
}

const nonsense = [
  'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 204 No Content\r\n\r\n',
  'HTTP/1.1 200 OK\r\nX-Portcullis-User-Id:\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nX-Portcullis-User-Id: nobody\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nX-Portcullis-Status: 503\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nX-Portcullis-Username: ada\r\nX-Portcullis-Role-Key: admin\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 403 Forbidden\r\nX-Portcullis-User-Id: 1\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 500 Internal Server Error\r\nX-Portcullis-User-Id: 1\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nX-Portcullis-User-Id: 1',
  'SSH-2.0-OpenSSH_9.2\r\n\r\n',
  '\0\0\0\0',
  '',
];

/** A listener that says each of these in turn and then hangs up. */
async function hearNonsense(world: World, recipe: Recipe): Promise<number> {
  let answer = '';
  const server = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.end(answer, 'latin1'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: decisionPort } = server.address() as AddressInfo;
  try {
    await withGateway(world, recipe, { decisionPort }, async (scene) => {
      const request = await bearer(scene, 'ada', orders);
      for (answer of nonsense)
        await expectUnavailable(scene, request).catch((error: unknown) => {
          throw new Error(`Answered ${JSON.stringify(answer)}: ${error}`);
        });
    });
  } finally {
    server.close();
  }
  return nonsense.length;
}

/** The trap is real, and this suite sees it: what the recipes are there to prevent gets through a naive gateway. */
export async function expectNaiveToFail(world: World): Promise<number> {
  const options = { decisionPort: world.publicPort, decisionPath: '/api/v1/getinfo' };
  await withGateway(world, naiveNginx, options, async (scene) => {
    await assert.rejects(expectRefused(scene, orders, 'token_missing'), /requests that reached the service/);
    await assert.rejects(testItself(scene), /open door/);
  });
  return 2;
}
