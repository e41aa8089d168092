import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSealedSecrets, type OwnerId } from '../../../src/base/secrets/sealed-secrets.ts';

const [mei, kim] = [7, 8];
const secret = randomBytes(20);

/** Opens with these keys, and tells whose stayed closed. */
function openWith(...keys: [Buffer, ...Buffer[]]) {
  const closed: OwnerId[] = [];
  const { open } = createSealedSecrets('totp', keys, (userId) => void closed.push(userId));
  return { open, closed };
}

describe('a secret of an app that cannot be decrypted is reported with its user', () => {
  const key = randomBytes(32);
  const sealed = createSealedSecrets('totp', [key]).seal(mei, secret);
  it.each<[string, Buffer, number, Buffer | null]>([
    ['with another master key', randomBytes(32), mei, sealed],
    ['for another user', key, kim, sealed],
    [
      'where a bit of it was changed',
      key,
      mei,
      Buffer.from(sealed.map((byte, at) => (at === 20 ? byte ^ 1 : byte))),
    ],
    ['where it is cut off', key, mei, sealed.subarray(0, 20)],
    ['where there is nothing', key, mei, Buffer.alloc(0)],
    ['where there is none', key, mei, null],
  ])('%s', (_what, with_, userId, stored) => {
    const { open, closed } = openWith(with_);
    expect(open(userId, stored)).toBeUndefined();
    expect(closed).toEqual([userId]);
  });
});

it('the secret of an app opens for its owner, also with the master key before', () => {
  const [key, next] = [randomBytes(32), randomBytes(32)];
  const sealed = createSealedSecrets('totp', [key]).seal(mei, secret);
  const { open, closed } = openWith(next, key);
  expect(open(mei, sealed)).toEqual(secret);
  expect(closed).toEqual([]);
});
