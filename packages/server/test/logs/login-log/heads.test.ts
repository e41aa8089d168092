import { describe, expect, it } from 'vitest';
import type { Head } from '../../../src/logs/evidence/head-store.ts';
import { signLink } from '../../../src/logs/login-log/chain.ts';
import { createHeads } from '../../../src/logs/login-log/heads.ts';
import { chainKey, rowWith, startChain, textsOf } from './rows.ts';

function createWorld() {
  const written: Head[] = [];
  const world = { isAway: false, duringInsert: () => {} };
  const heads = createHeads({
    key: chainKey,
    insert: async (head) => {
      if (world.isAway) throw new Error('away');
      world.duringInsert();
      written.push(head);
    },
  });
  return { heads, written, world };
}
const rows = (count: number) => Array.from({ length: count }, () => rowWith());

describe('a head', () => {
  it('that could not be written is written the next time', async () => {
    const { heads, written, world } = createWorld();
    const chain = startChain();
    heads.note(textsOf(rows(3), chain));
    world.isAway = true;
    await expect(heads.write()).rejects.toThrow('away');
    world.isAway = false;
    await heads.write();
    expect(written.map(({ seq }) => seq)).toEqual([3]);
  });

  it('is of the last record that was stored of a chain, and signed', async () => {
    const { heads, written } = createWorld();
    const chain = startChain();
    heads.note(textsOf(rows(2), chain));
    heads.note(textsOf(rows(3), chain));
    await heads.write();
    const signature = signLink(chainKey, chain.id, chain.last, 'head');
    expect(written).toEqual([{ chain: chain.id, ...chain.last, signature }]);
  });

  it('is written for every chain of a batch', async () => {
    const { heads, written } = createWorld();
    const [one, other] = [startChain(), startChain()];
    heads.note([...textsOf(rows(2), one), ...textsOf(rows(3), other)]);
    await heads.write();
    expect(written.map(({ chain, seq }) => [chain, seq])).toEqual([
      [one.id, 2],
      [other.id, 3],
    ]);
  });

  it('is not written again while its chain has not grown', async () => {
    const { heads, written } = createWorld();
    heads.note(textsOf(rows(1)));
    await heads.write();
    await heads.write();
    expect(written).toHaveLength(1);
  });

  it('is written again where its chain grew in the meantime', async () => {
    const { heads, written, world } = createWorld();
    const chain = startChain();
    heads.note(textsOf(rows(1), chain));
    world.duringInsert = () => {
      world.duringInsert = () => {};
      heads.note(textsOf(rows(1), chain));
    };
    await heads.write();
    await heads.write();
    expect(written.map(({ seq }) => seq)).toEqual([1, 2]);
  });

  it('is of the right chain, whatever a client writes into its agent', async () => {
    const { heads, written } = createWorld();
    const chain = startChain();
    const agents = ['"chain":"x', '\\"chain\\":\\"', '","chain":"00000000-0000-0000-0000-000000000000'];
    heads.note(
      textsOf(
        agents.map((userAgent) => rowWith({ userAgent })),
        chain,
      ),
    );
    await heads.write();
    expect(written.map((head) => [head.chain, head.seq])).toEqual([[chain.id, agents.length]]);
  });
});
