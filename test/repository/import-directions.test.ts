// Holds which folder may import which, as ARCHITECTURE.md draws it. It reads the import lines, so it needs no tool.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

/** A room may import itself and the rooms of later rows; the rooms of one row do not know each other. */
const rows = [
  ['decision', 'go-admin'],
  ['http'],
  ['identity'],
  ['permission'],
  ['login', 'login-log', 'directory', 'rules', 'catalog'],
  ['audit'],
  ['cluster'],
  ['store'],
];
/** Rooms beside the rows: they import no other room, and only root files import them. */
const apart = ['settings', 'ops'];
/** They use every room, as root files do. */
const knowAll = ['cli', 'demo', 'doctor'];
const server = 'packages/server/src/';
const importLine = /(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g;

interface Import {
  readonly file: string;
  readonly target: string;
}

const files = globSync('packages/*/src/**/*.{ts,vue}');
const imports: Import[] = files.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(importLine)].map(([, target = '']) => ({
    file,
    target: target.startsWith('.') ? join(dirname(file), target) : target,
  })),
);

const rowOf = (room: string) => rows.findIndex((row) => row.includes(room));
const roomOf = (path: string) => /^packages\/server\/src\/([^/]+)\//.exec(path)?.[1];
const packageOf = (path: string) => /^packages\/[^/]+\//.exec(path)?.[0] ?? '';

function problemOf({ file, target }: Import): string | undefined {
  const from = packageOf(file);
  const isFile = /^(packages|test|bench|scripts)\//.test(target);
  if (isFile && packageOf(target) !== from) return 'Import another package by its name, and test/ never.';
  if (isFile && /(^|\/)test\//.test(target))
    return 'A source never imports test/: move what it needs to src/.';
  if (from === 'packages/policy/' && !isFile) return 'policy imports nothing: pass it in.';
  if (from === 'packages/contract/' && !isFile && !/^typebox(\/|$)/.test(target))
    return 'contract imports only typebox.';
  if (from === 'packages/console/' && /^(@portcullis\/(?!client\b)|node:)/.test(target))
    return 'The console runs in a browser and knows only @portcullis/client.';
  if (!file.startsWith(server)) return undefined;
  if (/^(kysely|pg)(\/|$)/.test(target) && !/\/store\/|-store\.ts$/.test(file))
    return 'Move the SQL to a *-store.ts.';
  return isFile ? problemOfRooms(file, target) : problemOfPackages(file, target);
}

function problemOfPackages(file: string, target: string): string | undefined {
  if (
    target !== '@portcullis/policy' ||
    ['permission', 'rules', 'catalog', 'go-admin'].includes(roomOf(file) ?? '')
  )
    return undefined;
  return 'Only permission, rules, catalog and go-admin use policy: ask permission/ instead.';
}

function problemOfRooms(file: string, target: string): string | undefined {
  const [from, to] = [roomOf(file), roomOf(target)];
  if (to === 'settings' && from !== 'settings' && file !== `${server}config.ts`)
    return 'Only config.ts reads settings: take the value from Config, passed in by app.ts.';
  if (from === undefined || knowAll.includes(from) || from === to || target === `${server}start-refusal.ts`)
    return undefined;
  if (to === undefined || to === 'cli')
    return 'A room imports no root file: let app.ts pass in what it needs.';
  const [fromRow, toRow] = [rowOf(from), rowOf(to)];
  if (fromRow !== -1 && toRow > fromRow) return undefined;
  return `${from}/ may not import ${to}/: let app.ts pass in what it needs.`;
}

it('imports go one way', () => {
  expect(imports.length).toBeGreaterThan(100);
  const problems = imports.flatMap((found) => {
    const problem = problemOf(found);
    return problem === undefined ? [] : [`${found.file} imports ${found.target}. ${problem}`];
  });
  expect(problems, problems.join('\n')).toEqual([]);
});

it('every folder of the server has its place in this test', () => {
  const rooms = new Set(files.map(roomOf).filter((room) => room !== undefined));
  const unplaced = [...rooms].filter((room) => rowOf(room) === -1 && ![...apart, ...knowAll].includes(room));
  expect(unplaced, 'Add the folder to `rows` above, where its imports allow it.').toEqual([]);
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
