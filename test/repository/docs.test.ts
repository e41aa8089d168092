// The pages that come from the code are as the code would write them.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { generatedPages } from '../../scripts/generated-pages.ts';

const docs = new URL('../../docs/', import.meta.url);

test.each(await generatedPages())(
  'docs/$file is what `npm run docs` writes, and lacks nothing',
  ({ file, page, problems }) => {
    expect(problems).toEqual([]);
    expect(readFileSync(new URL(file, docs), 'utf8')).toBe(page);
  },
);
