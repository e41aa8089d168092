import { expect, test } from 'vitest';
import { readAll } from '../../src/pickers/read-all.ts';

const pages: Record<string, { items: number[]; next: string | null }> = {
  '': { items: [1, 2], next: 'a' },
  a: { items: [], next: 'b' },
  b: { items: [3], next: null },
};
const fetchPage = async (after = '') => pages[after] ?? { items: [], next: null };

test('stops after the most pages, and says that there is more', async () => {
  expect(await readAll(fetchPage, 2)).toEqual({ items: [1, 2], isWhole: false });
});

test('reads on after an empty page, to the end', async () => {
  expect(await readAll(fetchPage)).toEqual({ items: [1, 2, 3], isWhole: true });
});
