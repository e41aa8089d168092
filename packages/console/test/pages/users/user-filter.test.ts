import { describe, expect, test } from 'vitest';
import { readUserQuery, toAddress, toUserFilter } from '../../../src/pages/users/user-filter.ts';

const none = { search: '', roleId: '', departmentId: '', enabled: '', secondFactor: '' };

describe('readUserQuery', () => {
  test.each([
    ['an id that is none', { roleId: 'sales', departmentId: '0' }],
    ['an id that no number holds', { roleId: '9007199254740993' }],
    ['a value that stands twice', { search: ['a', 'b'], roleId: ['1', '2'] }],
    ['a state that is neither', { enabled: 'yes', secondFactor: '1' }],
    ['a search of spaces', { search: '   ' }],
  ])('takes %s for no filter', (_, query) => {
    expect(readUserQuery(query)).toEqual(none);
  });

  test('cuts a search at the length that the service takes', () => {
    expect(readUserQuery({ search: 'a'.repeat(99) }).search).toHaveLength(64);
  });

  test('reads what toAddress wrote', () => {
    const query = {
      search: 'mei',
      roleId: '2',
      departmentId: '7',
      enabled: 'false',
      secondFactor: 'true',
    } as const;
    expect(readUserQuery(toAddress(query))).toEqual(query);
  });
});

test('toUserFilter asks for nothing without a filter', () => {
  expect(toUserFilter(readUserQuery({}))).toEqual({});
});

test('toUserFilter asks for numbers and states', () => {
  const query = readUserQuery({
    search: 'mei',
    roleId: '2',
    departmentId: '7',
    enabled: 'false',
    secondFactor: 'true',
  });
  expect(toUserFilter(query)).toEqual({
    search: 'mei',
    roleId: 2,
    departmentId: 7,
    enabled: false,
    secondFactor: true,
  });
});

test('toAddress leaves out what is no filter', () => {
  expect(toAddress(readUserQuery({ roleId: '2' }))).toEqual({ roleId: '2' });
});
