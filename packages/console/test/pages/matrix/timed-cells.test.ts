import { expect, test } from 'vitest';
import { findTimed, untilNextEnd, withTimes } from '../../../src/pages/matrix/timed-cells.ts';
import { matrix, role, route } from './matrix-samples.ts';

const routes = [
  route('GET', '/orders'),
  route('GET', '/orders/:id'),
  route('GET', '/open', { excluded: true }),
];
const [soon, late] = ['2026-11-17T10:00:00.000Z', '2026-11-17T12:00:00.000Z'];
const until = (method: string, path: string, endsAt: string) => ({ method, path, endsAt });

test('a rule that allows all of an endpoint counts before one that allows some, and then the later end', () => {
  const rules = [
    until('GET', '/orders/7', late),
    until('GET', '/orders/:id', soon),
    until('*', '/*', '2026-11-17T11:00:00.000Z'),
  ];
  expect([...findTimed(rules, routes)]).toEqual([
    [1, { endsAt: '2026-11-17T11:00:00.000Z', isWhole: true }],
    [0, { endsAt: '2026-11-17T11:00:00.000Z', isWhole: true }],
  ]);
  expect([...findTimed(rules.slice(0, 1), routes)]).toEqual([[1, { endsAt: late, isWhole: false }]]);
});

test('returns no times for a role without temporary rules, and for an instance that sends none', () => {
  const [first] = withTimes(matrix(routes, [role('sales', '---')])).roles;
  expect(first).not.toHaveProperty('timed');
});

test('the next end of all roles is known', () => {
  const roles = [
    role('sales', '---', { temporary: [until('GET', '/orders', late)] }),
    role('support', '---', { temporary: [until('GET', '/orders', soon)] }),
  ];
  expect(untilNextEnd(matrix(routes, roles), Date.parse(soon) - 5)).toBe(5);
  expect(untilNextEnd(matrix(routes, [role('sales', '---')]), 0)).toBeUndefined();
});
