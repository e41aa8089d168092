// The published package lists the dependencies that the bundled packages import, and contains the files that it names.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { command, entries } from '../src/bundle.ts';

interface Manifest {
  readonly version: string;
  readonly dependencies: Record<string, string>;
  readonly peerDependencies: Record<string, string>;
  readonly peerDependenciesMeta: object;
  readonly engines: object;
  readonly scripts?: Record<string, string>;
  readonly bin: Record<string, string>;
  readonly exports: Record<string, { readonly types: string; readonly default: string }>;
}

function read(folder: string): Manifest {
  return JSON.parse(
    readFileSync(new URL(`../../${folder}/package.json`, import.meta.url), 'utf8'),
  ) as Manifest;
}

const published = read('portcullis');
const bundled = ['contract', 'policy', 'gate', 'captcha', 'server', 'operator'].map(read);
const operator = read('operator');

it('runs no script where it is installed', () => {
  const scripts = Object.keys(published.scripts ?? {});
  expect(scripts.filter((name) => /^(pre|post)?install$|^prepare$/.test(name))).toEqual([]);
});

it('has the dependencies of the bundled packages, in their versions', () => {
  const wanted = Object.assign({}, ...bundled.map(({ dependencies = {} }) => dependencies)) as object;
  const others = Object.entries(wanted).filter(([name]) => !name.startsWith('@portcullis/'));
  expect(published.dependencies).toEqual(Object.fromEntries(others));
});

it('asks for the same peers and the same Node as the command line, and has its version', () => {
  expect(published.peerDependencies).toEqual(operator.peerDependencies);
  expect(published.peerDependenciesMeta).toEqual(operator.peerDependenciesMeta);
  expect(published.engines).toEqual(operator.engines);
  expect(published.version).toBe(operator.version);
});

it('names only files that are built', () => {
  const files = [
    ...Object.values(published.bin),
    ...Object.values(published.exports).map((one) => one.default),
  ];
  const built = [command, ...Object.keys(entries)].map((name) => `dist/${name}.js`);
  expect(files.map((file) => file.replace(/^\.\//, '')).filter((file) => !built.includes(file))).toEqual([]);
});
