// Builds the site, where a dead link is an error, and looks for anything that a browser would fetch from elsewhere.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../rig/start-process.ts';

const built = join(repository, 'docs/.vitepress/dist');
/** A link that is followed by a click is none of them. */
const fetched = [
  /<(?:script|img|iframe|source|video|audio)\b[^>]*\ssrc="(https?:)?\/\/[^"]*"/g,
  /<link\b(?![^>]*rel="canonical")[^>]*\shref="(https?:)?\/\/[^"]*"/g,
  /url\(["']?(https?:)?\/\/[^)]*\)/g,
  /@import\s+["'](https?:)?\/\/[^"']*["']/g,
];

export function checkSite(): { pages: number; faults: string[] } {
  const { status, stdout, stderr } = spawnSync('npm', ['run', 'build', '-w', 'docs'], {
    cwd: repository,
    encoding: 'utf8',
  });
  if (status !== 0) return { pages: 0, faults: [`The site was not built:\n${stdout}\n${stderr}`] };
  const files = globSync('**/*.{html,css}', { cwd: built });
  const faults = files.flatMap((file) => {
    const text = readFileSync(join(built, file), 'utf8');
    return fetched.flatMap((pattern) => [...text.matchAll(pattern)].map(([hit]) => `${file} fetches ${hit}`));
  });
  return { pages: files.filter((file) => file.endsWith('.html')).length, faults };
}
