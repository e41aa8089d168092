import { describe, expect, test } from 'vitest';
import { listColumns, measureGrid } from '../../../src/pages/matrix/grid-columns.ts';
import { role } from './matrix-samples.ts';

describe('measureGrid', () => {
  test('fills the width with a few roles, their keys written horizontally', () => {
    const { endpointWidth, columnWidth, isRoomy } = measureGrid(1150, 6);
    expect(isRoomy).toBe(true);
    expect(endpointWidth + 6 * columnWidth).toBe(1150);
  });

  test('many roles get narrow columns, and the endpoints enough to be read', () => {
    expect(measureGrid(1150, 100)).toMatchObject({ endpointWidth: 460, columnWidth: 48, isRoomy: false });
    expect(measureGrid(600, 100).endpointWidth).toBe(240);
    expect(measureGrid(0, 100).endpointWidth).toBe(220);
  });

  test('one role does not take more than it needs', () => {
    expect(measureGrid(1150, 1)).toMatchObject({ columnWidth: 128, endpointWidth: 1022 });
  });
});

test('columns are counted from 1, and leave room for those that are left out', () => {
  const roles = ['a', 'bb', 'ccc', 'dddd'].map((key) => role(key, ''));
  expect(listColumns([1, 3, 4], roles, 48)).toEqual([
    { column: 2, role: roles[1], style: { marginLeft: '48px' } },
    { column: 4, role: roles[3], style: { marginLeft: '48px' } },
  ]);
  expect(listColumns([0, 1], roles, 48)[1]?.style).toBeUndefined();
});
