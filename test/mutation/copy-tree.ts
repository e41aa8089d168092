// A copy of the working tree in which files can be broken: the sources are copied, the installed packages linked (those of
// each workspace too, so that a test meets the version that the product uses), and workspace packages are those of the copy.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

export function copyTree(root: string, copy: string): void {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  for (const file of listed.split('\0'))
    if (file !== '' && existsSync(join(root, file))) cpSync(join(root, file), join(copy, file));
  linkInstalled(root, copy);
}

/** The packages that are installed in one tree, for another of the same workspaces. */
export function linkInstalled(root: string, copy: string): void {
  for (const folder of ['', ...globSync(['packages/*', 'bench', 'docs', 'examples'], { cwd: root })]) {
    const from = join(root, folder, 'node_modules');
    if (existsSync(from) && existsSync(join(copy, folder)))
      linkPackages(from, join(copy, folder, 'node_modules'));
  }
}

/** Links of the workspace are relative, so they lead into the copy. */
function linkPackages(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (entry.name.startsWith('@')) linkPackages(source, target);
    // Vitest keeps what it remembers of a tree in a folder with a dot; scripts of packages look for programs in `.bin`.
    else if (entry.name === '.bin' || !entry.name.startsWith('.')) symlinkSync(source, target);
  }
}
