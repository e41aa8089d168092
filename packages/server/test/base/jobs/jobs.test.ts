// Background jobs, with pauses and a clock that the test controls.
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { claimed } from '../../../src/base/jobs/claimed.ts';
import { type Job, type Jobs, startJobs } from '../../../src/base/jobs/jobs.ts';

interface Pause {
  readonly milliseconds: number;
  /** Undefined for a pause of `close`. */
  readonly name: string | undefined;
  end(): void;
}

const started: Jobs[] = [];
const busyPasses: PromiseWithResolvers<void>[] = [];
let isOver = false;
beforeEach(() => {
  isOver = false;
});
afterEach(async () => {
  isOver = true;
  for (const { resolve } of busyPasses.splice(0)) resolve();
  await Promise.all(started.splice(0).map((jobs) => jobs.close()));
});

function start(jobs: readonly Job[]) {
  const pauses: Pause[] = [];
  const lines: object[] = [];
  const time = { now: 1_000_000 };
  let wake = Promise.withResolvers<void>();
  const running = startJobs(jobs, {
    logger: { error: (facts, message) => void lines.push({ ...facts, message }) },
    now: () => time.now,
    monotonic: () => time.now,
    random: () => 0.25,
    wait(milliseconds, signal, job) {
      if (signal.aborted || isOver) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      signal.addEventListener('abort', () => resolve());
      pauses.push({ milliseconds, name: job?.name, end: resolve });
      wake.resolve();
      wake = Promise.withResolvers();
      return promise;
    },
  });
  /** The next pause that begins, or has begun since the last call. */
  async function nextPause(): Promise<Pause> {
    const noted = new AbortController();
    const late = sleep(5000, undefined, { signal: noted.signal }).then(() => {
      throw new Error('No pause begins.');
    });
    while (pauses.length === 0) await Promise.race([wake.promise, late]);
    late.catch(() => {});
    noted.abort();
    return pauses.shift() as Pause;
  }
  started.push(running);
  return { jobs: running, nextPause, lines, time };
}

const job = (run: Job['run'], change: Partial<Job> = {}): Job => ({
  name: 'sweep',
  every: 60_000,
  run,
  ...change,
});

it('runs a job after its pause, and again after each further pause', async () => {
  let passes = 0;
  const count = async () => {
    passes += 1;
  };
  const { nextPause } = start([job(count)]);
  for (const before of [0, 1, 2]) {
    const pause = await nextPause();
    expect([pause.milliseconds, passes]).toEqual([60_000, before]);
    pause.end();
  }
});

it('runs a job at the start, and again at once while there is more to do', async () => {
  let left = 3;
  const { nextPause } = start([job(async () => left-- > 0, { atStart: true })]);
  await nextPause();
  expect(left).toBe(-1);
});

it('gives the pauses of a job with jitter a random length', async () => {
  const { nextPause } = start([job(async () => {}, { jitter: true })]);
  expect((await nextPause()).milliseconds).toBe(45_000);
});

it('begins the next pass of a job whose pass failed after its pause, and counts the failure', async () => {
  let passes = 0;
  const { jobs, nextPause, lines, time } = start([
    job(
      async () => {
        passes += 1;
        if (passes <= 2) throw new Error('no connection');
      },
      { atStart: true },
    ),
  ]);
  const figures = (failures: number, succeededAt: number) => [{ name: 'sweep', failures, succeededAt }];
  const begunAt = time.now;
  for (const failures of [1, 2]) {
    const pause = await nextPause();
    expect(jobs.figures()).toEqual(figures(failures, begunAt));
    time.now += 1000;
    pause.end();
  }
  await nextPause();
  expect(passes).toBe(3);
  expect(jobs.figures()).toEqual(figures(2, begunAt + 2000));
  expect(lines).toEqual([
    { err: new Error('no connection'), job: 'sweep', leftOut: 0, message: 'a background job failed' },
  ]);
});

it('counts a job that throws before it returns a promise, and one that rejects without an error', async () => {
  const fail = () => {
    throw new Error('at once');
  };
  const reject = () => Promise.reject(undefined);
  const { jobs, nextPause } = start([fail, reject].map((run) => job(run, { atStart: true })));
  for (const _ of ['fail', 'reject']) await nextPause();
  expect(jobs.figures()).toMatchObject([{ failures: 1 }, { failures: 1 }]);
});

it('logs a failure that several jobs share once, and the next one at once after a success', async () => {
  let isAway = true;
  const run = async () => {
    if (isAway) throw new Error('no connection');
  };
  const names = ['one', 'other'];
  const { nextPause, lines, jobs } = start(names.map((name) => job(run, { name, atStart: true })));
  const passEach = async () => {
    const pauses = [await nextPause(), await nextPause()];
    for (const { end } of pauses) end();
  };
  await passEach();
  expect(lines).toHaveLength(1);
  isAway = false;
  await passEach();
  isAway = true;
  await passEach();
  await nextPause();
  await nextPause();
  expect(lines).toMatchObject([{ job: 'one' }, { job: 'one' }]);
  expect(jobs.figures()).toMatchObject([
    { name: 'one', failures: 3 },
    { name: 'other', failures: 3 },
  ]);
});

it('a close ends the pauses, and starts no pass after them', async () => {
  const passes: string[] = [];
  const { jobs, nextPause } = start([job(async () => void passes.push('a pass'))]);
  await nextPause();
  await jobs.close();
  expect(passes).toEqual([]);
});

/** A job whose pass has begun, and ends when the test says so. */
async function startBusy(change: Partial<Job> = {}) {
  const [begun, end] = [Promise.withResolvers<AbortSignal>(), Promise.withResolvers<void>()];
  busyPasses.push(end);
  const order: string[] = [];
  const run = async (signal: AbortSignal) => {
    begun.resolve(signal);
    await end.promise;
    order.push('passed');
    return true;
  };
  const world = start([job(run, { atStart: true, ...change })]);
  const signal = await begun.promise;
  const close = () => world.jobs.close().then(() => order.push('closed'));
  return { ...world, signal, end, order, close };
}

it('a close aborts the signal of the running pass, waits for the pass, and starts no other one', async () => {
  const { signal, end, order, close, nextPause, lines } = await startBusy();
  expect(signal.aborted).toBe(false);
  const closed = close();
  expect(signal.aborted).toBe(true);
  expect(await nextPause()).toMatchObject({ milliseconds: 3000, name: undefined });
  await turn();
  expect(order).toEqual([]);
  end.resolve();
  await closed;
  expect([order, lines]).toEqual([['passed', 'closed'], []]);
});

it('a close interrupts a pass that does not end, and then waits for it again', async () => {
  const interrupted: string[] = [];
  const { end, order, close, nextPause } = await startBusy({
    interrupt: () => {
      interrupted.push('interrupted');
      end.resolve();
    },
  });
  const closed = close();
  const { end: passTime } = await nextPause();
  expect(interrupted).toEqual([]);
  passTime();
  await closed;
  expect([interrupted, order]).toEqual([['interrupted'], ['passed', 'closed']]);
});

it('a close gives up a pass that does not end, and logs its name', async () => {
  const { end, order, close, nextPause, lines } = await startBusy();
  const closed = close();
  for (const _ of ['until the interruption', 'until the end']) (await nextPause()).end();
  await closed;
  expect([order, lines]).toEqual([
    ['closed'],
    [{ job: 'sweep', message: 'a background job did not end in time' }],
  ]);
  end.resolve();
});

it('does not count a pass that was aborted, and counts any other failure during a close', async () => {
  for (const [cause, failures] of [
    [new DOMException('This operation was aborted', 'AbortError'), 0],
    [new Error('the mail was sent, and is not marked'), 1],
  ] as const) {
    const { jobs, end, close } = await startBusy();
    const closed = close();
    end.reject(cause);
    await closed;
    expect(jobs.figures()).toMatchObject([{ failures }]);
  }
});

it('does each item of a queue that two instances share once', async () => {
  const queue = ['a', 'b', 'c', 'd'];
  const done: string[] = [];
  const run = claimed(
    async () => queue.shift(),
    async (item) => void done.push(item),
  );
  const instances = [start([job(run, { atStart: true })]), start([job(run, { atStart: true })])];
  await Promise.all(instances.map(({ nextPause }) => nextPause()));
  expect(done.toSorted()).toEqual(['a', 'b', 'c', 'd']);
  expect(instances.flatMap(({ jobs }) => jobs.figures()).map(({ failures }) => failures)).toEqual([0, 0]);
});
