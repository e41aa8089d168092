import { expect, it } from 'vitest';
import { readCompiledBlocks, withoutImports } from '../../../test/rig/compiled-blocks.ts';

const { blocks, countFiles } = readCompiledBlocks(new URL('../', import.meta.url));

it.each(blocks.map((lines) => [withoutImports(lines)[0], lines] as const))(
  'the README has its lines compiled: %s',
  (_, lines) => {
    expect(countFiles(lines)).toBe(1);
  },
);
