// How many ask one provider at once.
import { expect, it } from 'vitest';
import { createProviderConcurrencyLimit } from '../../../src/sign-in/providers/concurrency-limit.ts';

it('refuses a call above the limit of its provider, until another call ends', async () => {
  const places = createProviderConcurrencyLimit(2);
  const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const one = places.run('sso', () => first.promise);
  const two = places.run('sso', () => second.promise);
  const refusal = { kind: 'rate_limited' };
  await expect(places.run('sso', async () => 'third')).rejects.toMatchObject(refusal);
  expect(await places.run('other', async () => 'other')).toBe('other');
  first.resolve('first');
  expect(await one).toBe('first');
  expect(await places.run('sso', async () => 'third')).toBe('third');
  // A place is free also where the work failed.
  second.reject(new Error('away'));
  await expect(two).rejects.toThrow('away');
  const both = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
  const running = both.map(({ promise }) => places.run('sso', () => promise));
  await expect(places.run('sso', async () => 0)).rejects.toMatchObject(refusal);
  for (const [index, { resolve }] of both.entries()) resolve(index);
  expect(await Promise.all(running)).toEqual([0, 1]);
});
