// What runs in production is written down, exact, free of install scripts, and from wherever the reader installs.
import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';

interface Manifest {
  readonly name: string;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
}

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly cpu?: readonly string[];
  readonly os?: readonly string[];
  readonly libc?: readonly string[];
  readonly hasInstallScript?: boolean;
  readonly optionalDependencies?: Record<string, string>;
}

const manifests = ['package.json', ...globSync('packages/*/package.json')].map((file) => ({
  folder: dirname(file),
  manifest: JSON.parse(readFileSync(file, 'utf8')) as Manifest,
}));
const lockText = readFileSync('package-lock.json', 'utf8');
const locked = Object.entries((JSON.parse(lockText) as { packages: Record<string, Locked> }).packages);
const runtime = manifests.flatMap(({ folder, manifest }) =>
  Object.keys(manifest.dependencies ?? {})
    .filter((name) => !name.startsWith('@portcullis/'))
    .map((name) => ({ folder, name })),
);

it('every runtime dependency has a line in docs/reference/dependencies.md', () => {
  const lines = readFileSync('docs/reference/dependencies.md', 'utf8').matchAll(/^\| `([^`]+)` \|/gm);
  const documented = [...lines].map(([, name]) => name).sort();
  const installed = [...new Set(runtime.map(({ name }) => name))].sort();
  expect(installed.length).toBeGreaterThan(0);
  expect(documented, 'Say in docs/reference/dependencies.md what it is for, or remove it.').toEqual(
    installed,
  );
});

it('every runtime dependency is imported by the package that names it', () => {
  const unused = runtime.filter(({ folder, name }) => {
    // The published package is made of the others; a separate test holds what it names.
    if (folder === 'packages/portcullis') return false;
    const sources = globSync(`${folder}/src/**/*.ts`).map((file) => readFileSync(file, 'utf8'));
    const ways = [` from '${name}'`, ` from '${name}/`, `import('${name}')`];
    return !sources.some((text) => ways.some((way) => text.includes(way)));
  });
  expect(unused, 'Remove it from the package.json.').toEqual([]);
});

it('no runtime dependency has an install script', () => {
  const scripted = locked.filter(([, entry]) => entry.dev !== true && entry.hasInstallScript === true);
  expect(
    scripted.map(([path]) => path),
    'npm 12 blocks install scripts: choose another package.',
  ).toEqual([]);
});

it('every version is exact', () => {
  const loose = manifests.flatMap(({ manifest }) =>
    Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version),
    ),
  );
  expect(loose, 'Write the version without a range.').toEqual([]);
});

it('the lock file holds every package by its content and names no registry', () => {
  const installed = locked.filter(([path]) => path.includes('node_modules/'));
  const links = installed.filter(([, entry]) => entry.resolved !== undefined);
  expect(links.every(([path]) => /^node_modules\/(@portcullis\/|(create-)?portcullis$)/.test(path))).toBe(
    true,
  );
  const unpinned = installed.filter(
    ([, entry]) => entry.resolved === undefined && entry.integrity === undefined && !isToolElsewhere(entry),
  );
  expect(unpinned.map(([path]) => path)).toEqual([]);
  expect(/"resolved": "[a-z+]+:/.exec(lockText), 'Install with omit-lockfile-registry-resolved.').toBeNull();
});

it('the lock file holds every optional dependency, of every platform', () => {
  const paths = new Set(locked.map(([path]) => path));
  const wanted = locked.flatMap(([path, entry]) =>
    Object.keys(entry.optionalDependencies ?? {}).map((name) => ({ path, name })),
  );
  expect(wanted.length).toBeGreaterThan(0);
  const missing = wanted.filter(({ path, name }) => !whereNodeLooks(path, name).some((at) => paths.has(at)));
  expect(
    missing.map(({ path, name }) => `${name}, of ${path}`),
    'npm ci refuses this lock file: lock where the registry has the builds of all platforms.',
  ).toEqual([]);
});

/** A development tool's build for a platform other than CI's: not every registry has it to take the hash from. */
function isToolElsewhere({ dev, optional, cpu = [], os = [], libc = [] }: Locked): boolean {
  const isOfCi = cpu.includes('x64') && os.includes('linux') && (libc.length === 0 || libc.includes('glibc'));
  return dev === true && optional === true && cpu.length > 0 && !isOfCi;
}

/** The package's own node_modules first, then those of the folders above. */
function whereNodeLooks(path: string, name: string): string[] {
  const folders = path === '' ? [] : path.split('/');
  return [...folders.keys(), folders.length]
    .map((depth) => folders.slice(0, depth))
    .filter((above) => above.at(-1) !== 'node_modules')
    .map((above) => [...above, 'node_modules', name].join('/'))
    .reverse();
}
