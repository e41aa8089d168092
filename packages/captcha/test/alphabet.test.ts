import { expect, it } from 'vitest';
import { captchaAlphabet } from '../src/alphabet.ts';
import { glyphPaths } from '../src/glyph-paths.ts';

it('leaves out the look-alikes 0, O, 1 and I', () => {
  expect(captchaAlphabet).not.toMatch(/[0O1I]/i);
});

it('holds 32 symbols that stay apart when case is ignored', () => {
  expect(captchaAlphabet).toHaveLength(32);
  expect(new Set(captchaAlphabet.toUpperCase()).size).toBe(32);
  expect(captchaAlphabet).toMatch(/^[2-9A-Z]+$/);
});

it('has a shape for each symbol and no other', () => {
  expect(Object.keys(glyphPaths).sort()).toEqual([...captchaAlphabet].sort());
});
