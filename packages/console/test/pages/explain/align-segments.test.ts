import { expect, test } from 'vitest';
import { alignSegments, type Difference } from '../../../src/pages/explain/align-segments.ts';

function align(rule: string, asked: string, differs: readonly Difference[]): string[] {
  const parts = alignSegments({ method: 'GET', path: rule }, { method: 'GET', path: asked }, differs);
  return parts.map(({ kind, expected, actual }) => `${kind} ${expected} ${actual}`);
}

test('marks the segment that differs, and only it', () => {
  const differs = [{ kind: 'segment', place: 2, expected: 'users', actual: 'orders' }] as const;
  expect(align('/api/users/:id', '/api/orders/7', differs)).toEqual([
    'same api api',
    'segment users orders',
    'same :id 7',
  ]);
});

test('marks what only the rule has', () => {
  const differs = [{ kind: 'missing', place: 2, expected: ':id' }] as const;
  expect(align('/orders/:id', '/orders', differs)).toEqual(['same orders orders', 'missing :id undefined']);
});

test('marks what only the request has', () => {
  const differs = [{ kind: 'extra', place: 2, actual: '7' }] as const;
  expect(align('/orders', '/orders/7', differs)).toEqual(['same orders orders', 'extra undefined 7']);
});

test('gives the star everything that follows', () => {
  const differs = [{ kind: 'segment', place: 1, expected: 'files', actual: 'orders' }] as const;
  expect(align('/files/*', '/orders/7/lines/3', differs)).toEqual([
    'segment files orders',
    'same * 7/lines/3',
  ]);
});

test('ignores a differing method, which another column shows', () => {
  const differs = [{ kind: 'method', expected: 'GET', actual: 'DELETE' }] as const;
  expect(align('/orders', '/orders', differs)).toEqual(['same orders orders']);
});
