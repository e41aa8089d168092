import { expect, test } from 'vitest';
import { hasWords } from '../../src/search/has-words.ts';

test.each([
  ['Login log', 'og'],
  ['Login log', 'log users'],
  ['审计日志', '计日志登录'],
])('“%s” has no words that begin with “%s”', (text, typed) => {
  expect(hasWords(text, typed)).toBe(false);
});

test.each([
  ['Login log', ''],
  ['Login log', 'LO'],
  ['Access matrix', 'mat acc'],
  ['Support (support_1)', 'support'],
  ['审计日志', '日志'],
])('“%s” is found by “%s”', (text, typed) => {
  expect(hasWords(text, typed)).toBe(true);
});
