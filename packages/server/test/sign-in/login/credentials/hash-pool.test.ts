import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHashPool } from '../../../../src/sign-in/login/credentials/hash-pool.ts';

// No job waits too long, except where the test requires it.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Jobs that the test ends. */
function createJobs(concurrency: number) {
  const pool = createHashPool(concurrency);
  const started: string[] = [];
  const endings = new Map<string, (error?: Error) => void>();
  const run = (name: string, isUrgent: boolean) =>
    pool.run(() => {
      started.push(name);
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      endings.set(name, (error) => (error === undefined ? resolve(name) : reject(error)));
      return promise;
    }, isUrgent);
  const runLast = (name: string) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    return pool.runLast(() => {
      started.push(name);
      endings.set(name, () => resolve(name));
      return promise;
    });
  };
  const settle = () => new Promise(setImmediate);
  return { run, runLast, started, end: (name: string, error?: Error) => endings.get(name)?.(error), settle };
}

describe('the pool', () => {
  it('refuses what has waited for a second, and never starts it', async () => {
    const { run, started, end, settle } = createJobs(1);
    const first = run('first', true);
    let isRefused = false;
    const late = run('late', true).finally(() => {
      isRefused = true;
    });
    late.catch(() => {});
    await vi.advanceTimersByTimeAsync(999);
    await settle();
    expect(isRefused).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await expect(late).rejects.toMatchObject({ kind: 'rate_limited', retryAfterSeconds: 1 });
    end('first');
    expect(await first).toBe('first');
    await settle();
    expect(started).toEqual(['first']);
  });

  it('runs no more at once than it may, in the order in which they came', async () => {
    const { run, started, end, settle } = createJobs(2);
    const all = ['a', 'b', 'c', 'd'].map((name) => run(name, true));
    await settle();
    expect(started).toEqual(['a', 'b']);
    end('b');
    await settle();
    expect(started).toEqual(['a', 'b', 'c']);
    for (const name of ['a', 'c', 'd']) {
      end(name);
      await settle();
    }
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('keeps its last permit for the urgent, and lets them go first', async () => {
    const { run, started, end, settle } = createJobs(2);
    const all = [run('a', false), run('b', false)];
    await settle();
    expect(started).toEqual(['a']);
    all.push(run('c', true), run('d', true));
    await settle();
    expect(started).toEqual(['a', 'c']);
    end('a');
    await settle();
    expect(started).toEqual(['a', 'c', 'd']);
    for (const name of ['c', 'd', 'b']) {
      end(name);
      await settle();
    }
    await Promise.all(all);
  });

  it.each([1, 2])('of %d lets no stream of urgent ones keep out the others', async (concurrency) => {
    const pool = createHashPool(concurrency);
    let isServed = false;
    const urgentStream = async () => {
      while (!isServed) await pool.run(() => new Promise(setImmediate), true);
    };
    const streams = Array.from({ length: 4 * concurrency }, urgentStream);
    await pool.run(async () => {}, false);
    isServed = true;
    await Promise.all(streams);
  });

  it('with one permit serves every request', async () => {
    const { run, end, settle } = createJobs(1);
    const only = run('only', false);
    await settle();
    end('only');
    expect(await only).toBe('only');
  });

  it('lets administration go after every login, one at a time', async () => {
    const { run, runLast, started, end, settle } = createJobs(2);
    const all = [
      run('a', true),
      run('b', true),
      runLast('last'),
      runLast('later'),
      run('c', true),
      run('d', false),
    ];
    for (const name of ['a', 'b']) {
      await settle();
      end(name);
    }
    await settle();
    expect(started).toEqual(['a', 'b', 'c', 'd']);
    for (const name of ['c', 'd']) end(name);
    await settle();
    expect(started).toEqual(['a', 'b', 'c', 'd', 'last']);
    all.push(run('e', true));
    await settle();
    expect(started).toEqual(['a', 'b', 'c', 'd', 'last', 'e']);
    end('last');
    await settle();
    expect(started.at(-1)).toBe('later');
    for (const name of ['e', 'later']) end(name);
    await Promise.all(all);
  });

  it('lets no flood from unknown networks keep out administration, where there are two permits', async () => {
    const { run, runLast, started, end, settle } = createJobs(2);
    const flood = ['a', 'b', 'c'].map((name) => run(name, false));
    const reset = runLast('reset');
    await settle();
    expect(started).toEqual(['a', 'reset']);
    end('reset');
    expect(await reset).toBe('reset');
    for (const name of ['a', 'b', 'c']) {
      end(name);
      await settle();
    }
    await Promise.all(flood);
  });

  it('refuses administration that has waited for five seconds, and never starts it', async () => {
    const { run, runLast, started, end, settle } = createJobs(1);
    const first = run('first', true);
    const late = runLast('late');
    const refused = expect(late).rejects.toMatchObject({ kind: 'rate_limited' });
    await vi.advanceTimersByTimeAsync(4999);
    expect(started).toEqual(['first']);
    await vi.advanceTimersByTimeAsync(1);
    await refused;
    end('first');
    await first;
    await settle();
    expect(started).toEqual(['first']);
  });

  it('gets its permit back from a job that fails', async () => {
    const { run, end, settle } = createJobs(1);
    const failing = expect(run('failing', true)).rejects.toThrow('out of memory');
    const next = run('next', true);
    await settle();
    end('failing', new Error('out of memory'));
    await failing;
    await settle();
    end('next');
    expect(await next).toBe('next');
  });
});
