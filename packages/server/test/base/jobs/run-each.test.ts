import { expect, it } from 'vitest';
import { runEach } from '../../../src/base/jobs/run-each.ts';

it('runs the work for every item in spite of failures, and rejects with all of them', async () => {
  const seen: number[] = [];
  const work = async (item: number) => {
    seen.push(item);
    if (item !== 2) throw new Error(String(item));
  };
  await expect(runEach([1, 2, 3], work, 'Some failed.')).rejects.toMatchObject({
    message: 'Some failed.',
    errors: [{ message: '1' }, { message: '3' }],
  });
  expect(seen).toEqual([1, 2, 3]);
});

it('begins no further item when the signal has aborted', async () => {
  const stopping = new AbortController();
  const seen: number[] = [];
  const work = async (item: number) => {
    seen.push(item);
    stopping.abort();
  };
  await runEach([1, 2], work, 'Some failed.', stopping.signal);
  expect(seen).toEqual([1]);
});
