// The keys of service accounts over HTTP, and what a change of them waits for.
import { generateKeyPairSync } from 'node:crypto';
import type { PublicKey } from '@portcullis/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRecordChange } from '../../../src/logs/audit/record-change.ts';
import type { UserChange } from '../../../src/people/users/user-changes.ts';
import { lockFactorsOfUser } from '../../../src/sign-in/mfa/credential-store.ts';
import { addKeyChange, endKeyChange } from '../../../src/sign-in/service-accounts/key-changes.ts';
import { listKeys } from '../../../src/sign-in/service-accounts/key-store.ts';
import { serviceAccountRoutes } from '../../../src/sign-in/service-accounts/routes.ts';
import { createAccessStandIn } from '../../access-stand-in.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { refusal, whileRefused } from '../../refuse-writes.ts';
import { seedDirectory } from '../../seed-directory.ts';
import { type ServedRoutes, serveRoutes } from '../../serve-routes.ts';

const [mei, audience] = [7, 'https://admin.example.com'];
let database: FreshDatabase;
let on: ServedRoutes;
let off: ServedRoutes;
beforeAll(async () => {
  database = await createFreshDatabase();
  const { store } = database;
  await seedDirectory(store);
  const options = {
    store,
    access: createAccessStandIn(store),
    recordChange: createRecordChange(),
    listDepartments: async () => [],
    canManage: { ofUser: async () => {} },
  };
  on = serveRoutes(serviceAccountRoutes({ ...options, audience }));
  off = serveRoutes(serviceAccountRoutes({ ...options, audience: '' }));
});
afterAll(async () => {
  for (const served of [on, off]) {
    expect(served.faults).toEqual([]);
    await served.close();
  }
  await database.drop();
});

let count = 0;
async function addProgram(): Promise<number> {
  count += 1;
  const username = `program${count}`;
  const { id } = await database.store
    .insertInto('users')
    .values({
      username,
      canonical_username: username,
      kind: 'service',
      department_id: 1,
      role_id: 2,
      password_hash: '!',
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

const newKey = () => {
  const publicKey = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }) as PublicKey;
  return { name: 'key', publicKey };
};
const offItsCurve = { kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'A'.repeat(43) };

async function addKey(userId: number): Promise<number> {
  const { data } = await on.send('POST', `/users/${userId}/keys`, newKey());
  return (data as { id: number }).id;
}

describe('the keys of an account', () => {
  it('are not listed of a person, nor of an account that was deleted', async () => {
    const id = await addProgram();
    expect((await on.send('GET', `/users/${mei}/keys`)).code).toBe(409);
    expect((await on.send('GET', `/users/${id}/keys`)).code).toBe(200);
    await database.store.updateTable('users').set({ deleted_at: new Date() }).where('id', '=', id).execute();
    expect((await on.send('GET', `/users/${id}/keys`)).code).toBe(404);
  });

  it('are listed with their algorithm and the audience, which is null where keys are off', async () => {
    const userId = await addProgram();
    const id = await addKey(userId);
    const items = [{ id, name: 'key', algorithm: 'EdDSA', usedAt: null }];
    expect((await on.send('GET', `/users/${userId}/keys`)).data).toMatchObject({ items, audience });
    expect((await off.send('GET', `/users/${userId}/keys`)).data).toMatchObject({ items, audience: null });
  });
});

describe('a key', () => {
  it('is not added where keys are off, nor off its curve', async () => {
    const userId = await addProgram();
    expect((await off.send('POST', `/users/${userId}/keys`, newKey())).code).toBe(409);
    const bad = { name: 'key', publicKey: offItsCurve };
    expect((await on.send('POST', `/users/${userId}/keys`, bad)).code).toBe(400);
    expect(await listKeys(database.store, userId)).toEqual([]);
  });

  it('is not added beside ten, and is beside nine', async () => {
    const userId = await addProgram();
    for (let n = 1; n <= 10; n += 1)
      expect((await on.send('POST', `/users/${userId}/keys`, newKey())).code).toBe(200);
    expect((await on.send('POST', `/users/${userId}/keys`, newKey())).code).toBe(409);
  });

  it('is stored when the call returns, which names it', async () => {
    const userId = await addProgram();
    const id = await addKey(userId);
    expect((await listKeys(database.store, userId)).map((key) => key.id)).toEqual([id]);
  });

  it('of another account is not ended, and an own one is, once', async () => {
    const [one, other] = [await addProgram(), await addProgram()];
    const [own, foreign] = [await addKey(one), await addKey(other)];
    const end = async (id: number) => (await on.send('DELETE', `/users/${one}/keys/${id}`)).code;
    expect([await end(foreign), await end(own), await end(own)]).toEqual([404, 200, 200]);
    expect([await listKeys(database.store, one), (await listKeys(database.store, other)).length]).toEqual([
      [],
      1,
    ]);
    const records = await database.store
      .selectFrom('audit_log')
      .select(['before', 'after'])
      .where('action', '=', 'user.key_end')
      .where('target', '=', `user ${one}`)
      .execute();
    expect(records).toMatchObject([{ before: { id: own, name: 'key' }, after: null }]);
  });
});

describe('a change of keys', () => {
  const apply = (change: UserChange, userId: number) =>
    database.store.transaction().execute(async (transaction) => {
      await sql`set local lock_timeout = '50ms'`.execute(transaction);
      return await change.apply(transaction, { id: userId } as Parameters<UserChange['apply']>[1]);
    });
  const changes: [what: string, of: (keyId: number) => UserChange][] = [
    ['addition', () => addKeyChange(newKey()).change],
    ['end', (keyId) => endKeyChange(keyId, { isEnded: false })],
  ];

  it.each(changes)('waits for the lock of the factors of the account: an %s', async (_what, of) => {
    const userId = await addProgram();
    const change = of(await addKey(userId));
    await database.store.transaction().execute(async (transaction) => {
      await lockFactorsOfUser(transaction, userId);
      await expect(apply(change, userId)).rejects.toThrow('lock timeout');
    });
    expect(await apply(change, userId)).toBeDefined();
  });

  it('is not done where a key cannot be ended', async () => {
    const userId = await addProgram();
    const change = endKeyChange(await addKey(userId), { isEnded: false });
    const ended = () => apply(change, userId);
    await expect(whileRefused(database.store, 'update on credentials', ended)).rejects.toThrow(refusal);
    expect(await listKeys(database.store, userId)).toHaveLength(1);
  });
});
