import { expect, it } from 'vitest';
import { createDatabaseClock } from '../../src/member/database-clock.ts';

function create() {
  const machine = { monotonic: 500, wall: 9_000_000 };
  return { machine, clock: createDatabaseClock(() => ({ ...machine })) };
}

it('returns infinity before its first observation', () => {
  expect(create().clock.latest()).toBe(Number.POSITIVE_INFINITY);
});

it('counts from when it was asked, and is early by the error of a clock and never late', () => {
  const { machine, clock } = create();
  const sentAt = { ...machine };
  machine.monotonic += 800;
  machine.wall += 800;
  clock.observe(1_000_000, sentAt);
  expect(clock.latest()).toBe(1_000_000 + 800 * 1.02 + 2000);
});

it.each([
  ['the machine was suspended, and its monotonic clock stood', 0, 5000],
  ['the wall clock was set back', 5000, -1000],
  ['the wall clock was set ahead', 0, 5000],
])('uses the clock that shows more elapsed time where %s', (_, monotonic, wall) => {
  const { machine, clock } = create();
  clock.observe(1_000_000, { ...machine });
  machine.monotonic += monotonic;
  machine.wall += wall;
  expect(clock.latest()).toBe(1_000_000 + 5000 * 1.02 + 2000);
});
