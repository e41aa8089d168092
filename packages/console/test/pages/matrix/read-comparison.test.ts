import { expect, test } from 'vitest';
import { findIdle } from '../../../src/pages/matrix/read-comparison.ts';

const [orders, items] = [
  { method: 'GET', path: '/orders' },
  { method: 'GET', path: '/items' },
];
const nothing = { count: 0, items: [] };

test('a change is idle where it neither gives nor takes anything', () => {
  const idle = findIdle({
    revision: 1,
    added: [orders, items],
    removed: [orders],
    gains: [{ ...items }],
    losses: [],
    routes: { gained: nothing, lost: nothing, complete: true },
    users: { count: 0, more: false },
  });
  expect(idle).toEqual({ added: [orders], removed: [orders] });
});
