// SQL of the enabled roles: only these can permit a call.
import type { Store } from '../../cluster/store/store.ts';

export interface EnabledRole {
  readonly roleId: number;
  readonly roleKey: string;
  readonly roleName: string;
}

export async function listRolesInForce(store: Store): Promise<EnabledRole[]> {
  return await store
    .selectFrom('roles')
    .select(['id as roleId', 'role_key as roleKey', 'name as roleName'])
    .where('enabled', '=', true)
    .orderBy('id')
    .execute();
}
