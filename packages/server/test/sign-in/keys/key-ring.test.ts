import { randomBytes } from 'node:crypto';
import { createTokenVerifier } from '@portcullis/gate';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { StartRefusal } from '../../../src/base/values/start-refusal.ts';
import { createKeyRow } from '../../../src/sign-in/keys/create-key.ts';
import { createKeyRing, ensureSigningKey } from '../../../src/sign-in/keys/key-ring.ts';
import { createTokenIssuer } from '../../../src/sign-in/sessions/sign-token.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { loadReplica } from '../../load-replica.ts';

const sealingKey = randomBytes(32);
const account = {
  userId: 7,
  username: 'mei',
  roleId: 2,
  roleKey: 'editor',
  dataScope: '3',
  epoch: 1,
} as const;
let database: FreshDatabase;

beforeAll(async () => {
  database = await createFreshDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.store.deleteFrom('keys').execute();
});

const optionsOf = (sealingKeys: readonly [Buffer, ...Buffer[]], dev = false) => ({
  store: database.store,
  sealingKeys,
  dev,
});
async function open(dev = false, sealingKeys: readonly [Buffer, ...Buffer[]] = [sealingKey]) {
  const options = optionsOf(sealingKeys, dev);
  await ensureSigningKey(options);
  const ring = await loadReplica(database.store, createKeyRing(options), { devKeys: dev });
  return { ring, signing: await ring.getSigningKey() };
}
const countKeys = async () => (await database.store.selectFrom('keys').select('kid').execute()).length;

describe('the key ring', () => {
  it('does not open with another master key, and leaves the keys as they are', async () => {
    const { signing } = await open();
    await expect(open(false, [randomBytes(32)])).rejects.toThrow(StartRefusal);
    await expect(open(false, [randomBytes(32)])).rejects.toThrow(
      /cannot be decrypted with this master key.*If that key is lost, .*`portcullis recover`/,
    );
    expect((await open()).signing.kid).toBe(signing.kid);
    expect(await countKeys()).toBe(1);
  });

  it('opens with the previous master key, while that is being changed', async () => {
    const { signing } = await open();
    expect((await open(false, [randomBytes(32), sealingKey])).signing.kid).toBe(signing.kid);
  });

  it('has no key of the other mode, in either direction, and follows no change of it', async () => {
    const prod = await open(false);
    const dev = await open(true);
    expect(dev.signing.kid).not.toBe(prod.signing.kid);
    expect((await open(false)).ring.find(dev.signing.kid)).toBeUndefined();
    expect((await open(true)).ring.find(prod.signing.kid)).toBeUndefined();
    prod.ring.apply([{ kind: 'key_activated', kid: dev.signing.kid, dev: true }], 1);
    expect((await prod.ring.getSigningKey()).kid).toBe(prod.signing.kid);
  });

  it.each(['', 'none', '__proto__', 'constructor', 'toString'])('has no key %j', async (kid) => {
    expect((await open()).ring.find(kid)).toBeUndefined();
  });

  it('is made of one key, however many instances start at once', async () => {
    const rings = await Promise.all(Array.from({ length: 8 }, () => open()));
    expect(await countKeys()).toBe(1);
    expect(new Set(rings.map(({ signing }) => signing.kid)).size).toBe(1);
  });

  it('is the same after a restart, so that tokens outlive it', async () => {
    const now = Date.now;
    const issue = createTokenIssuer({
      keys: (await open()).ring,
      lease: { isLive: () => true },
      remember: async () => {},
      isOriginKept: true,
      lifetimeSeconds: 3600,
      now,
      randomBytes,
    });
    const verify = createTokenVerifier({ keys: (await open()).ring, maxLifetimeSeconds: 3600, now });
    const { token, jti } = await issue(account, { ip: '192.0.2.1', userAgent: undefined });
    expect((await verify(token)).claims.jti).toBe(jti);
  });

  it('follows a key from its making to its retirement', async () => {
    const { ring, signing } = await open();
    const { publicJwk, sealedPrivate } = createKeyRow(sealingKey);
    const kid = 'b'.repeat(16);
    ring.apply([{ kind: 'key_added', kid, dev: false, publicJwk }], 1);
    expect(ring.find(kid)).toBeDefined();
    expect((await ring.getSigningKey()).kid).toBe(signing.kid);
    expect(sealedPrivate).toBeDefined();
    ring.apply([{ kind: 'key_retired', kid, dev: false }], 2);
    expect([ring.find(kid), ring.isRetired(kid)]).toEqual([undefined, true]);
  });

  it('tries again to open a key that could not be read', async () => {
    const { ring, signing } = await open();
    ring.apply([{ kind: 'key_activated', kid: 'c'.repeat(16), dev: false }], 1);
    await expect(ring.getSigningKey()).rejects.toThrow();
    await expect(ring.getSigningKey()).rejects.toThrow();
    ring.apply([{ kind: 'key_activated', kid: signing.kid, dev: false }], 2);
    expect((await ring.getSigningKey()).kid).toBe(signing.kid);
  });

  it('keeps the private part out of the database', async () => {
    const { signing } = await open();
    const { d } = signing.key.export({ format: 'jwk' });
    const secret = Buffer.from(d ?? '', 'base64url');
    const [row] = await database.store.selectFrom('keys').selectAll().execute();
    expect(secret).toHaveLength(32);
    expect(JSON.stringify(row?.public_jwk)).not.toContain(d);
    expect(row?.public_jwk).not.toHaveProperty('d');
    expect(row?.sealed_private?.includes(secret)).toBe(false);
  });
});
