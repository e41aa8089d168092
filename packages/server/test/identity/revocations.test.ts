import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startFollower } from '../../src/cluster/follower.ts';
import { readCurrentRevision } from '../../src/cluster/revision-store.ts';
import { createIdentityCheck } from '../../src/identity/identity-check.ts';
import { insertRevocation } from '../../src/identity/revocation-store.ts';
import { createRevocations } from '../../src/identity/revocations.ts';
import { createTokenVerifier } from '../../src/identity/verify-token.ts';
import { createFreshDatabase, type FreshDatabase } from '../fresh-database.ts';
import { createTestKeys, goodClaims, goodHeader, nowSeconds } from './test-keys.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  const { store } = database;
  await store
    .insertInto('roles')
    .values({ id: 2, role_key: 'editor', name: 'Editor', data_scope: '3' })
    .execute();
  await store.insertInto('departments').values({ id: 1, name: 'Head office', parent_id: null }).execute();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.store.deleteFrom('revocations').execute();
  await database.store.deleteFrom('users').execute();
});

const token = { jti: 'jti-1', identity: 7, ep: 1 };
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

async function load(maxTokenLifetimeSeconds = 86_400) {
  const revocations = createRevocations(maxTokenLifetimeSeconds);
  const putInForce = await database.store
    .transaction()
    .execute(async (transaction) => await revocations.load(transaction, 0));
  putInForce();
  return revocations;
}

async function insertUser(id: number, epoch: number, raisedAt: Date | null): Promise<void> {
  const username = `user${id}`;
  await database.store
    .insertInto('users')
    .values({
      id,
      username,
      canonical_username: username,
      department_id: 1,
      role_id: 2,
      password_hash: '',
      epoch,
      epoch_raised_at: raisedAt,
    })
    .execute();
}

describe('a token is revoked', () => {
  it('after a restart, while it could still live', async () => {
    await insertRevocation(database.store, { jti: 'jti-1', userId: 7, expiresAt: inSeconds(60) });
    expect((await load()).isRevoked(token)).toBe(true);
  });

  it('after a restart, when it carries an epoch older than the raised one', async () => {
    await insertUser(7, 3, new Date());
    const revocations = await load();
    expect(revocations.isRevoked({ ...token, ep: 2 })).toBe(true);
    expect(revocations.isRevoked({ ...token, ep: 3 })).toBe(false);
  });

  it('by a change, in the same tick', async () => {
    const revocations = await load();
    revocations.apply({ kind: 'token_revoked', jti: 'jti-1' });
    expect(revocations.isRevoked(token)).toBe(true);
    expect(revocations.isRevoked({ ...token, jti: 'jti-2' })).toBe(false);
  });

  it('still, after what was loaded replaced what was in memory', async () => {
    await insertRevocation(database.store, { jti: 'jti-1', userId: 7, expiresAt: inSeconds(60) });
    const revocations = await load();
    const putInForce = await database.store
      .transaction()
      .execute(async (transaction) => await revocations.load(transaction, 0));
    expect(revocations.isRevoked(token)).toBe(true);
    putInForce();
    expect(revocations.isRevoked(token)).toBe(true);
  });
});

describe('memory holds nothing', () => {
  it('of a token that has expired by itself', async () => {
    await insertRevocation(database.store, { jti: 'jti-1', userId: 7, expiresAt: inSeconds(-1) });
    expect((await load()).isRevoked(token)).toBe(false);
  });

  it('of an epoch that no live token can meet', async () => {
    await insertUser(7, 3, new Date(Date.now() - 3_700_000));
    await insertUser(8, 3, null);
    expect((await load(3600)).isRevoked(token)).toBe(false);
    expect((await load(3600)).isRevoked({ ...token, identity: 8 })).toBe(false);
    expect((await load(86_400)).isRevoked(token)).toBe(true);
  });
});

it('a revocation counts though its number was used before, by a revision that a failover lost', async () => {
  const { store } = database;
  const keys = createTestKeys();
  const now = () => nowSeconds * 1000;
  const revocations = createRevocations(86_400);
  const follower = await startFollower({
    store,
    replicas: [revocations],
    intervalMilliseconds: 3_600_000,
    onFailure: () => {},
  });
  follower.stop();
  const check = createIdentityCheck({
    verify: createTokenVerifier({ keys: keys.ring, maxLifetimeSeconds: 86_400, now }),
    keys: keys.ring,
    revocations,
    findRole: () => ({ roleKey: 'editor', dataScope: '3' }),
    changes: follower,
    now,
  });
  const rawHeaders = ['Authorization', `Bearer ${keys.token(goodHeader, goodClaims)}`];
  const call = async () =>
    await check({ carriers: { rawHeaders, query: '', cookie: undefined }, caller: undefined });
  const revoke = (jti: string) => insertRevocation(store, { jti, userId: 7, expiresAt: inSeconds(60) });

  const before = follower.revision;
  await revoke('somebody-else');
  await follower.catchUp();
  await call();
  await store.deleteFrom('revisions').where('n', '>', before).execute();
  await store.updateTable('current_revision').set({ n: before }).execute();
  await follower.catchUp();
  await revoke(goodClaims.jti);
  await follower.catchUp();
  await expect(call()).rejects.toMatchObject({ kind: 'token_revoked' });
});

it('ending a token twice is one revocation and one revision', async () => {
  const { store } = database;
  const before = await readCurrentRevision(store);
  const ended = { jti: 'jti-1', userId: 7, expiresAt: inSeconds(60) };
  await Promise.all(Array.from({ length: 5 }, () => insertRevocation(store, ended)));
  expect(await readCurrentRevision(store)).toBe(before + 1);
  expect(await store.selectFrom('revocations').select('jti').execute()).toEqual([{ jti: 'jti-1' }]);
});
