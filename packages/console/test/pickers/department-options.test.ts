import { expect, test } from 'vitest';
import { departmentOptions } from '../../src/pickers/department-options.ts';
import { listTree } from '../../src/pickers/department-tree.ts';

const placed = listTree([
  { id: 1, name: 'Head office', parentId: null },
  { id: 2, name: 'Sales', parentId: 1 },
]);

test('indents what is below', () => {
  expect(departmentOptions(placed, {})).toEqual([
    { value: '1', label: 'Head office' },
    { value: '2', label: '\u2003Sales' },
  ]);
});

test('begins with the choice of none', () => {
  expect(departmentOptions(placed, { none: 'Any' })[0]).toEqual({ value: '', label: 'Any' });
});

test('keeps the current one where the list does not have it', () => {
  const labels = (id: number) =>
    departmentOptions(placed, { current: { id, name: 'Now' } }).map(({ label }) => label);
  expect(labels(9)).toContain('Now');
  expect(labels(2)).not.toContain('Now');
});
