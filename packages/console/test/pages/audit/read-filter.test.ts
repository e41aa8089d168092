import { expect, test } from 'vitest';
import { readFilter, toQuery, writeFilter } from '../../../src/pages/audit/read-filter.ts';

test.each([
  ['an action that none can be', { action: 'User Create' }],
  ['an actor that is no id', { actorId: 'ada' }],
  ['an empty target', { target: '' }],
  ['a target that is too long', { target: 'x'.repeat(129) }],
  ['a moment that is none', { from: 'yesterday' }],
  ['a moment without a zone', { to: '2026-11-15T10:00' }],
  ['a day that no month has', { to: '2026-13-45T10:00:00Z' }],
  ['an unknown range', { last: '5y' }],
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

test('prefers a range that ends now to two moments, and sends it to the service as a moment', () => {
  const filter = readFilter({ last: '24h', from: '2026-11-15T00:00:00.000Z', action: 'rules' });
  expect(filter).toEqual({ last: '24h', action: 'rules' });
  const now = Date.parse('2026-11-15T10:00:00.000Z');
  expect(toQuery(filter, now)).toEqual({ action: 'rules', from: '2026-11-14T10:00:00.000Z' });
  expect(toQuery({ actorId: 7 }, now)).toEqual({ actorId: 7 });
});

test('an end before the beginning is left out', () => {
  const [early, late] = ['2026-11-15T00:00:00.000Z', '2026-11-16T00:00:00.000Z'];
  expect(readFilter({ from: late, to: early })).toEqual({ from: late });
});

test('reads a written filter back', () => {
  const filter = { action: 'user.create', actorId: 0, target: 'user 9', last: 'week' } as const;
  expect(readFilter(writeFilter(filter))).toEqual(filter);
});
