// Portcullis slow, down and up again, with all gateways at once: each refuses meanwhile and serves again afterwards.
import { bearer, orders } from './decision-cases.ts';
import { expectAllowed, expectUnavailable, type Scene } from './expect.ts';
import { eventually, type World } from './world.ts';

export interface OutageCase {
  readonly title: string;
  readonly run: (world: World, scenes: readonly Scene[]) => Promise<number>;
}

export const outageCases: readonly OutageCase[] = [
  { title: 'refuses while Portcullis does not answer', run: pause },
  { title: 'refuses while Portcullis is down', run: kill },
];

async function pause({ server }: World, scenes: readonly Scene[]): Promise<number> {
  await expectOpen(scenes);
  server.process.signal('SIGSTOP');
  try {
    for (const scene of scenes) await expectShut(scene);
  } finally {
    server.process.signal('SIGCONT');
  }
  await expectOpen(scenes);
  return scenes.length * 4;
}

async function kill(world: World, scenes: readonly Scene[]): Promise<number> {
  await expectOpen(scenes);
  await world.kill();
  for (const scene of scenes) await expectShut(scene);
  await world.restart();
  await expectOpen(scenes);
  return scenes.length * 4;
}

async function expectShut(scene: Scene): Promise<void> {
  await expectUnavailable(scene, await bearer(scene, 'ada', orders));
  await expectUnavailable(scene, { ...orders, headers: { 'X-Portcullis-User-Id': '1' } });
}

async function expectOpen(scenes: readonly Scene[]): Promise<void> {
  for (const scene of scenes)
    await eventually(async () => expectAllowed(scene, await bearer(scene, 'ada', orders), 'ada'));
}
