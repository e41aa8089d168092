// SQL of roles.
import { dataScopeOf } from '@portcullis/contract';
import type { Store } from '../store/store.ts';
import type { Role } from './roles.ts';

export async function listEnabledRoles(store: Store): Promise<Role[]> {
  const rows = await store
    .selectFrom('roles')
    .select(['id', 'role_key', 'data_scope'])
    .where('enabled', '=', true)
    .execute();
  return rows.map((row) => ({ id: row.id, roleKey: row.role_key, dataScope: dataScopeOf(row.data_scope) }));
}
