// Checks the written files without installing them; test/demo/ installs them.
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import lock from '../../../package-lock.json' with { type: 'json' };
import { frameworkNames, frameworks, webDependencies } from '../src/frameworks.ts';
import { type Choices, readChoices } from '../src/read-choices.ts';
import { writeProject } from '../src/write-project.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'create-portcullis-'));
});
afterEach(() => rm(folder, { recursive: true }));

const choices = (given: Partial<Choices> = {}): Choices => ({
  folder: join(folder, 'stock'),
  framework: 'express',
  hasWeb: false,
  starts: false,
  packages: undefined,
  ...given,
});
const read = (file: string) => readFile(join(folder, 'stock', file), 'utf8');

describe('a project is not written', () => {
  it('into a folder with something in it', async () => {
    await writeFile(join(folder, 'kept'), '');
    await expect(writeProject(choices({ folder }))).rejects.toThrow('is not empty');
    expect(await readdir(folder)).toEqual(['kept']);
  });

  it('where a tarball is missing', async () => {
    await expect(writeProject(choices({ packages: folder }))).rejects.toThrow('There is no portcullis-');
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('secrets', () => {
  it('are in files that only their owner reads, that git ignores, and in no other file', async () => {
    await writeProject(choices({ hasWeb: true }));
    const names = await readdir(join(folder, 'stock/secrets'));
    expect(names.toSorted()).toEqual(['database-url', 'decision-secret', 'master-key', 'postgres-password']);
    execFileSync('git', ['init', '--quiet'], { cwd: join(folder, 'stock') });
    const listed = execFileSync('git', ['ls-files', '--others', '--exclude-standard'], {
      cwd: join(folder, 'stock'),
      encoding: 'utf8',
    });
    const files = listed.trim().split('\n');
    expect(files).toContain('src/main.ts');
    expect(files.filter((file) => file.startsWith('secrets/'))).toEqual([]);
    const texts = (await Promise.all(files.map(read))).join('\n');
    for (const name of names) {
      expect((await stat(join(folder, 'stock/secrets', name))).mode & 0o077, name).toBe(0);
      const secret = (await read(`secrets/${name}`)).trim();
      expect(secret.length, name).toBeGreaterThanOrEqual(48);
      expect(texts.includes(secret), name).toBe(false);
    }
  });

  it('are others in every project', async () => {
    await writeProject(choices());
    await writeProject(choices({ folder: join(folder, 'other') }));
    for (const name of await readdir(join(folder, 'stock/secrets')))
      expect(await read(`secrets/${name}`), name).not.toBe(
        await readFile(join(folder, 'other/secrets', name), 'utf8'),
      );
  });
});

describe('a project', () => {
  it.each(frameworkNames)(
    'of %s has no place that was left open, and a guard before its routes',
    async (framework) => {
      await writeProject(choices({ framework }));
      expect(await read('README.md')).not.toMatch(/\{\{|<!--|web\//);
      const { scripts, dependencies } = JSON.parse(await read('package.json'));
      expect(scripts).toMatchObject({ start: 'node scripts/start.mjs', ...frameworks[framework].scripts });
      expect(Object.keys(dependencies)).not.toContain('@portcullis/client');
      expect(await read('src/main.ts')).toMatch(/protect\((app, )?guard\)/);
    },
  );

  it('with a page has it, and the client', async () => {
    await writeProject(choices({ hasWeb: true }));
    expect(await read('README.md')).toMatch(/web\//);
    const { dependencies, scripts } = JSON.parse(await read('package.json'));
    expect(dependencies).toHaveProperty('@portcullis/client');
    expect(scripts.web).toBe('vite web');
    expect(await readdir(join(folder, 'stock/web'))).toContain('index.html');
  });

  it('installs what this repository was tried with', () => {
    const packages = lock.packages as Readonly<Record<string, { readonly version?: string }>>;
    for (const { dependencies, devDependencies } of [
      ...Object.values(frameworks),
      { dependencies: webDependencies, devDependencies: {} },
    ])
      for (const [name, range] of Object.entries({ ...dependencies, ...devDependencies }))
        expect(range, name).toBe(`^${packages[`node_modules/${name}`]?.version}`);
  });
});

describe('the command line', () => {
  const quiet = { isTerminal: false };

  it.each([
    [['--framework', 'rails'], 'There is no framework rails'],
    [['one', 'two'], 'Give one folder'],
    [['--nonsense'], 'nonsense'],
  ])('refuses %j', async (words, message) => {
    await expect(readChoices(words, quiet)).rejects.toThrow(message);
  });

  it('has an option for every question, and asks none without a terminal', async () => {
    expect(await readChoices([], quiet)).toEqual({
      ...{ folder: 'my-admin', framework: 'express', hasWeb: false, starts: true, packages: undefined },
    });
    const words = ['shop', '--framework', 'nest', '--front-end', '--no-start', '--packages', '..'];
    expect(await readChoices(words, quiet)).toEqual({
      ...{ folder: 'shop', framework: 'nest', hasWeb: true, starts: false, packages: '..' },
    });
    expect(await readChoices(['--help'], quiet)).toBe('help');
  });
});
