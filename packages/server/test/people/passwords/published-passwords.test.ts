import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  lintAdministratorPasswords,
  publishedPasswordHashes,
} from '../../../src/people/passwords/published-passwords.ts';
import { listAdministratorsWithHash } from '../../../src/people/users/user-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';

const [published = ''] = publishedPasswordHashes;
let database: FreshDatabase;

beforeAll(async () => {
  database = await createFreshDatabase();
  const { store } = database;
  await store.insertInto('departments').values({ id: 1, name: 'Head office', parent_id: null }).execute();
  await store
    .insertInto('roles')
    .values([
      { id: 1, role_key: 'admin', name: 'Administrator', data_scope: '1' },
      { id: 2, role_key: 'editor', name: 'Editor', data_scope: '3' },
    ])
    .execute();
  const user = (username: string, role_id: number, password_hash: string, enabled = true) => ({
    username,
    canonical_username: username,
    role_id,
    password_hash,
    enabled,
    department_id: 1,
  });
  await store
    .insertInto('users')
    .values([
      user('default', 1, published),
      user('changed', 1, 'another hash'),
      user('former', 1, published, false),
      user('editor', 2, published),
    ])
    .execute();
});
afterAll(() => database.drop());

describe('a published password', () => {
  it('is reported with every enabled administrator who has it, and with no other user', async () => {
    expect(await listAdministratorsWithHash(database.store, publishedPasswordHashes)).toEqual(['default']);
  });

  it('is refused with what to do', () => {
    expect(lintAdministratorPasswords(['default'])).toEqual([
      'The administrator `default` has a published default password. Set another password, or disable the user.',
    ]);
    expect(lintAdministratorPasswords([])).toEqual([]);
  });
});
