import { describe, expect, test } from 'vitest';
import { formatValue, listDifferences, nameValue } from '../../../src/pages/audit/list-differences.ts';

const brief = (before: unknown, after: unknown) =>
  listDifferences(before, after).map(({ kind, key }) => `${kind} ${key}`);

describe('listDifferences', () => {
  test('names the keys that changed, old beside new', () => {
    expect(listDifferences({ name: 'A', enabled: true }, { name: 'B', enabled: true })).toEqual([
      { key: 'name', kind: 'changed', before: 'A', after: 'B' },
    ]);
  });

  test('a record that was not there is added, key by key', () => {
    expect(brief(null, { id: 7, name: 'A' })).toEqual(['added id', 'added name']);
  });

  test('lists each key of a deleted record as removed', () => {
    expect(brief({ name: 'A', enabled: false }, null)).toEqual(['removed name', 'removed enabled']);
  });

  test('false, 0 and an empty text are values', () => {
    expect(brief({ enabled: true, count: 1, note: 'x' }, { enabled: false, count: 0, note: '' })).toEqual([
      'changed enabled',
      'changed count',
      'changed note',
    ]);
  });

  test('compares nested values by what they hold, whatever the order of their keys', () => {
    expect(brief({ a: { x: 1, y: [1, 2] } }, { a: { y: [1, 2], x: 1 } })).toEqual([]);
    expect(brief({ a: { x: 1, y: [1, 2] } }, { a: { y: [2, 1], x: 1 } })).toEqual(['changed a']);
  });

  test('a change of rules shows what was removed and what was added, and no empty list', () => {
    const none = { count: 0, items: [] };
    const one = { count: 1, items: [{ method: 'GET', path: '/orders' }] };
    expect(brief({ removed: none }, { added: one })).toEqual(['added added']);
    expect(brief({ removed: one }, { added: one })).toEqual(['removed removed', 'added added']);
  });

  test('values without keys are compared as a whole', () => {
    expect(listDifferences('k1', 'k2')).toEqual([{ key: '', kind: 'changed', before: 'k1', after: 'k2' }]);
    expect(listDifferences([1], [1])).toEqual([]);
    expect(brief(null, null)).toEqual([]);
    expect(brief({ a: 1 }, [1])).toEqual(['changed ']);
  });
});

describe('formatValue', () => {
  test.each([
    [null, undefined],
    ['text', 'text'],
    [false, 'false'],
    [7, '7'],
    [[1, 2, 3], '[1,2,3]'],
  ])('writes %j as %j', (value, expected) => {
    expect(formatValue(value)).toBe(expected);
  });

  test('writes rules line by line, and how many more there are', () => {
    const items = [
      { path: '/orders', method: 'GET' },
      { path: '/orders/:id', method: '*' },
    ];
    expect(formatValue({ count: 5, items })).toBe('GET /orders\n* /orders/:id\n… +3');
  });

  test('writes a long value as indented JSON', () => {
    const long = { first: 'x'.repeat(40), second: 'y'.repeat(40) };
    expect(formatValue(long)).toBe(JSON.stringify(long, null, 2));
  });
});

describe('nameValue', () => {
  const names = { 'role 3': 'Sales', 'department 2': 'Head office' };
  test.each([
    ['roleId', 3, 'Sales (3)'],
    ['parentId', 2, 'Head office (2)'],
    ['departmentId', 9, 9],
    ['departmentId', null, null],
    ['enabled', 3, 3],
  ])('shows %s %j as %j', (key, value, expected) => {
    expect(nameValue(names, key, value)).toBe(expected);
  });
});
