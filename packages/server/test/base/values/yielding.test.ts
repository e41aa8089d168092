import { describe, expect, it } from 'vitest';
import { createYielding } from '../../../src/base/values/yielding.ts';

/** Each item takes as many milliseconds as it says. */
function createClock() {
  let now = 0;
  return {
    monotonic: () => now,
    work: (milliseconds: number) => {
      now += milliseconds;
      return true;
    },
  };
}

describe('every', () => {
  it('is false where one does not pass, and looks at none behind it', async () => {
    const { monotonic } = createClock();
    const seen: number[] = [];
    const passes = (item: number) => seen.push(item) > 0 && item !== 2;
    expect(await createYielding({ monotonic }).every([1, 2, 3], passes)).toBe(false);
    expect(seen).toEqual([1, 2]);
  });

  it('is false where it takes more work than one request may have', async () => {
    const { monotonic, work } = createClock();
    const turns = createYielding({ monotonic, mostMilliseconds: 100 });
    expect(await turns.every(Array(12).fill(10), work)).toBe(false);
    expect(await turns.every(Array(10).fill(10), work)).toBe(true);
  });

  it('is true where all pass, and where there are none', async () => {
    const turns = createYielding(createClock());
    expect(await turns.every([1, 2], () => true)).toBe(true);
    expect(await turns.every([], () => false)).toBe(true);
  });
});

it('filter keeps those that pass, in their order', async () => {
  const { monotonic, work } = createClock();
  const kept = await createYielding({ monotonic }).filter([3, 9, 4, 9, 5], (item) => work(item) && item < 9);
  expect(kept).toEqual([3, 4, 5]);
});

it('however many work at once, something else comes between two turns', async () => {
  const { monotonic, work } = createClock();
  const turns = createYielding({ monotonic });
  const events: string[] = [];
  let isWorking = true;
  const lookIn = () => {
    events.push('look');
    if (isWorking) setImmediate(lookIn);
  };
  setImmediate(lookIn);
  const works = ['a', 'b', 'c'].map((name) =>
    turns.every(Array(10).fill(5), (milliseconds: number) => {
      events.push(name);
      return work(milliseconds);
    }),
  );
  await Promise.all(works);
  isWorking = false;
  // The first turn of each comes with the request that brought it.
  const later = events.slice(events.indexOf('look'));
  const runs = later
    .join(' ')
    .split('look')
    .map((run) => run.trim().split(' ').length);
  expect(events.filter((event) => event !== 'look')).toHaveLength(30);
  const lastOfWork = events.findLastIndex((event) => event !== 'look');
  expect(events.slice(0, lastOfWork).filter((event) => event === 'look').length).toBeGreaterThan(20);
  expect(Math.max(...runs)).toBe(1);
});
