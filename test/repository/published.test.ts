// Four packages are published, as they were built; nothing else can be.
import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
}

const manifests = ['package.json', ...globSync('{packages/*,bench,examples,docs}/package.json')].map(
  (file) => ({ file, manifest: JSON.parse(readFileSync(file, 'utf8')) as Manifest }),
);

it('a folder with sources cannot be published: only `portcullis` names built files', () => {
  const open = manifests.filter(({ manifest }) => manifest.private !== true);
  expect(open.map(({ manifest }) => manifest.name)).toEqual(['portcullis']);
});

it('what is published together has one version', () => {
  const versions = manifests.flatMap(({ manifest }) => manifest.version ?? []);
  expect(new Set(versions).size).toBe(1);
});

it('a release publishes the four, those of sources from what was built of them', () => {
  const published = [
    ...readFileSync('.github/workflows/release.yml', 'utf8').matchAll(/npm publish (\S+)/g),
  ].map(([, folder]) => folder);
  // What a new project installs is there before what writes one.
  expect(published).toEqual([
    './packages/client/dist',
    './packages/guard/dist',
    './packages/portcullis',
    './packages/create-portcullis/dist',
  ]);
});

/** `portcullis/express` was a name once, and `@portcullis/client/express` never could be installed. */
const wrongNames =
  /@portcullis\/client\/(?!machine')[a-z]|(?<![@\w.-])portcullis\/(guard|express|fastify|koa|data-scope|client)\b(?!\/)/;

it('every document has the names that can be installed', () => {
  const pages = globSync('{*.md,docs/**/*.md,packages/*/README.md,examples/**/*.md,deploy/**/*.md}', {
    exclude: (name) => name === 'node_modules' || name === 'dist',
  }).filter((file) => file !== 'CHANGELOG.md');
  expect(pages.length).toBeGreaterThan(50);
  const wrong = pages.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => wrongNames.test(line.replaceAll(/https?:\S+/g, '')))
      .map((line) => `${file}: ${line}`),
  );
  expect(wrong, wrong.join('\n')).toEqual([]);
});
