import { ClientError } from '@portcullis/client';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';

beforeAll(async () => {
  // Vue would take it for a browser's.
  await import('vue');
  vi.stubGlobal('document', { documentElement: {} });
});
afterAll(() => {
  vi.unstubAllGlobals();
});

const load = () => import('../../src/calls/describe-error.ts');

it('says that the console failed where no call did', async () => {
  const { describeError, kindOf } = await load();
  expect(describeError(new Error('x is not a function'))).toMatch(/^The console itself failed\./);
  expect(kindOf(new Error('x'))).toBeUndefined();
});

it('says what is meant for the reader in its own words', async () => {
  const { describeError, ToldError } = await load();
  expect(describeError(new ToldError('There is a passkey already.'))).toBe('There is a passkey already.');
});

it.each([
  [
    new ClientError('rate_limited', { msg: 'Too many.', retryAfterSeconds: 7 }),
    'Too many. Try again in 7 s.',
  ],
  [new ClientError('invalid', { msg: 'Too short.' }), 'Too short.'],
  [new ClientError('timed_out', {}), /^No answer within \d+ s\./],
  [new ClientError('network', {}), /^No answer from the service\./],
  [new ClientError('not_understood', {}), /^Something between here and the service/],
] as const)('describes a refused or failed call: %s', async (error, said) => {
  const { describeError, kindOf } = await load();
  expect(describeError(error)).toMatch(said);
  expect(kindOf(error)).toBe(error.kind);
});

it('asks again only for what a lost line left out, and twice', async () => {
  const { createQueryClient } = await import('../../src/calls/query-client.ts');
  const { retry } = createQueryClient(() => {}).getDefaultOptions().queries ?? {};
  const isTried = (failures: number, error: Error) => typeof retry === 'function' && retry(failures, error);
  expect([0, 1, 2].map((failures) => isTried(failures, new ClientError('network', {})))).toEqual([
    true,
    true,
    false,
  ]);
  expect(isTried(0, new ClientError('invalid', {}))).toBe(false);
});

it('says of a provider that is away what an administrator can do', async () => {
  const { describeAway } = await import('../../src/pages/provider/describe-away.ts');
  expect([null, undefined].map((error) => describeAway(error, 'Look at it.'))).toEqual(['', '']);
  expect(describeAway(new ClientError('unavailable', { msg: 'Wait.' }), 'Look at it.')).toBe('Look at it.');
  expect(describeAway(new ClientError('invalid', { msg: 'Too short.' }), 'Look at it.')).toBe('Too short.');
});
