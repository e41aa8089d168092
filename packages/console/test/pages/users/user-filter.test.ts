import { describe, expect, test } from 'vitest';
import { readUserQuery, toAddress, toUserFilter } from '../../../src/pages/users/user-filter.ts';

const none = { username: '', roleId: '', departmentId: '', enabled: '' };

describe('readUserQuery', () => {
  test.each([
    ['an id that is none', { roleId: 'sales', departmentId: '0' }],
    ['an id that no number holds', { roleId: '9007199254740993' }],
    ['a value that stands twice', { username: ['a', 'b'], roleId: ['1', '2'] }],
    ['a state that is neither', { enabled: 'yes' }],
    ['a username of spaces', { username: '   ' }],
  ])('takes %s for no filter', (_, query) => {
    expect(readUserQuery(query)).toEqual(none);
  });

  test('cuts a username at the length that the service takes', () => {
    expect(readUserQuery({ username: 'a'.repeat(99) }).username).toHaveLength(64);
  });

  test('reads what toAddress wrote', () => {
    const query = { username: 'mei', roleId: '2', departmentId: '7', enabled: 'false' } as const;
    expect(readUserQuery(toAddress(query))).toEqual(query);
  });
});

test('toUserFilter asks for nothing without a filter', () => {
  expect(toUserFilter(readUserQuery({}))).toEqual({});
});

test('toUserFilter asks for numbers and states', () => {
  const query = readUserQuery({ username: 'mei', roleId: '2', departmentId: '7', enabled: 'false' });
  expect(toUserFilter(query)).toEqual({ username: 'mei', roleId: 2, departmentId: 7, enabled: false });
});

test('toAddress leaves out what is no filter', () => {
  expect(toAddress(readUserQuery({ roleId: '2' }))).toEqual({ roleId: '2' });
});
