import { expect, it } from 'vitest';
import { createRefusalTime } from '../../../../src/sign-in/login/credentials/refusal-time.ts';

/** Comparisons that take what they are told to, by a clock of their own: ours 10 ms, bcrypt its cost in ms times 10. */
function createWorld() {
  const world = { cost: undefined as number | undefined, now: 0, ours: 10 };
  const refusalTime = createRefusalTime({
    findHighestCost: async () => world.cost,
    compare: async (stored) => {
      world.now += stored === undefined ? world.ours : 10 * Number(stored.slice(4, 6));
    },
    monotonic: () => world.now,
  });
  return { world, refusalTime };
}

it('is half as long again as one of our hashes takes', async () => {
  const { refusalTime } = createWorld();
  await refusalTime.refresh();
  expect(refusalTime.milliseconds).toBe(15);
});

it('is as much longer than the costliest imported hash takes, for as long as there is one', async () => {
  const { world, refusalTime } = createWorld();
  for (const [cost, milliseconds] of [
    [10, 150],
    [12, 180],
    [undefined, 15],
  ] as const) {
    world.cost = cost;
    await refusalTime.refresh();
    expect(refusalTime.milliseconds).toBe(milliseconds);
  }
});

it('forgets a moment in which the machine was busy', async () => {
  const { world, refusalTime } = createWorld();
  world.ours = 100;
  await refusalTime.refresh();
  world.ours = 10;
  await refusalTime.refresh();
  expect(refusalTime.milliseconds).toBe(15);
  world.ours = 100;
  await refusalTime.refresh();
  expect(refusalTime.milliseconds).toBe(15);
});
