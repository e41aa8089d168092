import { describe, expect, it } from 'vitest';
import { insertBatch } from '../../../src/logs/login-log/insert-batch.ts';

const names = (count: number) => Array.from({ length: count }, (_, index) => String(index));
const failure = (code?: string) => Object.assign(new Error('refused'), code === undefined ? {} : { code });

/** A database that refuses what is poisoned, and is away for its nth statement. */
function createWorld(poison: readonly string[], { code = '22P05', awayAt = 0 } = {}) {
  const log: string[] = [];
  let statements = 0;
  const count = () => {
    statements += 1;
    if (statements === awayAt) throw failure('57P01');
  };
  const store = {
    insert: async (texts: readonly string[]) => {
      count();
      if (texts.some((text) => poison.includes(text))) throw failure(code);
      log.push(...texts);
    },
    insertRejected: async (text: string, cause: string) => {
      count();
      log.push(`aside ${text}: ${cause}`);
    },
  };
  return { store, log, statements: () => statements };
}

describe('a batch', () => {
  it.each([
    undefined,
    '08006',
    '25006',
    '40P01',
    '42501',
    '53100',
    '53300',
    '57014',
    '57P01',
    'ECONNREFUSED',
  ])('is not parted where the database refuses everything now (%s)', async (code) => {
    const store = {
      insert: () => Promise.reject(failure(code)),
      insertRejected: () => Promise.reject(new Error('Nothing is wrong with the record.')),
    };
    await expect(insertBatch(store, names(4))).rejects.toThrow('refused');
  });

  it.each(['22021', '22P02', '22P05', '23502', '23514', '54000'])(
    'is parted where the database refuses a record for good (%s)',
    async (code) => {
      const { store, log } = createWorld(['3'], { code });
      await insertBatch(store, names(6));
      expect(log).toEqual(['0', '1', '2', 'aside 3: Error: refused', '4', '5']);
    },
  );

  it('of 1000 with one record that is refused costs few statements, and stores 999 in their order', async () => {
    const { store, log, statements } = createWorld(['500']);
    await insertBatch(store, names(1000));
    expect(log).toEqual(names(1000).map((name) => (name === '500' ? 'aside 500: Error: refused' : name)));
    expect(statements()).toBeLessThan(25);
  });

  it('of which every record is refused ends too', async () => {
    const { store, log } = createWorld(names(100));
    await insertBatch(store, names(100));
    expect(log).toHaveLength(100);
  });

  it.each([1, 2, 3, 5, 8])(
    'fails where the database goes away at statement %i of parting it',
    async (awayAt) => {
      const { store } = createWorld(['3'], { awayAt });
      await expect(insertBatch(store, names(8))).rejects.toThrow('refused');
    },
  );
});
