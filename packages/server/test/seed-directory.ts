// A department, three roles and a few users, for tests that change them.
import { sql } from 'kysely';
import type { Store } from '../src/cluster/store/store.ts';

/** Roles 1 `admin`, 2 `editor` and 3 `former`, which is disabled; users 7 `mei` and 8 `kim`, both editors. */
export async function seedDirectory(store: Store): Promise<void> {
  await store
    .insertInto('departments')
    .values([1, 2, 3].map((id) => ({ id, name: `Department ${id}`, parent_id: null })))
    .execute();
  await store
    .insertInto('roles')
    .values([
      { id: 1, role_key: 'admin', name: 'Administrator', data_scope: '1' },
      { id: 2, role_key: 'editor', name: 'Editor', data_scope: '3' },
      { id: 3, role_key: 'former', name: 'Former', data_scope: '5', enabled: false },
    ])
    .execute();
  await store
    .insertInto('users')
    .values(
      [
        { id: 7, username: 'mei' },
        { id: 8, username: 'kim' },
      ].map((user) => ({
        ...user,
        canonical_username: user.username,
        department_id: 1,
        role_id: 2,
        password_hash: 'hash',
      })),
    )
    .execute();
  // The next ones get unused ids.
  for (const table of ['departments', 'roles', 'users'])
    await sql`alter table ${sql.table(table)} alter column id restart with 100`.execute(store);
}
