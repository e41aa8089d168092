// Collects the licence texts of the bundled third-party code, which must be distributed with it.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutputChunk } from 'rolldown';

export async function writeLicences(
  chunks: readonly OutputChunk[],
  root: string,
  file: string,
): Promise<void> {
  const inside = new Set(
    chunks
      .flatMap(({ moduleIds }) => moduleIds)
      .flatMap((id) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? []),
  );
  if (inside.size === 0) return;
  const texts = await Promise.all([...inside].sort().map((name) => licenceOf(root, name)));
  await writeFile(file, `# Licences of what is inside\n\n${texts.join('\n')}`);
}

async function licenceOf(root: string, name: string): Promise<string> {
  const folder = join(root, 'node_modules', name);
  const { version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    readonly version: string;
    readonly license: string;
  };
  const text = (await readdir(folder)).find((one) => /^licen[cs]e/i.test(one));
  if (text === undefined) throw new Error(`${name} has no text of its licence. It cannot go into a bundle.`);
  return `## ${name} ${version}: ${license}\n\n${await readFile(join(folder, text), 'utf8')}`;
}
