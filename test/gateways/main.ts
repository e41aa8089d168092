// Real gateways with our recipes before a service that counts its requests: `npm run gateways`, or with more hostile
// targets `npm run gateways -- --targets 5000`. A name picks one gateway.
import { parseArgs } from 'node:util';
import { closeSuite, collectNotes } from '../rig/notes.ts';
import { decisionCases } from './decision-cases.ts';
import type { Scene } from './expect.ts';
import { type Gateway, type Recipe, startGateway } from './gateway.ts';
import { sendHostileTargets } from './hostile-case.ts';
import { speakHttp2 } from './http2-case.ts';
import { openRecipes } from './open-recipes.ts';
import { outageCases } from './outage-cases.ts';
import { passedOnCases } from './passed-on-cases.ts';
import { recipes } from './recipes.ts';
import { spoofingCases } from './spoofing-cases.ts';
import { expectOpen, wholeRequestCases } from './whole-request-cases.ts';
import { createWorld, type World } from './world.ts';
import { expectNaiveToFail, mistakeCases } from './wrong-answer-cases.ts';

collectNotes();

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { targets: { type: 'string', default: process.env.CI === 'true' ? '100' : '200' } },
});
const targets = Number(values.targets);
const chosen = recipes.filter(
  ({ name }) => positionals.length === 0 || positionals.includes(name.toLowerCase()),
);
if (!Number.isSafeInteger(targets) || targets < 1 || chosen.length === 0) {
  console.error(
    `Give a whole number, and names out of ${recipes.map(({ name }) => name.toLowerCase()).join(', ')}.`,
  );
  process.exit(2);
}

let passed = 0;
let failed = 0;
const world = await createWorld();
try {
  await runAll(world);
} finally {
  await world.stop();
}
closeSuite({ passed, failed });

async function runAll(behind: World): Promise<void> {
  const { secret, decisionPort, upstream } = behind;
  const gateways: Gateway[] = [];
  try {
    for (const recipe of chosen)
      gateways.push(await startGateway(recipe, { secret, decisionPort, upstreamPort: upstream.port }));
    const scenes: Scene[] = gateways.map((gateway) => ({ world: behind, gateway }));
    await judge('naive nginx', 'is the open door that these tests see', () => expectNaiveToFail(behind));
    for (const scene of scenes) await runCases(scene);
    for (const recipe of chosen) {
      await judge(recipe.name, 'does the same over HTTP/2', () => speakHttp2(behind, recipe));
      for (const { title, run } of [...wholeRequestCases, ...passedOnCases, ...mistakeCases])
        await judge(recipe.name, title, () => run(behind, recipe));
    }
    const isChosen = ({ name }: Recipe) => chosen.some((shipped) => name.endsWith(shipped.name));
    for (const recipe of openRecipes.filter(isChosen))
      await judge(recipe.name, 'is found open by the probes of whole requests', () =>
        expectOpen(behind, recipe),
      );
    for (const { title, run } of outageCases) await judge('each', title, () => run(behind, scenes));
  } finally {
    for (const gateway of gateways) await gateway.stop();
  }
}

async function runCases(scene: Scene): Promise<void> {
  const { name } = scene.gateway;
  for (const { title, run } of [...decisionCases, ...spoofingCases])
    await judge(name, title, () => run(scene));
  await judge(name, 'decides hostile targets as the reference does', () =>
    sendHostileTargets(scene, targets),
  );
}

/** Every checked request counts; a case that fails counts once. */
async function judge(name: string, title: string, run: () => Promise<number>): Promise<void> {
  try {
    const requests = await run();
    passed += requests;
    console.log(`ok     ${name}: ${title} (${requests})`);
  } catch (error) {
    failed += 1;
    console.error(`FAILED ${name}: ${title}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
