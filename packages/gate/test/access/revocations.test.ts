import { describe, expect, it } from 'vitest';
import { createRevocations } from '../../src/access/revocations.ts';

const lifetime = 3600;
const jti = 'AAAAAAAAAAAAAAAAAAAAAA';

/** Revocations whose clock, in seconds, is the test's. */
function createWorld() {
  const world = { seconds: 0 };
  const revocations = createRevocations(lifetime, () => world.seconds * 1000);
  return Object.assign(world, {
    raise: (userId: number) => revocations.apply([{ kind: 'epoch_raised', userId, epoch: 2 }], 1),
    isRevoked: (identity: number) => revocations.isRevoked({ jti, identity, ep: 1 }),
    load: (userId: number) => {
      const loading = revocations.load();
      loading.take({ kind: 'epochs', epochs: [{ userId, epoch: 2 }] });
      loading.finish(1)();
    },
  });
}

describe('raised epochs are kept', () => {
  it('for as long as a token lives that they ended, and not for ever', () => {
    const world = createWorld();
    world.raise(1);
    world.seconds = 3661;
    world.raise(2);
    expect([1, 2].map(world.isRevoked)).toEqual([true, true]);
    world.seconds = 7323;
    world.raise(3);
    expect([1, 2, 3].map(world.isRevoked)).toEqual([false, true, true]);
  });

  it('for a whole lifetime, whenever they were raised, while others are raised all the time', () => {
    for (let raisedAt = 0; raisedAt <= 3 * lifetime; raisedAt += 100) {
      const world = createWorld();
      const pass = (until: number) => {
        for (; world.seconds < until; world.seconds += 50) world.raise(2);
      };
      pass(raisedAt);
      world.raise(1);
      pass(raisedAt + lifetime);
      expect(world.isRevoked(1), `raised after ${raisedAt} s`).toBe(true);
    }
  });

  it('for a whole lifetime after they were loaded', () => {
    const world = createWorld();
    world.seconds = 3 * lifetime;
    world.load(1);
    world.seconds += lifetime;
    world.raise(2);
    expect(world.isRevoked(1)).toBe(true);
  });
});
