// A copy of the working tree in which files can be broken: the sources are copied, the installed packages linked, and the
// packages of the workspace are those of the copy.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

export function copyTree(root: string, copy: string): void {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  for (const file of listed.split('\0'))
    if (file !== '' && existsSync(join(root, file))) cpSync(join(root, file), join(copy, file));
  linkPackages(join(root, 'node_modules'), join(copy, 'node_modules'));
}

/** Links of the workspace are relative, so they lead into the copy. */
function linkPackages(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (entry.name.startsWith('@')) linkPackages(source, target);
    // Vitest keeps what it remembers of a tree in a folder with a dot.
    else if (!entry.name.startsWith('.')) symlinkSync(source, target);
  }
}
