// The protocol between guards and listeners: what is on the wire does not change.
import { expect, it } from 'vitest';
import {
  atLeastQuery,
  guardConnectionRoute,
  guardManifest,
  guardPartsPath,
  guardPath,
  readAtLeastQuery,
} from '../../src/relay/guard-protocol.ts';

it('a manifest is asked for at least at a revision', () => {
  for (const n of [0, 7, Number.MAX_SAFE_INTEGER])
    expect(readAtLeastQuery(guardManifest.path + atLeastQuery(n))).toBe(n);
  expect(readAtLeastQuery(guardManifest.path + atLeastQuery(-1))).toBe(0);
  expect(readAtLeastQuery(guardManifest.path)).toBeNaN();
});

it('every address and method stays', () => {
  expect(guardPath).toBe('/guard/v1/');
  expect([guardManifest, guardConnectionRoute].map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /guard/v1/manifest',
    'GET /guard/v1/line',
  ]);
  expect(guardPartsPath).toBe('/guard/v1/parts/');
});
