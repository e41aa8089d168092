import { describe, expect, it } from 'vitest';
import { createDrainRate } from '../../../src/logs/login-log/drain-rate.ts';

/** A clock that is moved by hand, a batch of so many milliseconds a record, and logins that batches slow down so much. */
function createWorld({ slowdown = 1, perRecord = 0.05 } = {}) {
  const clock = { now: 0 };
  const pace = createDrainRate(() => clock.now);
  /** Stores for a while beside logins every 20 ms that take 30 by themselves; what share of the time batches had. */
  function run(milliseconds: number): { share: number; largest: number } {
    const end = clock.now + milliseconds;
    let stored = 0;
    let largest = 0;
    let nextLoginAt = clock.now;
    const passTo = (at: number, isBeside: boolean) => {
      for (; nextLoginAt <= at; nextLoginAt += 20) {
        clock.now = nextLoginAt;
        pace.noteLogin(isBeside ? 30 * slowdown : 30);
      }
      clock.now = at;
    };
    while (clock.now < end) {
      const size = pace.begin();
      const took = size * perRecord;
      passTo(clock.now + took, true);
      const rest = pace.end(size);
      stored += took;
      largest = Math.max(largest, size);
      passTo(clock.now + Math.min(rest, 30), slowdown > 1);
      passTo(clock.now + Math.max(0, rest - 30), false);
    }
    return { share: stored / milliseconds, largest };
  }
  return { clock, pace, run };
}

describe('a backlog', () => {
  it('drains in whole batches without a pause while no logins come', () => {
    const { pace, clock } = createWorld();
    expect(pace.begin()).toBe(1000);
    clock.now += 50;
    expect(pace.end(1000)).toBe(0);
  });

  it('goes in small batches with a rest after each beside logins, and in whole ones two seconds after the last', () => {
    const { pace, clock } = createWorld();
    pace.noteLogin(30);
    expect(pace.begin()).toBeLessThan(1000);
    clock.now += 8;
    expect(pace.end(100)).toBeGreaterThan(8);
    clock.now += 2000;
    expect(pace.begin()).toBe(1000);
    expect(pace.end(1000)).toBe(0);
  });

  it('rests more while logins beside it are slower, and less where they are not', () => {
    const [slow, fine] = [createWorld({ slowdown: 2 }), createWorld()];
    for (const { run } of [slow, fine]) run(60_000);
    expect(slow.run(20_000).share).toBeLessThan(0.15);
    expect(fine.run(20_000).share).toBeGreaterThan(0.5);
  });

  it('never stops', () => {
    const { run } = createWorld({ slowdown: 10 });
    run(120_000);
    expect(run(20_000).share).toBeGreaterThan(0.05);
  });

  it('has batches of a few milliseconds beside logins, whatever a record takes', () => {
    const { run } = createWorld({ perRecord: 0.2 });
    run(20_000);
    expect(run(5000).largest).toBeLessThanOrEqual(45);
  });
});
