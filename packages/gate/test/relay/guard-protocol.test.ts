// The protocol as guards and listeners of earlier versions speak it: what is on the wire does not change.
import { describe, expect, it } from 'vitest';
import { compileSchema } from '../../src/compile-schema.ts';
import {
  atLeastQuery,
  foundToWire,
  guardCalls,
  guardLine,
  guardManifest,
  guardPartsPath,
  guardPath,
  guardStreams,
  readAtLeastQuery,
  readFromQuery,
  snapshotEndOf,
} from '../../src/relay/guard-protocol.ts';

const wire = {
  n: 7,
  mark: 'm',
  leaseMilliseconds: 10_000,
  at: 1,
  incarnation: 'i',
  isSettled: false,
  instances: 2,
};

describe('an answer to a report', () => {
  const isAnswer = compileSchema(guardCalls.report.answer);

  it.each(Object.keys(wire))('rejects one without %s', (name) => {
    expect(isAnswer({ found: { ...wire, [name]: undefined } })).toBe(false);
    expect(isAnswer({ found: { ...wire, [name]: null } })).toBe(false);
  });

  it.each([1.5, 2 ** 53, '7'])('rejects the revision %j', (n) => {
    expect(isAnswer({ found: { ...wire, n } })).toBe(false);
  });

  it('of a later version is one, whatever else it says', () => {
    expect(isAnswer({ found: { ...wire, more: 1 }, more: 1 })).toBe(true);
    expect(isAnswer({ found: null, more: 1 })).toBe(true);
  });

  it('says by its old name whether the rows are complete, and keeps the order of its fields', () => {
    const { isSettled: membershipComplete, ...found } = wire;
    expect(JSON.stringify(foundToWire({ membershipComplete, ...found }))).toBe(JSON.stringify(wire));
  });
});

describe('a list of revisions', () => {
  const isAnswer = compileSchema(guardCalls.revisions.answer);

  it.each([{}, { revisions: {} }, { revisions: [null] }, { revisions: [{ n: 7 }] }])('is not %j', (value) => {
    expect(isAnswer(value)).toBe(false);
  });

  it('may hold changes of a later version, or none that can be read', () => {
    const revision = { n: 7, mark: 'm' };
    for (const changes of [undefined, [], [{ kind: 'user_banned' }], 'x'])
      expect(isAnswer({ revisions: [{ ...revision, changes, more: 1 }] })).toBe(true);
  });

  it('is asked for from a revision on', () => {
    for (const n of [-1, 0, 7, Number.MAX_SAFE_INTEGER])
      expect(readFromQuery(`${guardCalls.revisions.path}?from=${n}`)).toBe(n);
    expect(readFromQuery(guardCalls.revisions.path)).toBeNaN();
  });
});

it('a manifest is asked for at least at a revision', () => {
  for (const n of [0, 7, Number.MAX_SAFE_INTEGER])
    expect(readAtLeastQuery(guardManifest.path + atLeastQuery(n))).toBe(n);
  expect(readAtLeastQuery(guardManifest.path + atLeastQuery(-1))).toBe(0);
  expect(readAtLeastQuery(guardManifest.path)).toBeNaN();
});

it('the end of a snapshot names its revision', () => {
  expect(JSON.stringify(snapshotEndOf({ mark: 'm', n: 7 }))).toBe('{"kind":"end","n":7,"mark":"m"}');
});

it('every address and method stays', () => {
  expect(guardPath).toBe('/guard/v1/');
  expect(
    [...Object.values({ ...guardCalls, ...guardStreams }), guardManifest, guardLine].map(
      ({ method, path }) => `${method} ${path}`,
    ),
  ).toEqual([
    'POST /guard/v1/register',
    'POST /guard/v1/report',
    'POST /guard/v1/deregister',
    'GET /guard/v1/revisions',
    'GET /guard/v1/snapshot',
    'GET /guard/v1/rings',
    'GET /guard/v1/manifest',
    'GET /guard/v1/line',
  ]);
  expect(guardPartsPath).toBe('/guard/v1/parts/');
});
