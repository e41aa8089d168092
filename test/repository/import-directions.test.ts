// Holds which package and which folder may import which, as ARCHITECTURE.md draws it. It reads the import lines, so it
// needs no tool.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

interface Allowed {
  readonly ours: readonly string[];
  readonly shows?: readonly string[];
  readonly others?: RegExp;
}

/** What a package may import beside Node and itself: our packages by their names, and others where they are counted. */
const packages: Readonly<Record<string, Allowed>> = {
  policy: { ours: [], others: /^$/ },
  captcha: { ours: [], others: /^node:/ },
  contract: { ours: [], others: /^typebox(\/|$)/ },
  gate: { ours: ['contract', 'policy'] },
  client: { ours: ['contract'] },
  guard: { ours: ['contract', 'gate'] },
  // It imports no guard: it shows a program that does.
  console: { ours: ['client', 'policy'], shows: ['guard'], others: /^(?!node:)/ },
  server: { ours: ['captcha', 'console', 'contract', 'gate', 'policy'] },
  operator: { ours: ['client', 'contract', 'gate', 'policy', 'server'] },
  portcullis: { ours: [] },
  // What is installed before anything is.
  'create-portcullis': { ours: [], others: /^node:/ },
};

interface Layers {
  /** A folder may import itself and the folders of later rows. Folders of one row do not know each other. */
  readonly rows: readonly (readonly string[])[];
  /** These folders use every folder, as root files do. No folder uses them. */
  readonly knowAll?: readonly string[];
  /** The root files that every folder may import. */
  readonly root?: readonly string[];
  /** The layers inside a folder. */
  readonly inside?: Readonly<Record<string, Layers>>;
}

const layersOf: Readonly<Record<string, Layers>> = {
  server: {
    rows: [['sign-in', 'permissions'], ['people'], ['logs', 'http'], ['cluster'], ['base']],
    knowAll: ['compose'],
    inside: {
      'sign-in': { rows: [['providers', 'service-accounts'], ['mfa'], ['sessions'], ['login', 'keys']] },
      permissions: { rows: [['requests', 'decision-api'], ['explain'], ['rules', 'catalog', 'exclusions']] },
      people: {
        rows: [
          ['activity', 'erasure', 'go-admin', 'mail', 'webhooks'],
          ['own'],
          ['users', 'departments'],
          ['roles', 'passwords'],
        ],
        root: ['check-name.ts', 'check-revision.ts'],
      },
      logs: { rows: [['evidence'], ['login-log', 'audit']] },
      cluster: { rows: [['store']] },
      base: { rows: [['jobs'], ['settings'], ['ops', 'secrets', 'limit', 'outbound'], ['values']] },
    },
  },
  operator: {
    rows: [['cli'], ['doctor', 'demo', 'go-admin'], ['terminal']],
    root: ['compose-operator.ts'],
  },
  gate: {
    rows: [['checks'], ['relay'], ['member'], ['request'], ['token'], ['access']],
    root: ['compile-schema.ts', 'bounded-map.ts'],
  },
};
const mostModules = 9;
const mostArrows = 45;
const mostAtRoot = 3;
const mostBesideEachOther = 20;
const mostLines = 300;
/** Of the median file: more small files, or fewer long ones, are harder to find a way through. */
const medianLines = { least: 40, most: 150 };
/** Tables: a line for each setting, column or error. `compose/` is the list of all parts. */
const longTables = [
  'packages/server/src/base/settings/schema.ts',
  'packages/server/src/cluster/store/tables.ts',
  'packages/contract/src/errors/error-table.ts',
];

interface Import {
  readonly file: string;
  /** A file of ours as its path, anything else as it was written. */
  readonly target: string;
}

const files = globSync('packages/*/src/**/*.{ts,vue}');
const known = new Set(files);
const importLine = /(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g;
const packageOf = (path: string) => /^packages\/([^/]+)\//.exec(path)?.[1] ?? '';

function targetOf(file: string, written: string): string {
  if (written.startsWith('.')) return join(dirname(file), written);
  const [, name = '', path = 'index.ts'] = /^@portcullis\/([a-z]+)(?:\/(.+))?$/.exec(written) ?? [];
  const target = `packages/${name}/src/${path}`;
  return known.has(target) ? target : written;
}

const imports: Import[] = files.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(importLine)].map(([, written = '']) => ({
    file,
    target: targetOf(file, written),
  })),
);

function problemOf({ file, target }: Import): string | undefined {
  const from = packageOf(file);
  const isFile = /^(packages|test|bench|scripts)\//.test(target);
  if (isFile && /(^|\/)test\//.test(target))
    return 'A source never imports test/: move what it needs to src/.';
  if (target === `packages/${from}/package.json`) return undefined;
  if (isFile && packageOf(target) === from) return problemOfFolders(from, file, target);
  return problemOfPackages(from, file, target);
}

function problemOfPackages(from: string, file: string, target: string): string | undefined {
  const allowed = packages[from];
  if (allowed === undefined) return `Give packages/${from} its row in \`packages\`.`;
  const to = packageOf(target) || /^@portcullis\/([a-z]+)/.exec(target)?.[1];
  if (to !== undefined && to !== '')
    return [...allowed.ours, ...(allowed.shows ?? [])].includes(to)
      ? undefined
      : `${from} may not import ${to}: pass in what it needs.`;
  if (allowed.others?.test(target) === false) return `${from} imports nothing of the kind: pass it in.`;
  if (
    /^(kysely|pg)(\/|$)/.test(target) &&
    /^(server|operator)$/.test(from) &&
    // The driver itself says what it makes of a database URL.
    !/\/store\/|-store\.ts$|\/lint-transport\.ts$/.test(file)
  )
    return 'Move the SQL to a *-store.ts.';
  return undefined;
}

const settings = 'packages/server/src/base/settings/';

function problemOfFolders(name: string, file: string, target: string): string | undefined {
  if (target.startsWith(settings) && !file.startsWith(settings) && !target.endsWith('/config.ts'))
    return 'Only config.ts reads settings: take the value from Config, passed in by compose/.';
  const layers = layersOf[name];
  return layers === undefined ? undefined : problemOfLayers(layers, `packages/${name}/src/`, file, target);
}

/** Looks at one level, and at the level below where both files are in the same folder. */
function problemOfLayers(layers: Layers, under: string, file: string, target: string): string | undefined {
  const [from, to] = [folderOf(under, file), folderOf(under, target)];
  if (from === undefined || layers.knowAll?.includes(from)) return undefined;
  if (from === to) {
    const inside = layers.inside?.[from];
    return inside === undefined ? undefined : problemOfLayers(inside, `${under}${from}/`, file, target);
  }
  if (to === undefined)
    return layers.root?.some((root) => target === `${under}${root}`)
      ? undefined
      : `A folder of ${under} imports no file beside it: let compose/ pass in what it needs.`;
  const rowOf = (folder: string) => layers.rows.findIndex((row) => row.includes(folder));
  if (rowOf(from) !== -1 && rowOf(to) > rowOf(from)) return undefined;
  return `${under}: ${from}/ may not import ${to}/: let compose/ pass in what it needs.`;
}

/** The folder directly below `under` that holds the file; undefined for a file directly in `under` or outside. */
function folderOf(under: string, path: string): string | undefined {
  return path.startsWith(under) ? /^([^/]+)\//.exec(path.slice(under.length))?.[1] : undefined;
}

it('imports follow one direction', () => {
  expect(imports.length).toBeGreaterThan(1000);
  const problems = imports.flatMap((found) => {
    const problem = problemOf(found);
    return problem === undefined ? [] : [`${found.file} imports ${found.target}. ${problem}`];
  });
  expect(problems, problems.join('\n')).toEqual([]);
});

it('no import cycle exists', () => {
  const targets = Map.groupBy(imports, ({ file }) => file);
  const done = new Set<string>();
  const circles: string[] = [];
  function follow(file: string, way: readonly string[]): void {
    if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(' -> '));
    if (done.has(file) || way.includes(file)) return;
    for (const { target } of targets.get(file) ?? []) follow(target, [...way, file]);
    done.add(file);
  }
  for (const file of files) follow(file, []);
  expect(circles, circles.join('\n')).toEqual([]);
});

it('every folder has its row in this test', () => {
  const missing = Object.entries(layersOf).flatMap(([name, layers]) =>
    foldersWithoutRow(layers, `packages/${name}/src/`),
  );
  expect(missing, 'Add the folder to `layersOf` above, where its imports allow it.').toEqual([]);
});

function foldersWithoutRow({ rows, knowAll = [], inside = {} }: Layers, under: string): string[] {
  const folders = new Set(
    files.map((file) => folderOf(under, file)).filter((folder) => folder !== undefined),
  );
  const placed = new Set([...rows.flat(), ...knowAll]);
  return [
    ...[...folders].filter((folder) => !placed.has(folder)).map((folder) => `${under}${folder}`),
    ...[...placed].filter((folder) => !folders.has(folder)).map((folder) => `${under}${folder}`),
    ...Object.entries(inside).flatMap(([folder, layers]) => foldersWithoutRow(layers, `${under}${folder}/`)),
  ];
}

it('the server has at most nine modules, few arrows between them and few files at its root', () => {
  const server = 'packages/server/src/';
  const modules = new Set(
    files.map((file) => folderOf(server, file)).filter((folder) => folder !== undefined),
  );
  expect(modules.size).toBeLessThanOrEqual(mostModules);
  const arrows = new Set(
    imports
      .map(({ file, target }) => [folderOf(server, file), folderOf(server, target)])
      .filter(([from, to]) => from !== undefined && to !== undefined && from !== to)
      .map((ends) => ends.join(' -> ')),
  );
  expect(arrows.size).toBeGreaterThan(15);
  expect(arrows.size).toBeLessThanOrEqual(mostArrows);
  const atRoot = files.filter((file) => dirname(file) === 'packages/server/src');
  expect(atRoot.length).toBeLessThanOrEqual(mostAtRoot);
});

it('no source file of the server is longer than 300 lines, and the median is between 40 and 150', () => {
  const ofServer = files.filter((file) => file.startsWith('packages/server/src/'));
  const lengths = ofServer.map((file) => ({
    file,
    lines: readFileSync(file, 'utf8').split('\n').length - 1,
  }));
  const long = lengths.filter(
    ({ file, lines }) =>
      lines > mostLines && !longTables.includes(file) && !file.startsWith('packages/server/src/compose/'),
  );
  expect(long, 'Split the file by what its parts do.').toEqual([]);
  const median = lengths.map(({ lines }) => lines).sort((a, b) => a - b)[Math.floor(lengths.length / 2)] ?? 0;
  expect(median).toBeGreaterThanOrEqual(medianLines.least);
  expect(median).toBeLessThanOrEqual(medianLines.most);
});

it('only the entry of a package merely re-exports', () => {
  const isBarrel = (text: string) =>
    /^export\b/m.test(text) &&
    text
      .replace(/^\s*(\/\/.*|\/?\*.*)$/gm, '')
      .replace(/^export (\*|type \{|\{)[^;]*\bfrom\b[^;]*;$/gm, '')
      .trim() === '';
  const barrels = files.filter((file) => isBarrel(readFileSync(file, 'utf8')));
  expect(barrels.length).toBeGreaterThan(3);
  expect(
    barrels.filter((file) => !/^packages\/[^/]+\/src\/(index|machine)\.ts$/.test(file)),
    'Import from the file that has it.',
  ).toEqual([]);
});

it('no folder is longer than a screen', () => {
  const counts = Map.groupBy(
    // The console's pages are to be rebuilt.
    files.filter((file) => packageOf(file) !== 'console'),
    dirname,
  );
  const long = [...counts].filter(([, beside]) => beside.length > mostBesideEachOther);
  expect(
    long.map(([folder, beside]) => `${folder}: ${beside.length}`),
    'Split the folder by what its files are about.',
  ).toEqual([]);
});

it('only the engine’s users import it', () => {
  const strangers = imports.filter(
    ({ file, target }) =>
      /^packages\/policy\//.test(target) &&
      // Beside those who decide: who reads rules from a file.
      !/^packages\/(policy|gate|server\/src\/(permissions\/(explain|rules|catalog)|base\/values)|operator\/src\/(go-admin|cli\/commands\/rules)|console\/src\/pages\/matrix)\//.test(
        file,
      ),
  );
  expect(strangers, 'Ask permissions/ instead.').toEqual([]);
});

it('only config.ts and settings/ read the environment', () => {
  const readers = files.filter((file) => {
    const text = readFileSync(file, 'utf8');
    return /\bprocess\s*(\.|\?\.|\[\s*['"])\s*env\b|\benv\b[^\n]*from 'node:process'/.test(text);
  });
  // The console has no environment; it only shows commands.
  const strangers = readers.filter(
    (file) => !/server\/src\/base\/settings\/|^packages\/console\//.test(file),
  );
  expect(strangers, 'Make it a setting, and take it from Config.').toEqual([]);
});
