import { describe, expect, it, vi } from 'vitest';
import { createWriteWithoutSpool } from '../../../src/logs/login-log/write-without-spool.ts';

/** A database whose inserts end when the test says so. */
function createWorld() {
  const inserts: { texts: readonly string[]; succeed(): void; fail(): void }[] = [];
  const seen: string[] = [];
  const direct = createWriteWithoutSpool<string>({
    encode: (item) => {
      seen.push(`encode ${item}`);
      return item;
    },
    insert: (texts) =>
      new Promise((resolve, reject) => {
        inserts.push({ texts, succeed: resolve, fail: () => reject(new Error('away')) });
      }),
    onBroken: () => void seen.push('broken'),
  });
  const insert = async (index: number) =>
    await vi.waitUntil(() => inserts[index], { interval: 1, timeout: 120_000 });
  return { direct, inserts, insert, seen };
}

describe('straight into the database', () => {
  it('rejects the items of a failed batch, before the next is encoded, and continues', async () => {
    const { direct, insert, seen } = createWorld();
    const first = direct('a');
    const one = await insert(0);
    const second = [direct('b'), direct('c')];
    one.fail();
    await expect(first).rejects.toThrow('away');
    (await insert(1)).succeed();
    await Promise.all(second);
    expect(seen).toEqual(['encode a', 'broken', 'encode b', 'encode c']);
  });

  it('stores items that arrive during a batch together, in their order, one batch at a time', async () => {
    const { direct, inserts, insert } = createWorld();
    const waiting = [direct('a')];
    await insert(0);
    waiting.push(direct('b'), direct('c'), direct('d'));
    await new Promise(setImmediate);
    expect(inserts).toHaveLength(1);
    inserts[0]?.succeed();
    const rest = await insert(1);
    expect(rest.texts).toEqual(['b', 'c', 'd']);
    waiting.push(direct('e'));
    rest.succeed();
    (await insert(2)).succeed();
    await Promise.all(waiting);
    expect(inserts.map(({ texts }) => texts)).toEqual([['a'], ['b', 'c', 'd'], ['e']]);
  });

  it('resolves only after an item is stored', async () => {
    const { direct, insert } = createWorld();
    let isTold = false;
    const told = direct('a').then(() => {
      isTold = true;
    });
    const { succeed } = await insert(0);
    await new Promise(setImmediate);
    expect(isTold).toBe(false);
    succeed();
    await told;
  });
});
