import { readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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

describe('where npm fetches it', () => {
  const entry = 'node_modules/@electric-sql/pglite/dist/index.js';
  let own: string;
  const { PATH } = process.env;
  beforeEach(async () => {
    own = await mkdtemp(join(tmpdir(), 'portcullis-npm-'));
    const npm = `#!/bin/sh\nmkdir -p "$(dirname ${entry})" && cp package-lock.json ${entry}\n`;
    await writeFile(join(own, 'npm'), npm);
    await chmod(join(own, 'npm'), 0o755);
    process.env.PATH = `${own}:${PATH}`;
  });
  afterEach(async () => {
    process.env.PATH = PATH;
    await rm(own, { recursive: true, force: true });
  });

  it('it is there as the lock has it, and is not fetched again', async () => {
    const lines: string[] = [];
    const folder = join(own, 'cache', 'pglite');
    const found = await fetchOnce((line) => lines.push(line), folder);
    expect(found).toBe(pathToFileURL(join(folder, entry)).href);
    expect(readFileSync(join(folder, entry), 'utf8')).toContain(pglite.integrity);
    expect(await fetchOnce((line) => lines.push(line), folder)).toBe(found);
    expect(lines).toEqual([expect.stringMatching(/^Fetching PGlite /)]);
    expect(await readdir(join(own, 'cache'))).toEqual(['pglite']);
  });

  it('it is taken from another demo that was faster', async () => {
    const folder = join(own, 'cache', 'pglite');
    await writeFile(
      join(own, 'npm'),
      `#!/bin/sh\nmkdir -p "$(dirname ${folder}/${entry})" && echo other > ${folder}/${entry}\n`,
    );
    await fetchOnce(() => {}, folder);
    expect(readFileSync(join(folder, entry), 'utf8')).toBe('other\n');
    expect(await readdir(join(own, 'cache'))).toEqual(['pglite']);
  });

  it('is not used where its path is another folder', async () => {
    const folder = join(own, 'cache', 'pglite');
    await mkdir(join(folder, 'other'), { recursive: true });
    await expect(fetchOnce(() => {}, folder)).rejects.toThrow('npm could not fetch it');
    expect(await readdir(join(own, 'cache'))).toEqual(['pglite']);
  });
});

it('uses the installed one, and prints nothing', async () => {
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
