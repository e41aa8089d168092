import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CredentialVerifier } from '../../../src/login/credentials/credential-verifier.ts';
import { hashPassword } from '../../../src/login/credentials/hash-password.ts';
import {
  createPasswordVerifier,
  type StoredAccount,
} from '../../../src/login/credentials/password-verifier.ts';

const account = {
  userId: 7,
  username: 'mei',
  roleId: 2,
  roleKey: 'editor',
  dataScope: '3',
  epoch: 1,
} as const;
const password = 'Crème brûlée 密码';
let stored: StoredAccount;
let verifier: CredentialVerifier;

beforeAll(async () => {
  stored = { account, passwordHash: await hashPassword(password), userEnabled: true, roleEnabled: true };
  const accounts = new Map([
    ['mei', stored],
    ['disabled', { ...stored, userEnabled: false }],
    ['roleless', { ...stored, roleEnabled: false }],
    ['neither', { ...stored, userEnabled: false, roleEnabled: false }],
  ]);
  verifier = await createPasswordVerifier({
    findAccount: async (username) => accounts.get(username),
    randomBytes,
  });
});

describe('credentials are refused', () => {
  it.each([
    ['an empty password', ''],
    ['another password', 'password'],
    ['another case', password.toUpperCase()],
    ['a space behind', `${password} `],
    ['a NUL behind', `${password}\0`],
    ['a part', password.slice(0, -1)],
    ['half a surrogate pair', '\ud800'],
  ])('with %s', async (_what, given) => {
    expect(await verifier.verify({ username: 'mei', password: given })).toEqual({
      refused: 'credentials_wrong',
    });
  });

  it('with the hash for the password', async () => {
    const given = { username: 'mei', password: stored.passwordHash };
    expect(await verifier.verify(given)).toEqual({ refused: 'credentials_wrong' });
  });

  it.each(['nobody', '', 'MEI', 'constructor'])('for the unknown user %j', async (username) => {
    expect(await verifier.verify({ username, password })).toEqual({ refused: 'credentials_wrong' });
  });

  it.each([
    ['disabled', 'user_disabled'],
    ['roleless', 'role_disabled'],
    ['neither', 'user_disabled'],
  ])('for %s, for the reason %s, once the password is right', async (username, refused) => {
    expect(await verifier.verify({ username, password })).toEqual({ refused });
    expect(await verifier.verify({ username, password: 'wrong' })).toEqual({ refused: 'credentials_wrong' });
  });

  it('by an error when the stored hash is none', async () => {
    const broken = await createPasswordVerifier({
      findAccount: async () => ({ ...stored, passwordHash: 'plain' }),
      randomBytes,
    });
    await expect(broken.verify({ username: 'mei', password: 'plain' })).rejects.toThrow();
  });

  it('for an unknown user in about the time that a known one takes', async () => {
    const shortest = async (username: string) => {
      const times: number[] = [];
      for (let round = 0; round < 8; round += 1) {
        const startedAt = performance.now();
        await verifier.verify({ username, password: 'wrong' });
        times.push(performance.now() - startedAt);
      }
      return Math.min(...times);
    };
    const ratio = (await shortest('nobody')) / (await shortest('mei'));
    expect(ratio).toBeGreaterThan(0.2);
    expect(ratio).toBeLessThan(5);
  });
});

describe('credentials are accepted', () => {
  it.each(['NFC', 'NFD'] as const)('with the password typed in its form %s', async (form) => {
    expect(await verifier.verify({ username: 'mei', password: password.normalize(form) })).toEqual({
      account,
    });
  });
});

describe('a hash', () => {
  it('is argon2id at the stated cost, as a PHC string', () => {
    expect(stored.passwordHash).toMatch(
      /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]{43}$/,
    );
  });

  it('of one password is never the same twice', async () => {
    expect(await hashPassword(password)).not.toBe(stored.passwordHash);
  });
});
