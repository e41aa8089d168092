import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openKeyRing } from '../../../src/identity/keys/key-ring.ts';
import { createTokenSigner } from '../../../src/identity/sign-token.ts';
import { createTokenVerifier } from '../../../src/identity/verify-token.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';

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

const open = (dev = false) => openKeyRing({ store: database.store, sealingKey, dev });
const countKeys = async () => (await database.store.selectFrom('keys').select('kid').execute()).length;

describe('the key ring', () => {
  it('does not open with another master key, and leaves the keys as they are', async () => {
    const { signing } = await open();
    await expect(
      openKeyRing({ store: database.store, sealingKey: randomBytes(32), dev: false }),
    ).rejects.toThrow();
    expect((await open()).signing.kid).toBe(signing.kid);
    expect(await countKeys()).toBe(1);
  });

  it('has no key of the other mode, in either direction', async () => {
    const prod = await open(false);
    const dev = await open(true);
    expect(dev.signing.kid).not.toBe(prod.signing.kid);
    expect((await open(false)).find(dev.signing.kid)).toBeUndefined();
    expect((await open(true)).find(prod.signing.kid)).toBeUndefined();
  });

  it.each(['', 'none', '__proto__', 'constructor', 'toString'])('has no key %j', async (kid) => {
    expect((await open()).find(kid)).toBeUndefined();
  });

  it('is made of one key, however many instances start at once', async () => {
    const rings = await Promise.all(Array.from({ length: 8 }, () => open()));
    expect(await countKeys()).toBe(1);
    expect(new Set(rings.map(({ signing }) => signing.kid)).size).toBe(1);
  });

  it('is the same after a restart, so that tokens outlive it', async () => {
    const now = Date.now;
    const sign = createTokenSigner({ keys: await open(), lifetimeSeconds: 3600, now, randomBytes });
    const verify = createTokenVerifier({ keys: await open(), maxLifetimeSeconds: 3600, now });
    const { token, jti } = await sign(account);
    expect((await verify(token)).claims.jti).toBe(jti);
  });

  it('verifies with an older key and signs with the newer', async () => {
    const older = await open();
    await database.store.updateTable('keys').set({ signing: false }).execute();
    const newer = await open();
    expect(newer.signing.kid).not.toBe(older.signing.kid);
    expect(newer.find(older.signing.kid)).toBeDefined();
    expect(newer.find(newer.signing.kid)).toBeDefined();
  });

  it('keeps the private part out of the database', async () => {
    const { signing } = await open();
    const { d } = signing.key.export({ format: 'jwk' });
    const secret = Buffer.from(d ?? '', 'base64url');
    const [row] = await database.store.selectFrom('keys').selectAll().execute();
    expect(secret).toHaveLength(32);
    expect(JSON.stringify(row?.public_jwk)).not.toContain(d);
    expect(row?.public_jwk).not.toHaveProperty('d');
    expect(row?.sealed_private.includes(secret)).toBe(false);
  });
});
