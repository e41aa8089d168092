import { randomBytes } from 'node:crypto';
import { hashSync } from 'bcryptjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judgesTimes } from '../../../../../../test/rig/judges-times.ts';
import { createBcrypt } from '../../../../src/sign-in/login/credentials/bcrypt.ts';
import type { StoredAccount } from '../../../../src/sign-in/login/credentials/credential-verifier.ts';
import { createHashPool } from '../../../../src/sign-in/login/credentials/hash-pool.ts';
import { createPasswordHashes } from '../../../../src/sign-in/login/credentials/password-hashes.ts';
import { createPasswordVerifier } from '../../../../src/sign-in/login/credentials/password-verifier.ts';

const account = {
  userId: 7,
  username: 'mei',
  roleId: 2,
  roleKey: 'editor',
  dataScope: '3',
  epoch: 1,
} as const;
const password = 'Crème brûlée 密码';
const bcrypt = createBcrypt();
afterAll(bcrypt.close);
const cost = { memoryKibibytes: 19_456, passes: 2 };
const hashes = createPasswordHashes({ cost, matchesBcrypt: bcrypt.matches, randomBytes });
const weaker = createPasswordHashes({
  cost: { ...cost, passes: 1 },
  matchesBcrypt: bcrypt.matches,
  randomBytes,
});
const accounts = new Map<string, StoredAccount>();
const replaced: unknown[][] = [];

function createVerifier(refusalMilliseconds = 0) {
  return createPasswordVerifier({
    findAccount: async (username) => accounts.get(username),
    replaceHash: async (...change) => void replaced.push(change),
    hashes,
    pool: createHashPool(2),
    refusalTime: { milliseconds: refusalMilliseconds },
    monotonic: () => performance.now(),
  });
}

const verifier = createVerifier();
async function verify(username: string, given: string): Promise<object> {
  const verification = await verifier.verify({ username, password: given }, { isKnownNetwork: true });
  if (!('refused' in verification)) return verification;
  const { refused, account } = verification;
  return { refused, account };
}

beforeAll(async () => {
  const stored = {
    account,
    passwordHash: await hashes.hash(password),
    userEnabled: true,
    roleEnabled: true,
  };
  accounts.set('mei', stored);
  accounts.set('disabled', { ...stored, userEnabled: false });
  accounts.set('roleless', { ...stored, roleEnabled: false });
  accounts.set('neither', { ...stored, userEnabled: false, roleEnabled: false });
  accounts.set('weak', { ...stored, passwordHash: await weaker.hash(password) });
  accounts.set('imported', { ...stored, passwordHash: hashSync(password, 4) });
  accounts.set('long', { ...stored, passwordHash: hashSync('a'.repeat(72), 4) });
  accounts.set('once', { ...stored, passwordHash: hashSync('a', 4) });
});

describe('credentials are refused, and the log receives the account of the name,', () => {
  it.each([
    ['an empty password', ''],
    ['another password', 'password'],
    ['another case', password.toUpperCase()],
    ['a space behind', `${password} `],
    ['a NUL behind', `${password}\0`],
    ['a part', password.slice(0, -1)],
    ['half a surrogate pair', '\ud800'],
    ['half a surrogate pair behind', `${password}\ud800`],
  ])('with %s', async (_what, given) => {
    for (const username of ['mei', 'weak', 'imported'])
      expect(await verify(username, given)).toEqual({ refused: 'credentials_wrong', account });
  });

  it('with the hash for the password', async () => {
    for (const [username, { passwordHash }] of accounts)
      expect(await verify(username, passwordHash)).toEqual({ refused: 'credentials_wrong', account });
  });

  it.each(['nobody', '', 'MEI', 'constructor'])('for the unknown user %j', async (username) => {
    expect(await verify(username, password)).toEqual({ refused: 'credentials_wrong', account: undefined });
  });

  it.each([
    ['disabled', 'user_disabled'],
    ['roleless', 'role_disabled'],
    ['neither', 'user_disabled'],
  ])('for %s, for the reason %s, once the password is right', async (username, refused) => {
    expect(await verify(username, password)).toEqual({ refused, account });
    expect(await verify(username, 'wrong')).toEqual({ refused: 'credentials_wrong', account });
  });

  it.each([
    '',
    'plain',
    'none',
    '$2a$10$short',
    `$2a$31$${'.'.repeat(53)}`,
    '$argon2i$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaA',
  ])('for a user with the stored value %j, which is not a hash that we can compare', async (passwordHash) => {
    accounts.set('broken', { account, passwordHash, userEnabled: true, roleEnabled: true });
    for (const given of [passwordHash, '', 'plain'])
      expect(await verify('broken', given)).toEqual({ refused: 'credentials_wrong', account });
  });

  it('where bcrypt would read only the beginning of the password, or begin again behind a NUL', async () => {
    expect(await verify('long', 'a'.repeat(73))).toEqual({ refused: 'credentials_wrong', account });
    expect(await verify('once', 'a\0a')).toEqual({ refused: 'credentials_wrong', account });
    expect(await verify('long', 'a'.repeat(72))).toEqual({ account });
  });

  it('no sooner than the costliest kind of hash that is stored takes', async () => {
    const patient = createVerifier(3_600_000);
    for (const username of ['mei', 'nobody', 'disabled', 'imported']) {
      const startedAt = performance.now();
      const refused = await patient.verify({ username, password: 'wrong' }, { isKnownNetwork: true });
      const rest = 'refused' in refused ? (refused.restMilliseconds ?? 0) : 0;
      expect(rest).toBeLessThan(3_600_000);
      expect(rest).toBeGreaterThan(3_600_000 - (performance.now() - startedAt) - 1);
    }
  });

  it('with no wait on top of what the lookup took already', async () => {
    let lookedUp = 0;
    const verifier = createPasswordVerifier({
      findAccount: async (username) => {
        lookedUp += 3_600_000;
        return accounts.get(username);
      },
      replaceHash: async () => {},
      hashes,
      pool: createHashPool(2),
      refusalTime: { milliseconds: 3_600_000 },
      monotonic: () => lookedUp,
    });
    for (const username of ['mei', 'nobody'])
      expect(await verifier.verify({ username, password: 'wrong' }, { isKnownNetwork: true })).toMatchObject({
        refused: 'credentials_wrong',
        restMilliseconds: 0,
      });
  });

  it('with no wait on top of what the statement took that found the account, and without another one', async () => {
    const verifier = createPasswordVerifier({
      findAccount: () => Promise.reject(new Error('asked')),
      replaceHash: async () => {},
      hashes,
      pool: createHashPool(2),
      refusalTime: { milliseconds: 3_600_000 },
      monotonic: () => 0,
    });
    for (const result of [accounts.get('mei'), undefined]) {
      const from = { isKnownNetwork: true, found: { result, milliseconds: 3_600_000 } };
      expect(await verifier.verify({ username: 'mei', password: 'wrong' }, from)).toEqual({
        refused: 'credentials_wrong',
        account: result?.account,
        restMilliseconds: 0,
      });
    }
  });

  it.skipIf(!judgesTimes)('for an unknown user in about the time that a known one takes', async () => {
    const shortest = async (username: string) => {
      const times: number[] = [];
      for (let round = 0; round < 8; round += 1) {
        const startedAt = performance.now();
        await verify(username, 'wrong');
        times.push(performance.now() - startedAt);
      }
      return Math.min(...times);
    };
    const ratio = (await shortest('nobody')) / (await shortest('mei'));
    expect(ratio).toBeGreaterThan(0.2);
    expect(ratio).toBeLessThan(5);
  });

  it('and the stored hash stays unchanged', () => {
    expect(replaced.filter(([, oldHash]) => oldHash !== accounts.get('long')?.passwordHash)).toEqual([]);
  });
});

describe('credentials are accepted', () => {
  it.each(['NFC', 'NFD'] as const)('with the password typed in its form %s', async (form) => {
    expect(await verify('mei', password.normalize(form))).toEqual({ account });
  });

  it.each(['weak', 'imported'])('from an older hash, which is replaced (%s)', async (username) => {
    expect(await verify(username, password)).toEqual({ account });
    const [userId, oldHash, newHash] = replaced.at(-1) ?? [];
    expect([userId, oldHash]).toEqual([account.userId, accounts.get(username)?.passwordHash]);
    expect(hashes.isCurrent(String(newHash))).toBe(true);
    expect(await hashes.matches(password, String(newHash))).toBe(true);
  });
});

describe('a hash', () => {
  it('is argon2id at the stated cost, as a PHC string', () => {
    expect(accounts.get('mei')?.passwordHash).toMatch(
      /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]{43}$/,
    );
  });

  it('of one password is never the same twice', async () => {
    expect(await hashes.hash(password)).not.toBe(accounts.get('mei')?.passwordHash);
  });
});
