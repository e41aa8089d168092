// The files that come from the code are as the code would write them.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { generatedPages } from '../../scripts/generated-pages.ts';

const root = new URL('../../', import.meta.url);

test.each(await generatedPages())(
  '$file is what `npm run docs` writes, and lacks nothing',
  ({ file, page, problems }) => {
    expect(problems).toEqual([]);
    expect(readFileSync(new URL(file, root), 'utf8')).toBe(page);
  },
);
