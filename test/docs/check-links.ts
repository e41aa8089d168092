// Every link inside the repository leads to a file that is part of it, and to a heading that the file has. Addresses
// elsewhere are counted and not asked: this runs without a network.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { chineseKinds, chineseNavigation, kinds, navigation } from '../../docs/.vitepress/navigation.ts';
import { repository } from '../rig/start-process.ts';
import { readAnchors, readLinks } from './read-markdown.ts';

export interface LinkReport {
  readonly checked: number;
  readonly elsewhere: ReadonlySet<string>;
  readonly broken: readonly string[];
}

/** What git has or would get: no built file, and nothing of an installation. */
export function listFiles(): string[] {
  const { stdout } = spawnSync('git', ['ls-files', '-co', '--exclude-standard', '--deduplicate'], {
    cwd: repository,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout.split('\n').filter((file) => file !== '' && existsSync(join(repository, file)));
}

export function checkLinks(files: readonly string[], read = readFile): LinkReport {
  const known = new Set(files.flatMap((file) => [file, ...foldersOf(file)]));
  const elsewhere = new Set<string>();
  const broken: string[] = [];
  let checked = 0;
  for (const file of files.filter((name) => name.endsWith('.md')))
    for (const { line, target } of readLinks(read(file))) {
      checked += 1;
      if (/^[a-z]+:/.test(target)) elsewhere.add(target);
      else {
        const fault = findFault(file, target, known, read);
        if (fault !== undefined) broken.push(`${file}:${line}: ${target}: ${fault}`);
      }
    }
  return { checked, elsewhere, broken };
}

function findFault(
  file: string,
  target: string,
  known: ReadonlySet<string>,
  read: (file: string) => string,
): string | undefined {
  const [path = '', anchor] = target.split('#');
  const found = path === '' ? file : findTarget(file, decodeURI(path), known);
  if (found === undefined) return 'there is no such file in the repository';
  if (anchor === undefined || anchor === '') return undefined;
  if (!found.endsWith('.md')) return 'only Markdown has headings';
  return readAnchors(read(found)).has(decodeURI(anchor)) ? undefined : 'there is no such heading';
}

/** From the root of the site, where it begins with a slash; from the file otherwise. */
function findTarget(file: string, path: string, known: ReadonlySet<string>): string | undefined {
  if (path.startsWith('/'))
    return [`docs${path}.md`, `docs${path}index.md`, `docs${path}README.md`].find((name) => known.has(name));
  const name = normalize(join(dirname(file), path)).replace(/\/$/, '');
  return known.has(name) ? name : undefined;
}

/** What the navigation names is there, and no page is missing in it. The overview of the threats links their chapters. */
export function checkNavigation(files: readonly string[]): string[] {
  const known = new Set(files);
  const links = [
    ...[...kinds, ...chineseKinds].flatMap(([, pages]) => pages.map(([, link]) => link)),
    ...[...navigation, ...chineseNavigation].map(([, link]) => link),
  ];
  const named = new Set(links.map((link) => findTarget('', link, known)));
  const pages = files.filter((file) =>
    /^docs\/(?:zh\/)?(?:tutorial|how-to|reference|explanation)\/.*\.md$/.test(file),
  );
  return [
    ...links
      .filter((link) => findTarget('', link, known) === undefined)
      .map((link) => `docs/.vitepress/navigation.ts: ${link}: there is no such page`),
    ...pages
      .filter((page) => !named.has(page) && !page.startsWith('docs/explanation/security/'))
      .map((page) => `docs/.vitepress/navigation.ts: ${page} is not in the navigation`),
  ];
}

function foldersOf(file: string): string[] {
  const folder = dirname(file);
  return folder === '.' ? [folder] : [folder, ...foldersOf(folder)];
}

function readFile(file: string): string {
  return readFileSync(join(repository, file), 'utf8');
}
