// Writes the files of the project. It generates the secrets into files with mode 0600 that git ignores; no
// other file contains a secret.
import { randomBytes } from 'node:crypto';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import manifest from '../package.json' with { type: 'json' };
import { frameworks, webDependencies } from './frameworks.ts';
import { type Choices, UsageError } from './read-choices.ts';

const templates = fileURLToPath(new URL('../templates/', import.meta.url));

export async function writeProject({ folder, framework, hasWeb, packages }: Choices): Promise<string> {
  const to = resolve(folder);
  await refuseFilled(to);
  const wanted = ['portcullis', '@portcullis/guard', ...(hasWeb ? ['@portcullis/client'] : [])];
  const ours = await findPackages(wanted, to, packages);
  await mkdir(to, { recursive: true });
  for (const template of ['all', framework, ...(hasWeb ? ['web'] : [])])
    await cp(join(templates, template), to, { recursive: true });
  const { dependencies, devDependencies, scripts, title } = frameworks[framework];
  const project = {
    name:
      basename(to)
        .toLowerCase()
        .replaceAll(/[^a-z0-9._-]/g, '-')
        .replace(/^[._-]+/, '') || 'my-admin',
    version: '0.0.0',
    private: true,
    type: 'module',
    engines: manifest.engines,
    scripts: {
      start: 'node scripts/start.mjs',
      ...scripts,
      ...(hasWeb ? { web: 'vite web' } : {}),
      portcullis: 'node --env-file=portcullis.env node_modules/portcullis/dist/main.js',
    },
    dependencies: sorted({ ...ours, ...dependencies }),
    devDependencies: sorted({ ...devDependencies, ...(hasWeb ? webDependencies : {}) }),
  };
  await writeFile(join(to, 'package.json'), `${JSON.stringify(project, undefined, 2)}\n`);
  // npm leaves a file `.gitignore` out when it packs this package, so the template has no dot.
  await writeFile(join(to, '.gitignore'), await readFile(join(templates, 'gitignore')));
  await writeReadme(to, project.name, title, hasWeb);
  await writeSecrets(join(to, 'secrets'));
  return to;
}

async function refuseFilled(folder: string): Promise<void> {
  const files = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new UsageError(`${folder} cannot be read (${error.code}). Give another folder.`);
  });
  if (files.length > 0) throw new UsageError(`${folder} is not empty. Give another folder.`);
}

/** The dependencies with versions, or with the tarballs of a folder. */
async function findPackages(
  names: readonly string[],
  project: string,
  folder: string | undefined,
): Promise<Record<string, string>> {
  if (folder === undefined) return Object.fromEntries(names.map((name) => [name, `^${manifest.version}`]));
  const files = await readdir(folder).catch(() => [] as string[]);
  return Object.fromEntries(
    names.map((name) => {
      const file = `${name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`;
      if (!files.includes(file))
        throw new UsageError(`There is no ${file} in ${folder}. \`npm run package\` in a clone makes it.`);
      return [name, `file:${relative(project, resolve(folder, file)).replaceAll('\\', '/')}`];
    }),
  );
}

async function writeReadme(folder: string, name: string, title: string, hasWeb: boolean): Promise<void> {
  const text = await readFile(join(templates, 'readme.md'), 'utf8');
  const parts = text.replace(/<!-- web -->\n(.*?)<!-- end -->\n/gs, hasWeb ? '$1' : '');
  await writeFile(
    join(folder, 'README.md'),
    parts.replaceAll('{{name}}', name).replaceAll('{{framework}}', title),
  );
}

async function writeSecrets(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
  const password = randomBytes(24).toString('hex');
  const secrets = {
    'decision-secret': randomBytes(32).toString('hex'),
    'master-key': randomBytes(32).toString('hex'),
    'postgres-password': password,
    'database-url': `postgres://postgres:${password}@127.0.0.1:5432/portcullis`,
  };
  for (const [name, secret] of Object.entries(secrets))
    await writeFile(join(folder, name), `${secret}\n`, { mode: 0o600, flag: 'wx' });
}

function sorted(versions: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(versions).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
