import { expect, test } from 'vitest';
import { findRuleChanges } from '../../../src/pages/endpoint/find-rule-changes.ts';

const rule = (path: string) => ({ method: 'GET', path });
const called = { method: 'GET', path: '/orders/:id' };

test('a record of another shape says nothing of an endpoint', () => {
  const shapes = [
    null,
    'x',
    { added: 'x' },
    { added: [null, 7, { method: 'GET' }] },
    { added: { items: 7 } },
  ];
  expect(
    findRuleChanges(
      shapes.map((shape) => ({ before: shape, after: shape })),
      called,
    ),
  ).toEqual([]);
});

test('a change is found by the rules that allow all or some of the endpoint, given, taken or for a while', () => {
  const changes = [
    {
      before: { removed: { count: 0, items: [] } },
      after: { added: { count: 2, items: [rule('/orders/7'), rule('/bills')] } },
    },
    {
      before: { removed: { count: 1, items: [{ method: '*', path: '/*' }] } },
      after: { added: { count: 0, items: [] } },
    },
    { before: { removed: [] }, after: { set: [{ ...called, seconds: 60 }] } },
    { before: { removed: [rule('/bills')] }, after: { set: [] } },
  ];
  expect(findRuleChanges(changes, called)).toEqual([
    { change: changes[0], added: [rule('/orders/7')], removed: [] },
    { change: changes[1], added: [], removed: [{ method: '*', path: '/*' }] },
    { change: changes[2], added: [called], removed: [] },
  ]);
});
