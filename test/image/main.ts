// Builds the image of deploy/docker and runs it, as root on Debian: `npm run image-test`, with more kills `-- --kills 40`. There is
// no Docker here: buildah builds and starts it, on images made from Debian's packages.
import { parseArgs } from 'node:util';
import type { Case } from '../operate/case.ts';
import { closeSuite, collectNotes } from '../rig/notes.ts';
import { makeBaseImages } from './base-images.ts';
import { buildImage } from './build-image.ts';
import { openBuildah } from './buildah.ts';
import { createContainer } from './container.ts';
import { readContents } from './contents.ts';
import { imageCases } from './image-cases.ts';
import { killCase } from './kill-cases.ts';

collectNotes();

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const [kills, seed] = [Number(values.kills), Number(values.seed)];
if (!Number.isSafeInteger(kills) || kills < 1 || !Number.isSafeInteger(seed)) {
  console.error('Give --kills and --seed as whole numbers.');
  process.exit(2);
}

let passed = 0;
let failed = 0;
const secondsSince = (startedAt: number) => ((performance.now() - startedAt) / 1000).toFixed(1);

async function timed<T>(title: string, work: Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work;
  console.log(`ok     ${title} (${secondsSince(startedAt)} s)`);
  return result;
}

async function judge({ title, run }: Case): Promise<void> {
  const startedAt = performance.now();
  try {
    await run();
    passed += 1;
    console.log(`ok     ${title} (${secondsSince(startedAt)} s)`);
  } catch (error) {
    failed += 1;
    console.error(`FAILED ${title}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

console.log(`seed ${seed}`);
await using left = new AsyncDisposableStack();
const buildah = await openBuildah();
left.defer(() => buildah.remove());
const bases = await timed('the base images are made', makeBaseImages(buildah));
const image = await timed('the image is built', buildImage(buildah, bases));
const container = await createContainer(buildah, image);
left.defer(() => container.remove());
for (const each of imageCases({ image, container })) await judge(each);
await judge(killCase({ image, container }, kills, seed));
const { sizes, debian, npm } = await readContents(container.root);
for (const [part, size] of Object.entries(sizes)) console.log(`${String(size).padStart(5)} MB  ${part}`);
console.log(`${debian.length} packages of Debian: ${debian.join(', ')}`);
console.log(`${npm.length} npm packages: ${npm.join(', ')}`);
closeSuite({ passed, failed });
