import { expect, test } from 'vitest';
import { isFoundBy } from '../../src/pickers/is-found-by.ts';

const brien = { username: 'p.ng', name: "Peter Smith-Jones O'Brien" };

test.each(['eter', 'ng', 'peter anna', 'p%'])('%s does not match', (typed) => {
  expect(isFoundBy(brien, typed)).toBe(false);
});

test.each(['', 'P.', 'pet', 'smith-j', 'JONES', "o'b", 'brien', 'bri pet', ' peter  smith '])(
  '“%s” finds by how words begin',
  (typed) => {
    expect(isFoundBy(brien, typed)).toBe(true);
  },
);

test('a Chinese name is found by its beginning', () => {
  const mei = { username: 'mei', name: '林美' };
  expect([isFoundBy(mei, '林'), isFoundBy(mei, '美')]).toEqual([true, false]);
});
