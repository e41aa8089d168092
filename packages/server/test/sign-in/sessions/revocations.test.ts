import { createRevocations } from '@portcullis/gate';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { insertRevocation } from '../../../src/sign-in/sessions/revocation-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { loadReplica, sourceOf } from '../../load-replica.ts';

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

const jti = 'AAAAAAAAAAAAAAAAAAAAAA';
const token = { jti, identity: 7, ep: 1 };
const revoke = (ended: { jti: string; userId: number; expiresAt: number }) =>
  database.store.transaction().execute(async (transaction) => await insertRevocation(transaction, ended));
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

async function load(maxTokenLifetimeSeconds = 86_400) {
  const revocations = createRevocations(maxTokenLifetimeSeconds, Date.now);
  return await loadReplica(database.store, revocations, { maxTokenLifetimeSeconds });
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
    await revoke({ jti, userId: 7, expiresAt: inSeconds(60) });
    expect((await load()).isRevoked(token)).toBe(true);
  });

  it('after a restart, when it carries an epoch older than the raised one', async () => {
    await insertUser(7, 3, new Date());
    const revocations = await load();
    expect(revocations.isRevoked({ ...token, ep: 2 })).toBe(true);
    expect(revocations.isRevoked({ ...token, ep: 3 })).toBe(false);
  });

  it('after a restart, by an epoch that was raised nearly one lifetime ago, or in a transaction that began before that', async () => {
    await insertUser(7, 3, new Date(Date.now() - 3_500_000));
    await insertUser(8, 3, new Date(Date.now() - 3_640_000));
    const revocations = await load(3600);
    expect([7, 8].map((identity) => revocations.isRevoked({ ...token, identity }))).toEqual([true, true]);
  });

  it('by a change, in the same tick', async () => {
    const revocations = await load();
    revocations.apply([{ kind: 'token_revoked', jti, expiresAt: inSeconds(60) }], 1);
    expect(revocations.isRevoked(token)).toBe(true);
    expect(revocations.isRevoked({ ...token, jti: 'QAAAAAAAAAAAAAAAAAAAAA' })).toBe(false);
  });

  it('still, after what was loaded replaced what was in memory', async () => {
    await revoke({ jti, userId: 7, expiresAt: inSeconds(60) });
    const revocations = await load();
    const loading = revocations.load();
    await sourceOf(database.store).readAll(loading.take);
    const putInForce = loading.finish(0);
    expect(revocations.isRevoked(token)).toBe(true);
    putInForce();
    expect(revocations.isRevoked(token)).toBe(true);
  });
});

describe('memory holds nothing', () => {
  it('of a token that has expired, on every clock', async () => {
    await revoke({ jti, userId: 7, expiresAt: inSeconds(-50) });
    expect((await load()).isRevoked(token)).toBe(true);
    const expired = { ...token, jti: 'QAAAAAAAAAAAAAAAAAAAAA' };
    await revoke({ jti: expired.jti, userId: 7, expiresAt: inSeconds(-61) });
    expect((await load()).isRevoked(expired)).toBe(false);
  });

  it('of an epoch that no live token can meet', async () => {
    await insertUser(7, 3, new Date(Date.now() - 3_700_000));
    await insertUser(8, 3, null);
    expect((await load(3600)).isRevoked(token)).toBe(false);
    expect((await load(3600)).isRevoked({ ...token, identity: 8 })).toBe(false);
    expect((await load(86_400)).isRevoked(token)).toBe(true);
  });
});

it('ending a token twice, at once or later, is one revocation and one change', async () => {
  const ended = { jti, userId: 7, expiresAt: inSeconds(60) };
  const changes = await Promise.all(Array.from({ length: 5 }, () => revoke(ended)));
  expect([...changes.flat(), ...(await revoke(ended))]).toEqual([
    { kind: 'token_revoked', jti, expiresAt: ended.expiresAt },
  ]);
  expect(await database.store.selectFrom('revocations').select('jti').execute()).toEqual([{ jti }]);
});

it('ended tokens are loaded though they fill many pages', async () => {
  await sql`
    insert into revocations (jti, user_id, expires_at)
    select translate(rtrim(encode(uuid_send(gen_random_uuid()), 'base64'), '='), '+/', '-_'), 7, now() + interval '1 hour'
    from generate_series(1, 25000)`.execute(database.store);
  const revocations = await load();
  const rows = await database.store.selectFrom('revocations').select('jti').execute();
  expect(rows).toHaveLength(25_000);
  expect(rows.filter((row) => !revocations.isRevoked({ ...token, jti: row.jti }))).toEqual([]);
});
