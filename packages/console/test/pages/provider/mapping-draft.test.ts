import { expect, it } from 'vitest';
import {
  faultOf,
  isIdle,
  type MappingRow,
  moveRow,
  toMappings,
  toRows,
} from '../../../src/pages/provider/mapping-draft.ts';

const row = (key: number, group: string, role = '2', department = ''): MappingRow => ({
  key,
  group,
  role,
  department,
});
const keysOf = (rows: readonly MappingRow[]) => rows.map(({ key }) => key);

it.each([
  ['no group', row(1, ' '), 'group'],
  ['no role', row(1, 'cn=a', ''), 'role'],
  ['admin for everybody', row(1, ' * ', '1'), 'everybodyAdmin'],
  ['nothing: admin for a group', row(1, 'cn=a', '1'), undefined],
  ['nothing: another role for everybody', row(1, '*'), undefined],
] as const)('the fault of a row is %s', (_what, given, fault) => {
  expect(faultOf(given)).toBe(fault);
});

it('marks a row as idle after the row for all groups and after a row of the same group', () => {
  const rows = [row(1, 'cn=a'), row(2, 'CN=A '), row(3, 'cn=b'), row(4, '*'), row(5, 'cn=c')];
  expect(rows.map((_, index) => isIdle(rows, index))).toEqual([false, true, false, false, true]);
});

it('rows without a group yet make no other idle', () => {
  const rows = [row(1, ''), row(2, '')];
  expect(isIdle(rows, 1)).toBe(false);
});

it('moves a row by one position, and not beyond the first or the last', () => {
  const rows = [row(1, 'a'), row(2, 'b'), row(3, 'c')];
  expect(keysOf(moveRow(rows, 1, -1))).toEqual([2, 1, 3]);
  expect(keysOf(moveRow(rows, 1, 1))).toEqual([1, 3, 2]);
  expect(keysOf(moveRow(rows, 0, -1))).toEqual([1, 2, 3]);
  expect(keysOf(moveRow(rows, 2, 1))).toEqual([1, 2, 3]);
});

it('what is stored becomes rows and comes back the same', () => {
  const mappings = [
    { group: 'cn=a', roleId: 3, departmentId: 7 },
    { group: '*', roleId: 5, departmentId: null },
  ];
  let key = 0;
  const rows = toRows(mappings, () => {
    key += 1;
    return key;
  });
  expect(keysOf(rows)).toEqual([1, 2]);
  expect(toMappings(rows)).toEqual(mappings);
});
