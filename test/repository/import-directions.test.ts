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

interface House {
  /** A room may import itself and the rooms of later rows; the rooms of one row do not know each other. */
  readonly rows: readonly (readonly string[])[];
  /** Rooms beside the rows: they import the last row alone, and only `knowAll` and root files import them. */
  readonly apart: readonly string[];
  /** They use every room, as root files do. No room uses them. */
  readonly knowAll: readonly string[];
  /** The root files that every room may import. */
  readonly root: readonly string[];
}

const houses: Readonly<Record<string, House>> = {
  server: {
    rows: [
      ['decision', 'go-admin'],
      ['http'],
      ['providers', 'service-accounts', 'erasure'],
      ['factors', 'events'],
      ['identity'],
      ['access-requests'],
      ['permission', 'activity', 'mail'],
      ['login', 'login-log', 'directory', 'rules', 'catalog'],
      ['audit'],
      ['cluster'],
      ['store'],
      ['values'],
    ],
    apart: ['settings', 'ops'],
    knowAll: ['compose'],
    root: ['start-refusal.ts'],
  },
  operator: {
    rows: [['cli'], ['doctor', 'demo', 'go-admin'], ['terminal']],
    apart: [],
    knowAll: [],
    root: ['compose-operator.ts'],
  },
  gate: {
    rows: [['checks'], ['relay'], ['member'], ['request'], ['token'], ['access']],
    apart: [],
    knowAll: [],
    root: ['compile-schema.ts', 'bounded-map.ts'],
  },
};
const mostAtRoot = 5;
const mostBesideEachOther = 20;

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
  if (isFile && packageOf(target) === from) return problemOfRooms(from, file, target);
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
    !/\/store\/|-store\.ts$/.test(file)
  )
    return 'Move the SQL to a *-store.ts.';
  return undefined;
}

function problemOfRooms(name: string, file: string, target: string): string | undefined {
  const house = houses[name];
  if (house === undefined) return undefined;
  const [from, to] = [roomOf(file), roomOf(target)];
  if (to === 'settings' && from !== 'settings' && file !== 'packages/server/src/config.ts')
    return 'Only config.ts reads settings: take the value from Config, passed in by compose/.';
  if (from === undefined || house.knowAll.includes(from) || from === to) return undefined;
  if (to === undefined)
    return house.root.some((root) => target === `packages/${name}/src/${root}`)
      ? undefined
      : 'A room imports no root file: let compose/ pass in what it needs.';
  const rowOf = (room: string) => house.rows.findIndex((row) => row.includes(room));
  const isDown = house.apart.includes(from)
    ? house.rows.at(-1)?.includes(to)
    : rowOf(from) !== -1 && rowOf(to) > rowOf(from);
  if (isDown) return undefined;
  return `${from}/ may not import ${to}/: let compose/ pass in what it needs.`;
}

function roomOf(path: string): string | undefined {
  return /^packages\/[^/]+\/src\/([^/]+)\//.exec(path)?.[1];
}

it('imports go one way', () => {
  expect(imports.length).toBeGreaterThan(1000);
  const problems = imports.flatMap((found) => {
    const problem = problemOf(found);
    return problem === undefined ? [] : [`${found.file} imports ${found.target}. ${problem}`];
  });
  expect(problems, problems.join('\n')).toEqual([]);
});

it('no import leads back to the file that it starts from', () => {
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

it('every folder has its place in this test', () => {
  const unplaced = files.filter((file) => {
    const house = houses[packageOf(file)];
    const room = roomOf(file);
    if (house === undefined || room === undefined) return false;
    return ![...house.rows.flat(), ...house.apart, ...house.knowAll].includes(room);
  });
  expect(unplaced, 'Add the folder to `houses` above, where its imports allow it.').toEqual([]);
});

it('the server has few files at its root, and no folder is longer than a screen', () => {
  const counts = Map.groupBy(
    // The console's pages are to be rebuilt.
    files.filter((file) => packageOf(file) !== 'console'),
    dirname,
  );
  expect(counts.get('packages/server/src')?.length).toBeLessThanOrEqual(mostAtRoot);
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
      !/^packages\/(policy|gate|server\/src\/(permission|rules|catalog|values)|operator\/src\/(go-admin|cli\/commands\/rules)|console\/src\/pages\/matrix)\//.test(
        file,
      ),
  );
  expect(strangers, 'Ask permission/ instead.').toEqual([]);
});

it('only config.ts and settings/ read the environment', () => {
  const readers = files.filter((file) => {
    const text = readFileSync(file, 'utf8');
    return /\bprocess\s*(\.|\?\.|\[\s*['"])\s*env\b|\benv\b[^\n]*from 'node:process'/.test(text);
  });
  // The console has no environment; it only shows commands.
  const strangers = readers.filter(
    (file) => !/server\/src\/(config\.ts|settings\/)|^packages\/console\//.test(file),
  );
  expect(strangers, 'Make it a setting, and take it from Config.').toEqual([]);
});
