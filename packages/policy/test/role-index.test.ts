import { expect, it } from 'vitest';
import { packIndexes } from '../src/pack-indexes.ts';
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

it('starts each role on a cache line of its own, with the bytes of its index', () => {
  const indexes = new Map(['a', 'b', 'c'].map((role, i) => [role, new Uint8Array(60 + 4 * i).fill(i + 1)]));
  const { block, starts } = packIndexes(indexes);
  expect([...starts]).toEqual([
    ['a', 0],
    ['b', 64],
    ['c', 128],
  ]);
  expect([block.getUint8(0), block.getUint8(64), block.getUint8(128 + 67), block.byteLength]).toEqual([
    1, 2, 3, 256,
  ]);
});
