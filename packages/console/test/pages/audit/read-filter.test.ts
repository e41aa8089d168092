import { expect, test } from 'vitest';
import { localOf, momentOf, readFilter } from '../../../src/pages/audit/read-filter.ts';

test.each([
  ['an action that none can be', { action: 'User Create' }],
  ['an actor that is no id', { actorId: 'ada' }],
  ['an empty target', { target: '' }],
  ['a target that is too long', { target: 'x'.repeat(129) }],
  ['a moment that is none', { from: 'yesterday' }],
  ['a moment without a zone', { to: '2026-11-15T10:00' }],
  ['a day that no month has', { to: '2026-13-45T10:00:00Z' }],
  ['a value given twice', { action: ['user', 'role'] }],
])('leaves out %s', (_what, query) => {
  expect(readFilter(query)).toEqual({});
});

test('reads all of an address', () => {
  const query = {
    action: 'user.create',
    actorId: '7',
    target: 'user 9',
    from: '2026-11-15T00:00:00.000Z',
    to: '2026-11-16T00:00:00.000Z',
    other: 'x',
  };
  const { other: _other, ...rest } = query;
  expect(readFilter(query)).toEqual({ ...rest, actorId: 7 });
});

test('a local time and its moment are the same, there and back', () => {
  const local = '2026-03-01T09:05';
  expect(localOf(momentOf(local))).toBe(local);
  expect(momentOf('')).toBeUndefined();
  expect(momentOf('soon')).toBeUndefined();
  expect(localOf(undefined)).toBe('');
});
