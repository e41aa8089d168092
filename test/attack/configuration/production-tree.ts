// What `npm install --omit=dev` of the server brings, by the lock file: the server's dependencies, and theirs.
import { readFileSync } from 'node:fs';

interface Locked {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly link?: boolean;
  readonly resolved?: string;
}

export function readProductionTree(): { name: string; version: string }[] {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const found = new Set<string>();
  const visit = (path: string) => {
    if (found.has(path)) return;
    found.add(path);
    const { dependencies = {}, optionalDependencies = {} } = packages[path] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const place = findPlace(packages, path, name);
      const { link, resolved } = packages[place] ?? {};
      visit(link === true && resolved !== undefined ? resolved : place);
    }
  };
  visit('packages/server');
  return [...found]
    .filter((path) => path.includes('node_modules/'))
    .map((path) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version: packages[path]?.version ?? '',
    }));
}

/** As Node looks for it: beside the package that wants it, then further and further up. */
function findPlace(packages: Readonly<Record<string, Locked>>, from: string, name: string): string {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const place = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (place in packages || folder === '') return place;
  }
}
