import { describe, expect, test } from 'vitest';
import { findInTree, listTree, withBelow, withoutBelow } from '../../src/pickers/department-tree.ts';

const department = (id: number, name: string, parentId: number | null) => ({ id, name, parentId });
const company = [
  department(6, 'Finance', 1),
  department(1, 'Head office', null),
  department(2, 'Sales', 1),
  department(3, 'Sales North', 2),
  department(4, 'Sales South', 2),
];
const outline = (placed: ReturnType<typeof listTree>) =>
  placed.map(({ depth, name }) => '-'.repeat(depth) + name);

describe('listTree', () => {
  test('is empty for no departments', () => {
    expect(listTree([])).toEqual([]);
  });

  test('puts each before those below it, and keeps the order of a level', () => {
    expect(outline(listTree(company))).toEqual([
      'Head office',
      '-Finance',
      '-Sales',
      '--Sales North',
      '--Sales South',
    ]);
  });

  test('puts one whose parent cannot be seen at the top', () => {
    expect(outline(listTree([department(9, 'Lost', 77), department(3, 'Below', 9)]))).toEqual([
      'Lost',
      '-Below',
    ]);
  });

  test('marks departments with children', () => {
    expect(listTree(company).map(({ hasChildren }) => hasChildren)).toEqual([
      true,
      false,
      true,
      false,
      false,
    ]);
  });

  test('ends with a circle, which it leaves out', () => {
    expect(listTree([department(1, 'A', 2), department(2, 'B', 1)])).toEqual([]);
  });

  test('bears a chain that is longer than the stack', () => {
    const chain = Array.from({ length: 50_000 }, (_, place) =>
      department(place + 1, 'x', place === 0 ? null : place),
    );
    expect(listTree(chain).at(-1)?.depth).toBe(49_999);
  });
});

test('withBelow has the department and everything below it', () => {
  expect(withBelow(listTree(company), 2).map(({ id }) => id)).toEqual([2, 3, 4]);
});

test('withBelow is empty for a department that is not there', () => {
  expect(withBelow(listTree(company), 99)).toEqual([]);
});

test('withoutBelow leaves out nothing for a department that is not there', () => {
  expect(withoutBelow(listTree(company), 99)).toHaveLength(5);
});

test('withBelow stops at the next one beside it', () => {
  expect(withBelow(listTree(company), 6).map(({ id }) => id)).toEqual([6]);
});

test('withoutBelow has neither', () => {
  expect(withoutBelow(listTree(company), 2).map(({ id }) => id)).toEqual([1, 6]);
});

describe('findInTree', () => {
  test('returns nothing for a name that no department has', () => {
    expect(findInTree(listTree(company), 'warehouse')).toEqual([]);
  });

  test('keeps the ancestors of a found department', () => {
    expect(outline(findInTree(listTree(company), ' NORTH '))).toEqual([
      'Head office',
      '-Sales',
      '--Sales North',
    ]);
  });

  test('keeps nothing of a branch beside it', () => {
    const two = [...company, department(8, 'Stores', null), department(9, 'North store', 8)];
    expect(outline(findInTree(listTree(two), 'north'))).toEqual([
      'Head office',
      '-Sales',
      '--Sales North',
      'Stores',
      '-North store',
    ]);
    expect(outline(findInTree(listTree(two), 'north st'))).toEqual(['Stores', '-North store']);
  });

  test('keeps all for an empty text', () => {
    expect(findInTree(listTree(company), '  ')).toHaveLength(5);
  });
});
