// The service and the log get everything of an allowed request except the token.
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { carriers, present } from '../rig/carriers.ts';
import { expectNoToken, type Scene, send } from './expect.ts';
import type { Recipe } from './gateway.ts';
import { replay } from './whole-request-probes.ts';
import type { World } from './world.ts';
import { type MistakeCase, withGateway } from './wrong-answer-cases.ts';

export const passedOnCases: readonly MistakeCase[] = [
  { title: 'gives the service nothing that it could replay', run: expectNoReplay },
  { title: 'keeps the other cookies and parameters unchanged', run: expectOthersKept },
  { title: 'logs no token', run: expectSilentLog },
];

async function expectNoReplay(world: World, recipe: Recipe): Promise<number> {
  await withGateway(world, recipe, {}, async (scene) => {
    for (const carrier of carriers) assert.equal(await replay(scene, carrier), undefined);
    // Where one decides, the others go too.
    const token = await world.service.tokenOf('ada');
    const all = carriers.reduce((request, carrier) => present(token, carrier, request), {
      path: '/api/v1/orders?a=1',
    });
    const { reached } = await send(scene, all);
    const [first] = reached;
    assert.ok(first);
    assert.equal(first.target, '/api/v1/orders?a=1');
    expectNoToken(first);
    // A second one in the query: without any, or not at all.
    const { reached: twice } = await send(scene, present(token, 'query', all));
    for (const one of twice) expectNoToken(one);
    const cookies = { cookie: `jwt=${token}; jwt=${token};jwt=${token}; a=b` };
    const { reached: thrice } = await send(
      scene,
      present(token, 'header', { path: '/api/v1/orders', headers: cookies }),
    );
    assert.equal(thrice.length, 1);
    for (const one of thrice) expectNoToken(one);
  });
  return carriers.length + 3;
}

const kept = [
  ['a=1', 'a=1'],
  ['token=T&a=1', 'a=1'],
  ['a=1&token=T', 'a=1'],
  ['a=1&token=T&b=%2f;{c}&&d', 'a=1&b=%2f;{c}&&d'],
  ['xtoken=5&token=T&u=?token=6', 'xtoken=5&u=?token=6'],
  ['a={env.HOME}&token=T', 'a={env.HOME}'],
] as const;

async function expectOthersKept(world: World, recipe: Recipe): Promise<number> {
  await withGateway(world, recipe, {}, async (scene) => {
    const token = await world.service.tokenOf('carl');
    const headers = { authorization: `Bearer ${token}` };
    for (const [query, due] of kept) {
      const { reached } = await send(scene, {
        path: `/api/v1/orders?${query.replace('T', token)}`,
        ...(query.includes('T') ? {} : { headers }),
      });
      assert.equal(reached[0]?.target, `/api/v1/orders?${due}`);
    }
    const cookie = `a=b; jwt=${token}; xjwt=c; d=jwt=e`;
    const { reached } = await send(scene, { path: '/api/v1/orders', headers: { cookie } });
    const { rawHeaders = [] } = reached[0] ?? {};
    const got = rawHeaders[rawHeaders.findIndex((name) => /^cookie$/i.test(name)) + 1] ?? '';
    const pairs = got.split(/; */).filter((pair) => pair !== 'jwt=');
    assert.deepEqual(pairs, ['a=b', 'xjwt=c', 'd=jwt=e']);
  });
  return kept.length + 1;
}

async function expectSilentLog(world: World, recipe: Recipe): Promise<number> {
  await withGateway(world, recipe, {}, async (scene) => {
    const token = await world.service.tokenOf('carl');
    const paths = ['/api/v1/orders', '/api/v1/reports/2024/05', '/api/v1//orders'];
    for (const path of paths)
      await send(scene, {
        ...present(token, 'query', { path: `${path}?a=1` }),
        headers: { referer: `http://rig/?token=${token}` },
      });
    const log = await untilLogged(scene, paths);
    assert.doesNotMatch(log, /eyJ|a=1/);
  });
  return 3;
}

async function untilLogged({ gateway }: Scene, paths: readonly string[]): Promise<string> {
  for (const until = performance.now() + 120_000; ; await setTimeout(20)) {
    const log = gateway.readLog();
    if (paths.every((path) => log.includes(path))) return log;
    assert.ok(performance.now() < until, `Not every path is in the log:\n${log}`);
  }
}
