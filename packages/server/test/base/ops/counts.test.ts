import { AppError, errorTable, loginReasons } from '@portcullis/contract';
import { describe, expect, it } from 'vitest';
import { createDecisionCounts, decisionResults, samplesOf } from '../../../src/base/ops/decision-counts.ts';
import { createLoginCounts } from '../../../src/base/ops/login-counts.ts';
import { createProcessFigures } from '../../../src/base/ops/process-figures.ts';
import { createQueueCounts } from '../../../src/base/ops/queue-counts.ts';

describe('decisions', () => {
  it('counts a check that failed unexpectedly as internal', () => {
    const counts = createDecisionCounts();
    counts.count(new Error('x'));
    counts.count(new AppError('conflict'));
    expect(counts.read().get('internal')).toBe(2);
    expect(counts.read().get('allow')).toBe(0);
  });

  it('have every result from the start, and no other', () => {
    const counts = createDecisionCounts();
    for (const kind of Object.keys(errorTable) as (keyof typeof errorTable)[])
      counts.count(new AppError(kind));
    counts.count();
    const samples = samplesOf('public', counts);
    expect(samples.map(({ labels }) => labels.result).toSorted()).toEqual([...decisionResults].toSorted());
    expect(samples.every(({ value }) => value > 0)).toBe(true);
  });
});

describe('logins', () => {
  it('leave out logouts', () => {
    const counts = createLoginCounts();
    counts.count({ outcome: 'success', reason: 'logout' });
    expect(counts.read().every(({ value }) => value === 0)).toBe(true);
  });

  it('are counted under their one outcome and reason', () => {
    const counts = createLoginCounts();
    counts.count({ outcome: 'failure', reason: 'captcha_wrong' });
    expect(counts.read()).toContainEqual({
      labels: { outcome: 'failure', reason: 'captcha_wrong' },
      value: 1,
    });
    expect(counts.read()).toHaveLength(loginReasons.length - 1);
  });
});

describe('a queue', () => {
  it('counts what was refused without a turn', async () => {
    const queue = createQueueCounts();
    const refusal = queue.watch(
      () => Promise.reject(new Error('full')),
      async () => 1,
    );
    expect(queue).toMatchObject({ waiting: 1, running: 0, refused: 0 });
    await expect(refusal).rejects.toThrow('full');
    expect(queue).toMatchObject({ waiting: 0, running: 0, refused: 1 });
  });

  it('does not count a job that failed in its turn as refused', async () => {
    const queue = createQueueCounts();
    const { promise: turn, resolve: begin } = Promise.withResolvers<void>();
    const { promise: work, reject: fail } = Promise.withResolvers<void>();
    const watched = queue.watch(
      async (job) => {
        await turn;
        return await job();
      },
      () => work,
    );
    expect(queue).toMatchObject({ waiting: 1, running: 0 });
    begin();
    await turn;
    expect(queue).toMatchObject({ waiting: 0, running: 1 });
    fail(new Error('wrong'));
    await expect(watched).rejects.toThrow('wrong');
    expect(queue).toMatchObject({ waiting: 0, running: 0, refused: 0 });
  });
});

it('reads figures of the process that can be true', () => {
  const read = createProcessFigures();
  const figures = read();
  for (const [name, value] of Object.entries(figures)) expect(value, name).toBeGreaterThanOrEqual(0);
  expect(figures.process_open_fds).toBeGreaterThan(2);
  expect(figures.process_start_time_seconds).toBeLessThan(Date.now() / 1000);
  expect(figures.nodejs_eventloop_lag_p99_seconds).toBeLessThan(60);
});
