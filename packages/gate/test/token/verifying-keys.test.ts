import { generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { PublicJwk } from '../../src/access/change.ts';
import type { LiveKey } from '../../src/access/snapshot-record.ts';
import { createVerifyingKeys, type VerifyingKeys } from '../../src/token/verifying-keys.ts';

const createJwk = () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }) as PublicJwk;
const publicJwk = createJwk();
const live = (kid: string, signing = false): LiveKey => ({ kid, publicJwk, signing });

function load(keys: VerifyingKeys, pieces: { dev: boolean; live: LiveKey[]; retired?: string[] }[]): void {
  const loading = keys.load();
  for (const { retired = [], ...piece } of pieces) loading.take({ kind: 'keys', retired, ...piece });
  loading.finish(1)();
}

let keys: VerifyingKeys;
beforeEach(() => {
  keys = createVerifyingKeys(false);
});

describe('verifying keys', () => {
  it('are none before the first load', () => {
    expect([keys.find('a'), keys.isRetired('a'), keys.signingKid]).toEqual([undefined, false, undefined]);
  });

  it('of the other mode verify nothing, neither loaded nor added', () => {
    load(keys, [{ dev: true, live: [live('a', true)], retired: ['b'] }]);
    keys.apply([{ kind: 'key_added', kid: 'c', dev: true, publicJwk }], 2);
    keys.apply([{ kind: 'key_activated', kid: 'c', dev: true }], 3);
    for (const kid of ['a', 'b', 'c']) expect(keys.find(kid)).toBeUndefined();
    expect([keys.isRetired('b'), keys.signingKid]).toEqual([false, undefined]);
  });

  it('are not retired by a change of the other mode', () => {
    load(keys, [{ dev: false, live: [live('a', true)] }]);
    keys.apply([{ kind: 'key_retired', kid: 'a', dev: true }], 2);
    expect(keys.find('a')).toBeDefined();
  });

  it('verify no more once they are retired, and are known to be', () => {
    load(keys, [{ dev: false, live: [live('a', true), live('b')], retired: ['c'] }]);
    keys.apply([{ kind: 'key_retired', kid: 'b', dev: false }], 2);
    expect(keys.find('b')).toBeUndefined();
    expect(['a', 'b', 'c', 'd'].map(keys.isRetired)).toEqual([false, true, true, false]);
  });

  it('follow what is added and activated', () => {
    load(keys, [{ dev: false, live: [live('a', true)] }]);
    const added = createJwk();
    keys.apply([{ kind: 'key_added', kid: 'b', dev: false, publicJwk: added }], 2);
    expect(keys.find('b')?.export({ format: 'jwk' })).toEqual(added);
    expect(keys.signingKid).toBe('a');
    keys.apply([{ kind: 'key_activated', kid: 'b', dev: false }], 3);
    expect(keys.signingKid).toBe('b');
  });

  it('change over at the end of a load, and forget what it does not have', () => {
    load(keys, [{ dev: false, live: [live('a', true)] }]);
    const loading = keys.load();
    loading.take({ kind: 'keys', dev: false, live: [live('b', true)], retired: ['a'] });
    expect([keys.find('b'), keys.signingKid]).toEqual([undefined, 'a']);
    loading.finish(2)();
    expect([keys.find('a'), keys.isRetired('a'), keys.signingKid]).toEqual([undefined, true, 'b']);
  });

  it('take only what is a point of the curve', () => {
    const bad = { ...publicJwk, x: publicJwk.y };
    expect(() => keys.apply([{ kind: 'key_added', kid: 'a', dev: false, publicJwk: bad }], 2)).toThrow();
    expect(keys.find('a')).toBeUndefined();
  });
});
