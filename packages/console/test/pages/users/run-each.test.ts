import { ClientError } from '@portcullis/client';
import { expect, test } from 'vitest';
import { runEach } from '../../../src/pages/users/run-each.ts';

async function run(refusals: Record<number, unknown> = {}, stopBefore?: number) {
  const [called, ended, failed]: [number[], number[], number[]] = [[], [], []];
  let underWay = 0;
  const left = await runEach([1, 2, 3, 4], {
    async call(item) {
      called.push(item);
      underWay += 1;
      expect(underWay).toBe(1);
      await Promise.resolve();
      underWay -= 1;
      if (item in refusals) throw refusals[item];
    },
    goesOn: () => called.length + 1 !== stopBefore,
    onEnd: (item, error) => (error === undefined ? ended : failed).push(item),
  });
  return { called, ended, failed, left };
}

test('reports a refusal and continues, each user once', async () => {
  const refusals = { 2: new ClientError('conflict', {}), 3: undefined };
  expect(await run(refusals)).toEqual({ called: [1, 2, 3, 4], ended: [1, 4], failed: [2, 3], left: [] });
});

test.each(['signed_out', 'rate_limited'] as const)(
  '%s ends it, and says for whom no call was made',
  async (kind) => {
    expect(await run({ 2: new ClientError(kind, {}) })).toEqual({
      called: [1, 2],
      ended: [1],
      failed: [2],
      left: [3, 4],
    });
  },
);

test('stops before the next call when the user stops it', async () => {
  expect(await run({}, 3)).toEqual({ called: [1, 2], ended: [1, 2], failed: [], left: [3, 4] });
});
