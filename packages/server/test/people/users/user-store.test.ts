import { createRoles } from '@portcullis/gate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalUsername } from '../../../src/base/values/canonical-username.ts';
import {
  findAccount,
  findHighestImportedCost,
  findProfile,
  replaceHash,
} from '../../../src/people/users/user-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { loadReplica } from '../../load-replica.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  const { store } = database;
  await store.insertInto('departments').values({ id: 1, name: 'Head office', parent_id: null }).execute();
  await store
    .insertInto('roles')
    .values([
      { id: 2, role_key: 'editor', name: 'Editor', data_scope: '3' },
      { id: 3, role_key: 'former', name: 'Former', data_scope: '5', enabled: false },
    ])
    .execute();
  const shared = { department_id: 1, password_hash: 'hash' };
  await store
    .insertInto('users')
    .values([
      { id: 7, username: 'Kim.Łee', canonical_username: canonicalUsername('Kim.Łee'), role_id: 2, ...shared },
      { id: 8, username: 'off', canonical_username: 'off', role_id: 3, enabled: false, epoch: 4, ...shared },
    ])
    .execute();
});
afterAll(() => database.drop());

const find = async (username: string) => (await findAccount(database.store, username))?.account.userId;

describe('an account', () => {
  it.each([
    'nobody',
    '',
    ' ',
    'kim',
    'kim.łe',
    'kim.lee',
    'k\u0131m.łee',
    'k\u0456m.łee',
    'kim\u200b.łee',
    '%',
    'kim_łee',
    "' or ''='",
    'kim.łee\0',
    '\0',
    'kim.łee\ud800',
    '\udc00',
    'x'.repeat(10_000),
  ])('is not found as %j', async (username) => {
    expect(await find(username)).toBeUndefined();
  });

  it.each([
    ['as it was written', 'Kim.Łee'],
    ['in small letters', 'kim.łee'],
    ['in capitals', 'KIM.ŁEE'],
    ['with the Kelvin sign', '\u212aim.łee'],
    ['in full-width letters', 'ｋｉｍ．łｅｅ'],
    ['with space around it', '  kim.łee\t'],
    ['with a space that is not broken', '\u00a0kim.łee\u3000'],
  ])('is found %s', async (_how, username) => {
    expect(await find(username)).toBe(7);
  });

  it('comes with hash, role, epoch and both switches from one read', async () => {
    expect(await findAccount(database.store, 'OFF')).toEqual({
      account: { userId: 8, username: 'off', roleId: 3, roleKey: 'former', dataScope: '5', epoch: 4 },
      passwordHash: 'hash',
      isDecidedByProvider: false,
      userEnabled: false,
      roleEnabled: false,
    });
  });

  it('is one for all its spellings: a second one is refused', async () => {
    const second = database.store
      .insertInto('users')
      .values({
        username: 'ＫＩＭ.Łee',
        canonical_username: canonicalUsername('ＫＩＭ.Łee'),
        department_id: 1,
        role_id: 2,
        password_hash: 'hash',
      })
      .execute();
    await expect(second).rejects.toMatchObject({ code: '23505' });
  });
});

describe('the canonical form', () => {
  it.each(['Kim.Łee', 'ＡＢ', 'İstanbul', 'ΑΣ', 'ﬁ', '¨x', '\u1e9e', 'Å', '½'])(
    'of %s is its own canonical form',
    (username) => {
      const canonical = canonicalUsername(username);
      expect(canonicalUsername(canonical)).toBe(canonical);
    },
  );
});

describe('a profile', () => {
  it('is undefined for an unknown user', async () => {
    expect(await findProfile(database.store, 999)).toBeUndefined();
  });

  it('has its department and role', async () => {
    expect(await findProfile(database.store, 7)).toMatchObject({
      id: 7,
      username: 'Kim.Łee',
      department_id: 1,
      department_name: 'Head office',
      role_id: 2,
      role_key: 'editor',
    });
  });
});

describe('the roles in memory', () => {
  it('lack a disabled one, and one that is not there', async () => {
    const roles = createRoles();
    expect(roles.find(2)).toBeUndefined();
    await loadReplica(database.store, roles);
    expect(roles.find(2)).toEqual({ id: 2, roleKey: 'editor', dataScope: '3' });
    expect(roles.find(3)).toBeUndefined();
    expect(roles.find(999)).toBeUndefined();
  });
});

describe('a stored hash', () => {
  const store = (id: number, passwordHash: string) =>
    database.store.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', id).execute();

  it('is replaced only where the old one is unchanged', async () => {
    await store(7, 'changed meanwhile');
    await replaceHash(database.store, 7, 'old', 'new');
    expect((await findAccount(database.store, 'kim.łee'))?.passwordHash).toBe('changed meanwhile');
    await replaceHash(database.store, 7, 'changed meanwhile', 'new');
    expect((await findAccount(database.store, 'kim.łee'))?.passwordHash).toBe('new');
  });

  it.each(['hash', '$2', '$2a$31$x', '$2a$xx$x', '$3a$10$x'])(
    'that is no imported one that we compare with (%s) has no cost',
    async (passwordHash) => {
      await store(7, passwordHash);
      expect(await findHighestImportedCost(database.store)).toBeUndefined();
    },
  );

  it('that was imported has a cost, and the highest counts', async () => {
    await store(7, '$2a$04$x');
    await store(8, '$2b$12$x');
    expect(await findHighestImportedCost(database.store)).toBe(12);
  });
});
