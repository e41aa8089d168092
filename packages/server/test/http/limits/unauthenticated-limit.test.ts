import { AppError } from '@portcullis/contract';
import { describe, expect, it } from 'vitest';
import { createUnauthenticatedLimit } from '../../../src/http/limits/unauthenticated-limit.ts';

function createWorld(burst = 5) {
  let milliseconds = 0;
  let verified = 0;
  const charged: string[] = [];
  const budget = createUnauthenticatedLimit<{ ip: string }>({
    requestsPerSecond: 1,
    burst,
    now: () => milliseconds,
    limit: ({ ip }) => void charged.push(ip),
  });
  const verify = (ip: string, isOurs: boolean) =>
    budget
      .verify({ ip }, async () => {
        verified += 1;
        await new Promise(setImmediate);
        if (!isOurs) throw new AppError('token_malformed');
        return 'ours';
      })
      .catch((error: AppError) => error.kind);
  return {
    budget,
    charged,
    verify,
    countVerified: () => verified,
    wait: (elapsed: number) => {
      milliseconds += elapsed;
    },
  };
}

describe('a request with a token to verify', () => {
  it('is refused unverified once so many of the network have failed, until it is forgotten', async () => {
    const { verify, countVerified, wait } = createWorld();
    for (let count = 0; count < 5; count += 1)
      expect(await verify('192.0.2.1', false)).toBe('token_malformed');
    expect(await verify('192.0.2.1', false)).toBe('rate_limited');
    expect(await verify('192.0.2.1', true)).toBe('rate_limited');
    expect(countVerified()).toBe(5);
    wait(1000);
    expect(await verify('192.0.2.1', true)).toBe('ours');
  });

  it('gains nothing from many concurrent requests', async () => {
    const { verify, countVerified } = createWorld();
    const answers = await Promise.all(Array.from({ length: 200 }, () => verify('192.0.2.1', false)));
    expect(answers.filter((answer) => answer === 'token_malformed')).toHaveLength(5);
    expect(countVerified()).toBe(5);
  });

  it('costs nothing when the token is valid, however many come at once: after a restart all do', async () => {
    const { verify } = createWorld();
    const answers = await Promise.all(Array.from({ length: 500 }, () => verify('192.0.2.1', true)));
    expect(new Set(answers)).toEqual(new Set(['ours']));
    expect(await verify('192.0.2.1', true)).toBe('ours');
  });

  it('counts for its network alone, with one IPv6 network as one', async () => {
    const { verify } = createWorld(2);
    for (const host of ['1', '2', '3']) await verify(`2001:db8:1:2::${host}`, false);
    expect(await verify('2001:db8:1:2::9', true)).toBe('rate_limited');
    expect(await verify('2001:db8:1:3::9', true)).toBe('ours');
  });
});

it('charges a request without a valid token as an anonymous one', () => {
  const { budget, charged } = createWorld();
  budget.anonymous({ ip: '192.0.2.1' });
  expect(charged).toEqual(['192.0.2.1']);
});
