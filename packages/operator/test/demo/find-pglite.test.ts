import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fetchOnce, findPglite, pglite } from '../../src/demo/find-pglite.ts';

const read = (file: string) => JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'));
let cache: string;
beforeAll(async () => {
  cache = await mkdtemp(join(tmpdir(), 'portcullis-pglite-'));
});
afterAll(() => rm(cache, { recursive: true, force: true }));

it('fetches the version and the content that the lock file has', () => {
  const locked = read('../../../../package-lock.json').packages['node_modules/@electric-sql/pglite'];
  expect(pglite).toEqual({ version: locked.version, integrity: locked.integrity });
  for (const folder of ['operator', 'portcullis'])
    expect(read(`../../../${folder}/package.json`).peerDependencies['@electric-sql/pglite']).toBe(
      pglite.version,
    );
});

it('takes the one that is installed, and says nothing', async () => {
  const lines: string[] = [];
  const found = await findPglite((line) => lines.push(line), cache);
  expect([found, lines]).toEqual([import.meta.resolve('@electric-sql/pglite'), []]);
});

it('leaves nothing half done where it cannot be fetched, and says what to do', async () => {
  const path = process.env.PATH;
  process.env.PATH = cache;
  try {
    await expect(fetchOnce(() => {}, join(cache, 'pglite'))).rejects.toThrow(
      /npm could not fetch it: .*\n.*npm install @electric-sql\/pglite@/,
    );
  } finally {
    process.env.PATH = path;
  }
  expect(await readdir(cache)).toEqual([]);
});
