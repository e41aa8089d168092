import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DrainRate } from '../../../src/logs/login-log/drain-rate.ts';

// The drain is loaded anew, with a wait by the clock of the test: files share their modules.
let createDrain: typeof import('../../../src/logs/login-log/drain.ts').createDrain;
beforeAll(async () => {
  vi.resetModules();
  vi.doMock('node:timers/promises', () => ({ setTimeout: wait }));
  ({ createDrain } = await import('../../../src/logs/login-log/drain.ts'));
});
afterAll(() => {
  vi.doUnmock('node:timers/promises');
  vi.resetModules();
});

/** As Node's. */
function wait(milliseconds: number, value: unknown, { signal }: { signal: AbortSignal }): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = globalThis.setTimeout(resolve, milliseconds, value);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

const names = (count: number) => Array.from({ length: count }, (_, index) => String(index));

/** A spool in memory, and a database that fails as often as the test requires. */
function createWorld(texts: readonly string[], pace?: Pick<DrainRate, 'begin' | 'end'>) {
  const world = { waiting: [...texts], stored: [] as string[], sizes: [] as number[], failing: 0, told: 0 };
  const spool = {
    async next(most: number) {
      const piece = world.waiting.slice(0, most);
      if (most < 1) throw new Error('Nothing is asked for.');
      if (piece.length === 0) return undefined;
      return { texts: piece, done: async () => void world.waiting.splice(0, piece.length) };
    },
  };
  const drain = createDrain(spool, {
    ...(pace && { pace }),
    async insert(piece) {
      world.sizes.push(piece.length);
      if (world.failing > 0) {
        world.failing -= 1;
        throw new Error('away');
      }
      world.stored.push(...piece);
    },
    onFailure: () => {
      world.told += 1;
    },
  });
  return { world, drain };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});
const never = new AbortController().signal;

describe('while the database is away, the drain', () => {
  it('keeps everything, reports the failure once, and stores it in its order when the database is back', async () => {
    const { world, drain } = createWorld(names(2500));
    world.failing = 5;
    const running = drain.run(never);
    await vi.advanceTimersByTimeAsync(4999);
    expect(world.stored).toEqual([]);
    expect(drain.oldest).toBe('0');
    await vi.advanceTimersByTimeAsync(1);
    await running;
    expect(world.stored).toEqual(names(2500));
    expect(world.told).toBe(1);
    expect(drain.oldest).toBeUndefined();
  });

  it('reduces the batch each time: a batch may be too large for the limit of a statement', async () => {
    const { world, drain } = createWorld(names(2000));
    world.failing = 12;
    const running = drain.run(never);
    await vi.advanceTimersByTimeAsync(12_000);
    await running;
    expect(world.sizes).toEqual([1000, 500, 250, 125, 62, 31, 15, 7, 3, 1, 1, 1, 1, 1000, 999]);
  });

  it('loses nothing, however long the database is away', async () => {
    const { world, drain } = createWorld(names(20));
    world.failing = 1100;
    const running = drain.run(never);
    await vi.advanceTimersByTimeAsync(1_100_000);
    await running;
    expect(world.stored).toEqual(names(20));
  });

  it('ends at once when it is stopped', async () => {
    const { world, drain } = createWorld(names(3));
    world.failing = Infinity;
    const stopping = new AbortController();
    const running = drain.run(stopping.signal);
    running.catch(() => {});
    await vi.advanceTimersByTimeAsync(500);
    stopping.abort();
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    expect(vi.getTimerCount()).toBe(0);
    expect(world.waiting).toEqual(names(3));
  });

  it('ends after the given number of failures', async () => {
    const { world, drain } = createWorld(names(3));
    world.failing = Infinity;
    await expect(drain.run(never, 1)).rejects.toThrow('away');
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the drain', () => {
  it('pauses after every batch as long as the rate requires, also after a small one', async () => {
    const ended: number[] = [];
    const pace = {
      begin: () => 10,
      end(records: number) {
        ended.push(records);
        return 100;
      },
    };
    const { world, drain } = createWorld(names(13), pace);
    const running = drain.run(never);
    await vi.advanceTimersByTimeAsync(99);
    expect(ended).toEqual([10]);
    await vi.advanceTimersByTimeAsync(100);
    expect(ended).toEqual([10, 3]);
    await vi.advanceTimersByTimeAsync(1);
    await running;
    expect(world.stored).toEqual(names(13));
    expect(ended).toEqual([10, 3, 0]);
  });

  it('reports a failure again after a success', async () => {
    const { world, drain } = createWorld(names(1));
    for (const text of ['a', 'b']) {
      world.waiting.push(text);
      world.failing = 2;
      const running = drain.run(never);
      await vi.advanceTimersByTimeAsync(2000);
      await running;
    }
    expect(world.told).toBe(2);
  });

  it('stores nothing once it was told to end', async () => {
    const { world, drain } = createWorld(names(1));
    await expect(drain.run(AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
    expect(world.stored).toEqual([]);
  });
});
