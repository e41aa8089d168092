// Background jobs: each runs in a loop with a pause between its passes until it is closed. This is the one place that counts and
// logs a pass that fails. A failure never ends the loop.
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogDeduplication } from '../ops/log-deduplication.ts';

export interface Job {
  /** Names the job in the process log and in the metrics. */
  readonly name: string;
  /** The pause between two passes, in milliseconds. */
  readonly every: number;
  /** One pass. After `true` the next pass begins at once. A long pass ends soon after the signal aborts. */
  readonly run: (signal: AbortSignal) => Promise<void> | Promise<boolean>;
  /** Whether the first pass begins at once, and not after a pause. */
  readonly atStart?: boolean;
  /** Whether each pause has a random length of 0.5 to 1.5 times `every`, so that instances do not poll together. */
  readonly jitter?: boolean;
  /** Called if a pass has not ended some seconds after the signal aborted. */
  readonly interrupt?: () => void;
}

export interface JobFigures {
  readonly name: string;
  readonly failures: number;
  /** When a pass last succeeded, or the job started, in milliseconds since 1970. */
  readonly succeededAt: number;
}

export interface Jobs {
  figures(): readonly JobFigures[];
  /** Starts no further pass, and resolves when the running passes have ended or are given up. */
  close(): Promise<void>;
}

/** Never rejects; resolves early when the signal aborts. */
export type Wait = (milliseconds: number, signal: AbortSignal, job?: Job) => Promise<void>;

export interface JobsOptions {
  readonly logger: { error(facts: object, message: string): void };
  readonly now: () => number;
  readonly monotonic: () => number;
  readonly random: () => number;
  readonly wait?: Wait | undefined;
}

/** How long `close` waits until it interrupts the running passes, and then until it gives them up. */
const patienceMilliseconds = 3000;

export const waitByTimer: Wait = (milliseconds, signal) =>
  sleep(milliseconds, undefined, { signal }).catch(() => {});

export function startJobs(jobs: readonly Job[], options: JobsOptions): Jobs {
  const { logger, now, monotonic, random, wait = waitByTimer } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  // One for all jobs: when the database is unavailable, all report the same.
  const repeated = createLogDeduplication(monotonic);
  const states = jobs.map((job) => ({
    job,
    failures: 0,
    isFailing: false,
    succeededAt: now(),
    hasEnded: false,
  }));
  type State = (typeof states)[number];

  function report(state: State, err: Error): void {
    if (signal.aborted && err.name === 'AbortError') return;
    state.failures += 1;
    state.isFailing = true;
    const leftOut = repeated.tell(err.message);
    if (leftOut !== undefined) logger.error({ err, job: state.job.name, leftOut }, 'a background job failed');
  }

  /** Whether the next pass begins at once. */
  async function runPass(state: State): Promise<boolean> {
    try {
      const isMore = await state.job.run(signal);
      if (state.isFailing) repeated.forget();
      state.isFailing = false;
      state.succeededAt = now();
      return isMore === true;
    } catch (error) {
      report(state, error instanceof Error ? error : new Error(String(error)));
      return false;
    }
  }

  async function loop(state: State): Promise<void> {
    const { job } = state;
    const pause = () => wait(job.every * (job.jitter === true ? 0.5 + random() : 1), signal, job);
    if (job.atStart !== true) await pause();
    while (!signal.aborted) if (!(await runPass(state))) await pause();
    state.hasEnded = true;
  }

  const ended = Promise.all(states.map(loop));
  const listRunning = () => states.filter(({ hasEnded }) => !hasEnded);

  async function waitForEnd(): Promise<void> {
    const inTime = new AbortController();
    await Promise.race([ended, wait(patienceMilliseconds, inTime.signal)]);
    inTime.abort();
  }

  return {
    figures: () =>
      states.map(({ job: { name }, failures, succeededAt }) => ({ name, failures, succeededAt })),
    async close() {
      stopping.abort();
      await waitForEnd();
      for (const { job } of listRunning()) job.interrupt?.();
      if (listRunning().length > 0) await waitForEnd();
      for (const { job } of listRunning())
        logger.error({ job: job.name }, 'a background job did not end in time');
    },
  };
}
