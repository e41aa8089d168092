import { describe, expect, it } from 'vitest';
import { countEdits, findSimilar } from '../../../src/pages/endpoints/find-similar.ts';

const routes = [
  { method: 'GET', path: '/stock/levels' },
  { method: 'GET', path: '/stock/levels/:id' },
  { method: 'PUT', path: '/orders/:id' },
];
const similar = (method: string, path: string) => findSimilar({ method, path }, routes)?.path;

describe('no endpoint is similar', () => {
  it.each([
    ['to a path of another method', 'POST', '/stok/levels'],
    ['to a path with three mistakes', 'GET', '/stck/level/'.replace('level/', 'leel')],
    ['to a wide rule', '*', '/*'],
  ])('%s', (_what, method, path) => {
    expect(similar(method, path)).toBeUndefined();
  });
});

it.each([
  ['GET', '/stok/levels', '/stock/levels'],
  ['get', '/stock/levels', '/stock/levels'],
  ['*', '/order/:id', '/orders/:id'],
  ['GET', '/stock/level/:id', '/stock/levels/:id'],
])('%s %s was meant for %s', (method, path, meant) => {
  expect(similar(method, path)).toBe(meant);
});

it.each([
  ['', '', 0],
  ['abc', 'abc', 0],
  ['abc', 'abd', 1],
  ['abc', 'bc', 1],
  ['abc', 'xabcx', 2],
  ['abc', 'xyz', 3],
  ['abc', 'abcdefgh', 3],
])('from "%s" to "%s" it takes %i edits, of two at most counted', (a, b, edits) => {
  expect(countEdits(a, b, 2)).toBe(edits);
});
