// A package's README shows lines that compile: each block of TypeScript stands word for word in a file of its test/readme/.
import { readdirSync, readFileSync } from 'node:fs';

export interface CompiledBlocks {
  readonly readme: string;
  /** The lines of each block, without those that are empty. */
  readonly blocks: readonly (readonly string[])[];
  /** How many files of readme/ hold the block. */
  countFiles(block: readonly string[]): number;
}

export function readCompiledBlocks(packageFolder: URL): CompiledBlocks {
  const readme = readFileSync(new URL('README.md', packageFolder), 'utf8');
  const folder = new URL('test/readme/', packageFolder);
  const sources = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8'));
  return {
    readme,
    blocks: [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block = '']) => linesOf(block)),
    countFiles(block) {
      const text = withoutImports(block).join('\n');
      return sources.filter((source) => linesOf(source).join('\n').includes(text)).length;
    },
  };
}

/** What a block imports is imported in its file too, if need be among other things. */
export const withoutImports = (lines: readonly string[]) =>
  lines.filter((line) => !line.startsWith('import '));

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
