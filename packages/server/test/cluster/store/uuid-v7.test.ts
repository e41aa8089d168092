import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createUuidV7, createUuidV7Source } from '../../../src/cluster/store/uuid-v7.ts';

it('has the shape of RFC 9562: version 7, variant 10', () => {
  for (const bytes of [Buffer.alloc(10), Buffer.alloc(10, 0xff), randomBytes(10)])
    expect(createUuidV7(1_700_000_000_000, bytes)).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
});

it('is the example of RFC 9562, appendix A.6', () => {
  const random = Buffer.from('0cc318c4dc0c0c07398f', 'hex');
  expect(createUuidV7(0x017f22e279b0, random)).toBe('017f22e2-79b0-7cc3-98c4-dc0c0c07398f');
});

it.each([0, 1, 1_700_000_000_000, 2 ** 48 - 1])('begins with its time, %i', (at) => {
  const hex = createUuidV7(at, randomBytes(10)).replaceAll('-', '');
  expect(Number.parseInt(hex.slice(0, 12), 16)).toBe(at);
});

it('sorts by time', () => {
  const times = Array.from({ length: 1000 }, (_, index) => 1_700_000_000_000 + index * 977);
  const ids = times.map((at) => createUuidV7(at, randomBytes(10)));
  expect(ids.toSorted()).toEqual(ids);
});

it('keeps 74 random bits, and leaves what it was given as it was', () => {
  const random = Buffer.alloc(10, 0xff);
  expect(createUuidV7(0, random)).toBe('00000000-0000-7fff-bfff-ffffffffffff');
  expect(random.equals(Buffer.alloc(10, 0xff))).toBe(true);
});

describe('ids of one source grow', () => {
  const now = 1_700_000_000_000;
  const timeOf = (id = '') => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
  function idsAt(times: readonly number[]): string[] {
    const nextId = createUuidV7Source(randomBytes);
    return times.map((at) => nextId(at));
  }
  function expectGrowing(ids: readonly string[]): void {
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  }

  it('also 5,000 of them in one millisecond, which run a millisecond ahead', () => {
    const ids = idsAt(Array.from({ length: 5000 }, () => now));
    expectGrowing(ids);
    expect(timeOf(ids.at(4095))).toBe(now);
    expect(timeOf(ids.at(-1))).toBe(now + 1);
  });

  it('also where the clock is set back, and follow it when it has caught up', () => {
    const ids = idsAt([now, now - 3_600_000, now - 3_599_999, now - 1, now, now + 1]);
    expectGrowing(ids);
    expect(ids.map(timeOf)).toEqual([now, now, now, now, now, now + 1]);
  });

  it('with the time of each where the clock runs', () => {
    const times = Array.from({ length: 1000 }, (_, index) => now + Math.floor(index / 3));
    const ids = idsAt(times);
    expectGrowing(ids);
    expect(ids.map(timeOf)).toEqual(times);
  });

  it('and cannot be guessed', () => {
    expect(idsAt([now])[0]?.slice(19)).not.toBe(idsAt([now])[0]?.slice(19));
  });
});
