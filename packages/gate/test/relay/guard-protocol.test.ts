// The protocol between guards and listeners: what is on the wire does not change.
import { describe, expect, it } from 'vitest';
import { compileSchema } from '../../src/compile-schema.ts';
import {
  atLeastQuery,
  FromRelay,
  guardConnectionRoute,
  guardManifest,
  guardPartsPath,
  guardPath,
  Manifest,
  readAtLeastQuery,
} from '../../src/relay/guard-protocol.ts';

const isFromRelay = compileSchema(FromRelay);
const isManifest = compileSchema(Manifest);
const granted = { kind: 'granted', seq: 1, milliseconds: 3000, at: 1 };
const revision = { n: 7, mark: 'm' };
const revisions = { kind: 'revisions', after: revision, revisions: [{ n: 8, mark: 'm' }] };
const manifest = { ...revision, parts: ['0'.repeat(64)] };

describe('a guard rejects', () => {
  it.each([1.5, 2 ** 53, '7', null, undefined])('the revision %j', (n) => {
    expect(isFromRelay({ kind: 'load', ...revision, n })).toBe(false);
    expect(isFromRelay({ ...revisions, after: { ...revision, n } })).toBe(false);
    expect(isFromRelay({ ...revisions, revisions: [{ ...revision, n }] })).toBe(false);
    expect(isManifest({ ...manifest, n })).toBe(false);
  });

  it.each([-1, 10_001, '3000', undefined])('a lease of %j milliseconds', (milliseconds) => {
    expect(isFromRelay({ ...granted, milliseconds })).toBe(false);
  });

  it.each([
    { ...granted, seq: undefined },
    { ...granted, at: undefined },
    { ...revisions, revisions: {} },
    { ...revisions, revisions: [null] },
    { ...revisions, revisions: [{ n: 8 }] },
    { kind: 'refused', seq: 1, why: 'forgotten' },
    { kind: 'renewed' },
  ])('%j', (message) => {
    expect(isFromRelay(message)).toBe(false);
  });

  it.each(['', '0'.repeat(63), 'A'.repeat(64), '../manifest'])('a part with the name %j', (part) => {
    expect(isManifest({ ...manifest, parts: [part] })).toBe(false);
  });
});

it('a guard reads messages of a later version, with unknown fields and changes that it cannot read', () => {
  for (const message of [granted, revisions, { kind: 'load', ...revision }, { kind: 'leaving' }])
    expect(isFromRelay({ ...message, more: 1 })).toBe(true);
  for (const changes of [undefined, [], [{ kind: 'user_banned' }], 'x'])
    expect(isFromRelay({ ...revisions, revisions: [{ ...revision, changes, more: 1 }] })).toBe(true);
  expect(isManifest({ ...manifest, more: 1 })).toBe(true);
});

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
