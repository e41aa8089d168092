// SQL of the mappings from groups to roles (group mapping).
import { AppError, type RoleSource } from '@portcullis/contract';
import type { Store, StoreTransaction } from '../../../cluster/store/store.ts';
import { isStorable } from '../../../people/users/user-store.ts';
import type { Mapping } from './map-groups.ts';

const foreignKeyViolation = '23503';

/** In the order in which they are matched. */
export async function listMappings(store: Store, providerId: number): Promise<Mapping[]> {
  return await store
    .selectFrom('provider_mappings')
    .select(['group_name as group', 'role_id as roleId', 'department_id as departmentId'])
    .where('provider_id', '=', providerId)
    .orderBy('position')
    .execute();
}

/** Throws when a role or a department does not exist, or the database cannot store the name of a group. */
export async function replaceMappings(
  transaction: StoreTransaction,
  providerId: number,
  mappings: readonly Mapping[],
): Promise<void> {
  if (!mappings.every(({ group }) => isStorable(group))) throw new AppError('provider_settings_wrong');
  await transaction.deleteFrom('provider_mappings').where('provider_id', '=', providerId).execute();
  if (mappings.length === 0) return;
  const insertion = transaction.insertInto('provider_mappings').values(
    mappings.map(({ group, roleId, departmentId }, index) => ({
      provider_id: providerId,
      position: index + 1,
      group_name: group,
      role_id: roleId,
      department_id: departmentId,
    })),
  );
  try {
    await insertion.execute();
  } catch (error) {
    throw (error as { code?: unknown }).code === foreignKeyViolation
      ? new AppError('record_not_found')
      : error;
  }
}

export async function setRoleSource(
  transaction: StoreTransaction,
  providerId: number,
  roleSource: RoleSource,
): Promise<void> {
  await transaction
    .updateTable('providers')
    .set({ role_source: roleSource })
    .where('id', '=', providerId)
    .execute();
}
