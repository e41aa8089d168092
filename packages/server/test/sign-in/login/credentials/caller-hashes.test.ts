import { expect, it } from 'vitest';
import { createCallerHashes } from '../../../../src/sign-in/login/credentials/caller-hashes.ts';

it('limits hashes per caller and minute, and a third of them at once, separately for each caller', () => {
  let milliseconds = 0;
  const hashes = createCallerHashes({ hash: async () => '', perMinute: 9, now: () => milliseconds });
  const admit = (userId: number) => hashes.admit({ userId });
  for (let count = 0; count < 3; count += 1) admit(7);
  expect(() => admit(7)).toThrow(expect.objectContaining({ kind: 'rate_limited', retryAfterSeconds: 7 }));
  expect(() => admit(7)).toThrow(
    expect.objectContaining({
      text: {
        en: expect.stringMatching(/can set 9 passwords a minute.*`limit\.passwordsSetPerMinute`/),
        zh: expect.stringMatching(/9 个密码.*`limit\.passwordsSetPerMinute`/),
      },
    }),
  );
  admit(8);
  milliseconds += 7000;
  admit(7);
});

it('runs one hash of a caller at a time, in order; a failed one blocks none', async () => {
  const running = new Set<string>();
  let most = 0;
  const hashes = createCallerHashes({
    hash: async (password) => {
      running.add(password);
      most = Math.max(most, running.size);
      await new Promise(setImmediate);
      running.delete(password);
      if (password === 'b') throw new Error('out of memory');
      return `hash of ${password}`;
    },
    perMinute: 60,
    now: () => 0,
  });
  const all = await Promise.allSettled(
    ['a', 'b', 'c'].map((password) => hashes.hash({ userId: 7 }, password)),
  );
  expect(all.map((one) => (one.status === 'fulfilled' ? one.value : 'failed'))).toEqual([
    'hash of a',
    'failed',
    'hash of c',
  ]);
  expect(most).toBe(1);
  await Promise.all([hashes.hash({ userId: 7 }, 'd'), hashes.hash({ userId: 8 }, 'e')]);
  expect(most).toBe(2);
});
