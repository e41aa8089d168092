import { expect, it } from 'vitest';
import { createGrantedLeases } from '../../src/relay/granted-leases.ts';

function createWorld() {
  const clock = { now: 1000 };
  return { clock, grants: createGrantedLeases(() => clock.now) };
}

it('reports the oldest revision that any guard enforces', () => {
  const { grants } = createWorld();
  expect(grants.commit(7)).toBe(7);
  grants.note('a', 8, 3000);
  grants.note('b', 9, 3000);
  expect(grants.least(10)).toBe(8);
  grants.note('a', 10, 3000);
  expect(grants.least(10)).toBe(9);
  grants.release('b');
  expect(grants.least(10)).toBe(10);
  expect(grants.least(9)).toBe(9);
});

it('a grant counts until it ends, and not a moment less', () => {
  const { clock, grants } = createWorld();
  grants.note('a', 8, 3000);
  clock.now += 2999;
  expect([grants.least(10), grants.isAnyLive()]).toEqual([8, true]);
  clock.now += 50;
  expect([grants.least(10), grants.isAnyLive()]).toEqual([10, false]);
});

it('a renewal that was overtaken neither lowers nor shortens what is noted', () => {
  const { clock, grants } = createWorld();
  grants.note('a', 9, 3000);
  grants.note('a', 8, 100);
  expect(grants.least(10)).toBe(9);
  clock.now += 2999;
  expect(grants.isAnyLive()).toBe(true);
});

it('keeps the reported revision as the floor, which never falls', () => {
  const { grants } = createWorld();
  expect(grants.floor).toBe(Number.NEGATIVE_INFINITY);
  grants.note('a', 8, 3000);
  expect([grants.least(10), grants.floor]).toEqual([8, Number.NEGATIVE_INFINITY]);
  expect([grants.commit(10), grants.floor]).toEqual([8, 8]);
  expect([grants.commit(-1), grants.floor]).toEqual([-1, 8]);
});

it('to release what is not there changes nothing', () => {
  const { grants } = createWorld();
  grants.note('a', 8, 3000);
  grants.release('b');
  grants.release('a');
  grants.release('a');
  grants.note('b', 9, 3000);
  expect(grants.least(10)).toBe(9);
});
