// SQL of the policy rules.
import type { Store } from '../store/store.ts';

export async function listRules(store: Store): Promise<{ roleKey: string; method: string; path: string }[]> {
  return await store
    .selectFrom('rules')
    .innerJoin('roles', 'roles.id', 'rules.role_id')
    .select(['roles.role_key as roleKey', 'rules.method', 'rules.path'])
    .execute();
}
