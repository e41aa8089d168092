import { expect, it } from 'vitest';
import { type PackedIndexes, packIndexes, repackIndexes } from '../src/pack-indexes.ts';
import { buildRoleIndex } from '../src/role-index.ts';
import { rule } from './rule.ts';

const get = 1;
const put = 4;
const all = 128;
const parameter = 128;

function bytesOf(...parts: (number | string)[]): number[] {
  return parts.flatMap((part) => (typeof part === 'number' ? part : [...new TextEncoder().encode(part)]));
}

it('writes a node as its label, its methods, its children and the way to them', () => {
  const lines = ['r GET /api/a', 'r PUT /api/b', 'r GET /api/:x', 'r * /api/*', 'r GET /api/:x/c'];
  expect([...buildRoleIndex(lines.map(rule))]).toEqual(
    bytesOf(
      ...[0, 0, 0, 1, 'a'],
      ...[3, 0, all, 2 | parameter, 'pi/', 'ab', 0, 0, 0, 21, 0, 0, 0, 25],
      ...[0, get, 0, 0],
      ...[0, put, 0, 0],
      ...[0, get, 0, 1, '/'],
      ...[1, get, 0, 0, 'c'],
    ),
  );
});

it('writes what paths have in common once', () => {
  const base = '/a-rather-long-beginning/that-all-rules-share';
  const lines = Array.from({ length: 50 }, (_, i) => `r GET ${base}/${i}`);
  expect(buildRoleIndex(lines.map(rule)).length).toBeLessThan(base.length + 50 * 12);
});

it('starts each role on a separate cache line, with the bytes of its index', () => {
  const indexes = new Map(['a', 'b', 'c'].map((role, i) => [role, new Uint8Array(60 + 4 * i).fill(i + 1)]));
  const { block, starts } = packIndexes(indexes);
  expect([...starts]).toEqual([
    ['a', 0],
    ['b', 64],
    ['c', 128],
  ]);
  expect([block.getUint8(0), block.getUint8(64), block.getUint8(128 + 67)]).toEqual([1, 2, 3]);
});

it('appends a changed role to the same block, and leaves the earlier bytes as they are', () => {
  const before = packIndexes(new Map([['a', new Uint8Array(60).fill(1)]]));
  const one = repackIndexes(before, new Map([['a', new Uint8Array(100).fill(2)]]));
  const other = repackIndexes(before, new Map([['a', new Uint8Array(10).fill(3)]]));
  expect([one.block, other.block]).toEqual([before.block, before.block]);
  expect([before, one, other].map(({ starts }) => starts.get('a'))).toEqual([0, 64, 192]);
  const first = (packed: PackedIndexes) => packed.block.getUint8(packed.starts.get('a') ?? -1);
  expect([before, one, other].map(first)).toEqual([1, 2, 3]);
});

it('allocates a new block when the old one is full to the last byte, and leaves the old one unchanged', () => {
  const small = new Map([['a', new Uint8Array(64).fill(1)]]);
  const before = packIndexes(small);
  const spare = before.block.byteLength - 64;
  const full = repackIndexes(before, new Map([['a', new Uint8Array(spare).fill(2)]]));
  expect(full.block).toBe(before.block);
  const next = repackIndexes(full, small);
  expect(next.block).not.toBe(before.block);
  expect([next.starts.get('a'), next.block.getUint8(0), before.block.getUint8(0)]).toEqual([0, 1, 1]);
});

it('keeps the other roles when it allocates a new block, and drops a removed role', () => {
  const indexes = new Map(['a', 'b', 'c'].map((role, i) => [role, new Uint8Array(60 + 4 * i).fill(i + 1)]));
  const before = packIndexes(indexes);
  const large = new Uint8Array(before.block.byteLength).fill(9);
  const next = repackIndexes(
    before,
    new Map([
      ['a', large],
      ['b', undefined],
    ]),
  );
  expect(next.block).not.toBe(before.block);
  expect([...next.lengths]).toEqual([
    ['c', 68],
    ['a', large.length],
  ]);
  const bytesOf = (role: string) =>
    new Uint8Array(next.block.buffer, next.starts.get(role), next.lengths.get(role));
  expect([bytesOf('c'), bytesOf('a')]).toEqual([indexes.get('c'), large]);
});

it('has room for half of what it holds', () => {
  const indexes = new Map([['a', new Uint8Array(1_000_000)]]);
  expect(packIndexes(indexes).block.byteLength).toBe(1_500_000);
});
