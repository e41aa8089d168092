import type { LoginAttempt } from '@portcullis/contract';
import { expect, it } from 'vitest';
import type { LoginCounts } from '../../src/base/ops/login-counts.ts';
import type { ProviderCounts } from '../../src/base/ops/provider-counts.ts';
import { countLogins } from '../../src/compose/count-logins.ts';
import type { LoginLog } from '../../src/logs/login-log/login-log.ts';

const attempt = (outcome: 'success' | 'failure', reason: string) =>
  ({ outcome, reason, userId: 7 }) as unknown as LoginAttempt;

function createCounted(record: LoginLog['record']) {
  const told: string[] = [];
  const counts = {
    count: ({ outcome, reason }: { outcome: string; reason: string }) =>
      void told.push(`login ${outcome} ${reason}`),
  } as unknown as LoginCounts;
  const providers = {
    count: ({ outcome }: { outcome: string }) => void told.push(`provider ${outcome}`),
  } as unknown as ProviderCounts;
  const log = countLogins({ record } as LoginLog, counts, providers);
  return { told, log };
}

it('counts a success that could not be kept as a refusal, and rejects it', async () => {
  const { told, log } = createCounted(() => Promise.reject(new Error('the disk is full')));
  await expect(log.record(attempt('success', 'ok'))).rejects.toThrow('the disk is full');
  expect(told).toEqual(['login failure unavailable']);
});

it('counts a refusal that could not be kept for its own reason', async () => {
  const { told, log } = createCounted(() => Promise.reject(new Error('the disk is full')));
  await expect(log.record(attempt('failure', 'captcha_wrong'))).rejects.toThrow();
  expect(told).toEqual(['login failure captcha_wrong']);
});

it('counts an attempt when it is kept, and not before', async () => {
  const kept = Promise.withResolvers<void>();
  const { told, log } = createCounted(() => kept.promise);
  const recorded = log.record(attempt('success', 'ok'));
  expect(told).toEqual([]);
  kept.resolve();
  await recorded;
  expect(told).toEqual(['login success ok', 'provider success']);
});
