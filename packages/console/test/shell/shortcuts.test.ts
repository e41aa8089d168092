import { describe, expect, test } from 'vitest';
import { createKeyReader, pageKeys } from '../../src/shell/shortcuts.ts';

const read = (...keys: string[]) => {
  const reader = createKeyReader();
  return keys.map((key) => reader.read(key)).at(-1);
};

describe('a key means nothing', () => {
  test.each([
    ['u'],
    ['g'],
    ['g', 'q'],
    ['g', 'g', 'u', 'x'],
    ['g', 'Escape'],
    ['constructor'],
    ['g', 'constructor'],
  ])('%s %s %s %s', (...keys) => {
    expect(read(...keys.filter((key) => key !== undefined))).toBeUndefined();
  });

  test('behind a g that was forgotten', () => {
    const reader = createKeyReader();
    reader.read('g');
    reader.forget();
    expect(reader.read('u')).toBeUndefined();
  });
});

describe('a key', () => {
  test.each([
    ['/', 'search'],
    ['?', 'help'],
    ['j', 'next'],
    ['k', 'previous'],
  ])('%s is for %s', (key, kind) => {
    expect(read(key)).toEqual({ kind });
  });

  test('behind g leads to a page, and no page has two', () => {
    for (const [key, page] of Object.entries(pageKeys))
      expect(read('g', key)).toEqual({ kind: 'page', page });
    expect(new Set(Object.values(pageKeys)).size).toBe(Object.keys(pageKeys).length);
  });

  test('is itself again after a page', () => {
    expect(read('g', 'k', 'k')).toEqual({ kind: 'previous' });
  });
});
