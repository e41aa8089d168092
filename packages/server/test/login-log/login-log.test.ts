import { randomBytes } from 'node:crypto';
import type { LoginAttempt } from '@portcullis/contract';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLoginLog, type LoginLog } from '../../src/login-log/login-log.ts';
import type { LoginRecord } from '../../src/login-log/login-record.ts';

const attemptOf = (requestId: string): LoginAttempt => ({
  outcome: 'success',
  reason: 'ok',
  username: 'mei',
  userId: 7,
  roleKey: 'editor',
  jti: 'j',
  ip: '192.0.2.1',
  userAgent: undefined,
  requestId,
});

/** A log whose inserts wait until the test lets them through or fails them. */
function createWorld() {
  const inserts: { ids: string[]; succeed(): void; fail(): void }[] = [];
  const failures: number[] = [];
  const stored: string[] = [];
  const log: LoginLog = createLoginLog({
    insert: (records: readonly LoginRecord[]) => {
      const ids = records.map(({ requestId }) => requestId);
      return new Promise((resolve, reject) => {
        inserts.push({
          ids,
          succeed: () => {
            stored.push(...ids);
            resolve();
          },
          fail: () => reject(new Error('The store is away.')),
        });
      });
    },
    instance: 'instance-1',
    now: () => 1_700_000_000_000,
    randomBytes,
    onFailure: (_cause, waiting) => failures.push(waiting),
  });
  const record = (...ids: string[]) => {
    for (const id of ids) log.record(attemptOf(id));
  };
  return { log, record, inserts, failures, stored };
}

const ids = (count: number, prefix = '') => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
/** Lets everything run that needs no time to pass. */
const settle = () => vi.advanceTimersByTimeAsync(0);
/** The time in which records are collected for a batch. */
const gather = () => vi.advanceTimersByTimeAsync(20);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the login log', () => {
  it('returns before anything is stored', () => {
    const { record, stored } = createWorld();
    record('a');
    expect(stored).toEqual([]);
  });

  it('collects for 20 ms, so that a flood does not cost a statement for each attempt', async () => {
    const { record, inserts } = createWorld();
    record('a');
    await vi.advanceTimersByTimeAsync(19);
    record('b');
    expect(inserts).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(inserts.map((insert) => insert.ids)).toEqual([['a', 'b']]);
  });

  it('keeps what it could not store, says so, and tries again after a second', async () => {
    const { record, inserts, failures, stored } = createWorld();
    record('a');
    await gather();
    inserts[0]?.fail();
    await settle();
    record('b');
    expect(failures).toEqual([1]);
    await vi.advanceTimersByTimeAsync(999);
    expect(inserts).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(inserts[1]?.ids).toEqual(['a', 'b']);
    inserts[1]?.succeed();
    await settle();
    expect(stored).toEqual(['a', 'b']);
  });

  it('tries a failed batch again and again, without losing or turning round a record', async () => {
    const { record, inserts, stored } = createWorld();
    record(...ids(3));
    await gather();
    for (let tries = 0; tries < 5; tries += 1) {
      inserts.at(-1)?.fail();
      await vi.advanceTimersByTimeAsync(1000);
    }
    for (let batch = 5; batch < 7; batch += 1) {
      inserts[batch]?.succeed();
      await settle();
    }
    expect(stored).toEqual(ids(3));
  });

  it('writes one batch at a time, of at most 500, in the order of the attempts', async () => {
    const { record, inserts, stored } = createWorld();
    record(...ids(1201));
    await gather();
    for (let batch = 0; batch < 10; batch += 1) {
      expect(inserts.length).toBeLessThanOrEqual(batch + 1);
      inserts[batch]?.succeed();
      await gather();
    }
    expect(Math.max(...inserts.map((insert) => insert.ids.length))).toBe(500);
    expect(stored).toEqual(ids(1201));
  });

  it('collects what arrives while a batch is written', async () => {
    const { record, inserts } = createWorld();
    record('a');
    await gather();
    record('b', 'c');
    inserts[0]?.succeed();
    await gather();
    expect(inserts.map((insert) => insert.ids)).toEqual([['a'], ['b', 'c']]);
  });

  it('stores a record that arrives in the very moment in which a batch ends', async () => {
    for (let microtasks = 0; microtasks < 12; microtasks += 1) {
      const { record, inserts, stored } = createWorld();
      record('a');
      await gather();
      inserts[0]?.succeed();
      for (let step = 0; step < microtasks; step += 1) await Promise.resolve();
      record('b');
      await gather();
      inserts[1]?.succeed();
      await settle();
      expect({ microtasks, stored }).toEqual({ microtasks, stored: ['a', 'b'] });
    }
  });

  it('stamps a record with its time, its instance and a UUIDv7', async () => {
    const records: LoginRecord[] = [];
    const log = createLoginLog({
      insert: async (batch) => void records.push(...batch),
      instance: 'instance-1',
      now: () => 0x017f22e279b0,
      randomBytes,
      onFailure: () => {},
    });
    log.record(attemptOf('a'));
    await log.close();
    expect(records).toEqual([
      expect.objectContaining({
        id: expect.stringMatching(/^017f22e2-79b0-7/),
        at: new Date(0x017f22e279b0),
        instance: 'instance-1',
        requestId: 'a',
      }),
    ]);
  });
});

describe('closing', () => {
  it('waits for the batch that is being written, and for the rest', async () => {
    const { log, record, inserts, stored } = createWorld();
    record(...ids(3));
    let closed = false;
    const closing = log.close().then(() => {
      closed = true;
    });
    await settle();
    expect(closed).toBe(false);
    for (let batch = 0; batch < 2; batch += 1) {
      inserts[batch]?.succeed();
      await settle();
    }
    await closing;
    expect(stored).toEqual(ids(3));
  });

  it('tries at once what waits for its second try', async () => {
    const { log, record, inserts, stored } = createWorld();
    record('a');
    await gather();
    inserts[0]?.fail();
    await settle();
    const closing = log.close();
    await settle();
    inserts[1]?.succeed();
    await closing;
    expect(stored).toEqual(['a']);
    await vi.advanceTimersByTimeAsync(5000);
    expect(inserts).toHaveLength(2);
  });

  it('gives up after three tries, and leaves no timer behind', async () => {
    const { log, record, inserts, failures } = createWorld();
    record('a');
    await gather();
    inserts[0]?.fail();
    await settle();
    const closing = log.close();
    for (let batch = 1; batch < 4; batch += 1) {
      await settle();
      inserts[batch]?.fail();
    }
    await closing;
    expect(failures).toEqual([1, 1, 1, 1]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('without anything recorded returns at once', async () => {
    const { log, inserts } = createWorld();
    await log.close();
    expect(inserts).toEqual([]);
  });
});
