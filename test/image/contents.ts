// What is in the image: its size by parts, and its packages. The page on Docker has both.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../rig/start-process.ts';
import { run } from './buildah.ts';

export interface Contents {
  /** In megabytes, by part. */
  readonly sizes: Readonly<Record<string, number>>;
  /** With their versions. */
  readonly debian: readonly string[];
  readonly npm: readonly string[];
}

const page = join(repository, 'docs/how-to/docker.md');

export async function readContents(root: string): Promise<Contents> {
  const weigh = async (...folders: string[]) => {
    const paths = folders.map((folder) => join(root, folder));
    const listed = await run('du', [
      '--summarize',
      '--total',
      '--one-file-system',
      '--block-size=1',
      ...paths,
    ]);
    return Math.round(Number.parseInt(listed.trim().split('\n').at(-1) ?? '', 10) / 1e6);
  };
  const sizes = {
    'the image': await weigh('.'),
    Node: await weigh('nodejs'),
    'npm packages': await weigh('app/node_modules'),
    Portcullis: await weigh('app/packages'),
  };
  return { sizes, debian: listDebian(root), npm: listNpm(join(root, 'app')) };
}

function listDebian(root: string): string[] {
  return globSync(join(root, 'var/lib/dpkg/status.d/*')).map((file) => {
    const text = readFileSync(file, 'utf8');
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1] ?? '';
    return `${field('Package')} ${field('Version')}`;
  });
}

function listNpm(folder: string): string[] {
  const files = globSync(['**/node_modules/*/package.json', '**/node_modules/@*/*/package.json'], {
    cwd: folder,
  });
  const found = files.map((file) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Record<string, string>;
    return `${name} ${version}`;
  });
  return [...new Set(found)].sort();
}

/** As the page lists them: by their names, because their versions are the lock file's. */
export const namesOf = (packages: readonly string[]) =>
  [...new Set(packages.map((one) => one.split(' ')[0] ?? ''))].sort();

/** The block of the page that lists the npm packages, and the size in megabytes that the page gives. */
export function readPage(): { names: readonly string[]; megabytes: number } {
  const text = readFileSync(page, 'utf8');
  const block = /<!-- npm packages of the image -->\n+```text\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
  const megabytes = Number(/\| the image \| (\d+) MB \|/.exec(text)?.[1]);
  return { names: block.split(/\s+/).filter((name) => name !== ''), megabytes };
}
