import { HistoryLost, type MemberTransport, type ReportResult } from '@portcullis/gate';
import { beforeEach, expect, it } from 'vitest';
import { createClusterCounts } from '../../../src/base/ops/cluster-counts.ts';

let at = 0;
const clocks = { now: () => 1_800_000_000_000 + at, monotonic: () => 5000 + at };
let counts: ReturnType<typeof createClusterCounts>;
let found: ReportResult | undefined;
let transport: MemberTransport;
beforeEach(() => {
  at = 0;
  counts = createClusterCounts(clocks);
  transport = counts.watchReports({
    report: async () => found,
    register: async () => {},
    markMembershipComplete: async () => {},
    latch: async () => {},
    deregister: async () => {},
    onNotification: () => {},
  });
});

const foundAt = (n: number): ReportResult => ({
  n,
  mark: '',
  at: clocks.now() - 1500,
  incarnation: 'one',
  membershipComplete: true,
  leaseMilliseconds: 10_000,
  instances: 3,
});

it('knows nothing before the first report, nor from one that found no row', async () => {
  expect(counts.read(-1)).toMatchObject({ newest: -1, lagSeconds: 0, members: 0 });
  found = undefined;
  expect(await transport.report(7)).toBe(undefined);
  expect(counts.read(-1)).toMatchObject({ newest: -1, lagSeconds: 0, members: 0 });
});

it('lags from the first report that found something newer until it is enforced', async () => {
  found = foundAt(8);
  await transport.report(7);
  at = 2000;
  await transport.report(7);
  at = 3000;
  expect(counts.read(7)).toMatchObject({ newest: 8, lagSeconds: 3 });
  expect(counts.read(8)).toMatchObject({ newest: 8, lagSeconds: 0 });
  await transport.report(8);
  at = 9000;
  expect(counts.read(8).lagSeconds).toBe(0);
  found = foundAt(9);
  await transport.report(8);
  expect(counts.read(8).lagSeconds).toBe(0);
});

it('says how far the clock is ahead, and how many members there are', async () => {
  found = foundAt(1);
  await transport.report(1);
  expect(counts.read(1)).toMatchObject({ clockOffsetSeconds: 1.5, members: 3 });
});

it('times every wait, also one that fails', async () => {
  const pass = counts.watchWaits(async (fails: boolean) => {
    at += 40;
    if (fails) throw new Error('restarted');
  });
  await pass(false);
  await expect(pass(true)).rejects.toThrow('restarted');
  const { buckets, sum } = counts.read(1).barrierWaits;
  expect(new Map(buckets).get(0.025)).toBe(0);
  expect(new Map(buckets).get(0.05)).toBe(2);
  expect(sum).toBeCloseTo(0.08);
});

it('says why there is no lease: a lost history, until a report finds none, or a database that is not settled', async () => {
  expect(counts.whyNoLease()).toBe(undefined);
  counts.countFollowFailure(new HistoryLost('Something is missing'));
  counts.countFollowFailure(new Error('away'));
  expect(counts.whyNoLease()).toContain('run `portcullis recover`');
  expect(counts.read(1).historyLost).toBe(true);
  found = { ...foundAt(1), membershipComplete: false };
  await transport.report(1);
  expect(counts.whyNoLease()).toContain('waiting for it to settle');
  expect(counts.read(1).historyLost).toBe(false);
  found = foundAt(1);
  await transport.report(1);
  expect(counts.whyNoLease()).toBe(undefined);
});
