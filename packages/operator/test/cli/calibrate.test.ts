// `portcullis calibrate`: what it recommends, and that it measures.
import { describe, expect, it, vi } from 'vitest';
import { recommend } from '../../src/cli/commands/calibrate/calibrate.ts';
import { runCommand } from './run-command.ts';

vi.setConfig({ testTimeout: 600_000 });

const measured = (mebibytes: number, passes: number, busyMilliseconds: number) => ({
  ...{ memoryKibibytes: mebibytes * 1024, passes, busyMilliseconds },
  ...{ aloneMilliseconds: busyMilliseconds, perSecond: 1000 / busyMilliseconds },
});
const limits = { target: 250, concurrency: 1 };

describe('the recommendation', () => {
  it('is never too cheap for a brute-force attack, however slow the machine', () => {
    const measures = [measured(1, 1, 1), measured(19, 2, 900), measured(46, 1, 800)];
    expect(recommend(measures, limits)).toEqual({
      memoryKibibytes: 47_104,
      passes: 1,
      isWithinTarget: false,
    });
  });

  it('is never one that would take more than a quarter of the memory', () => {
    const measures = [measured(19, 2, 50), measured(64, 2, 100)];
    expect(recommend(measures, { ...limits, concurrency: 1_000_000 })).toMatchObject({
      isWithinTarget: false,
    });
  });

  it('is the strongest within the target, of equals the one with more memory', () => {
    const measures = [measured(19, 2, 50), measured(23, 4, 200), measured(46, 2, 200), measured(64, 3, 251)];
    expect(recommend(measures, limits)).toEqual({ memoryKibibytes: 47_104, passes: 2, isWithinTarget: true });
  });
});

it('measures the current setting among others, without a database and whatever the settings say', async () => {
  const environment = { HASH_MEMORY_KIBIBYTES: '8192', HASH_PASSES: '1', AUTH_MASTER_KEY: 'none' };
  const ended = await runCommand(['calibrate', '--json', '--target', '10000'], { url: 'none', environment });
  expect(ended.code).toBe(0);
  const { measures, recommended } = JSON.parse(ended.stdout);
  expect(measures).toHaveLength(7);
  expect(measures[0]).toMatchObject({ memoryKibibytes: 8192, passes: 1, isCurrent: true });
  for (const { aloneMilliseconds, busyMilliseconds, perSecond } of measures)
    expect(Math.min(aloneMilliseconds, busyMilliseconds, perSecond)).toBeGreaterThan(0);
  expect(recommended).toMatchObject({ memoryKibibytes: 65_536, passes: 3 });
});
