// SQL of the data scope: whose records a caller may see. An unknown scope means the own ones.
import type { Caller } from '@portcullis/contract';
import { sql } from 'kysely';
import type { Store } from '../../../cluster/store/store.ts';
import type { AnyOf, Search } from './search.ts';

/** More values than this are not looked up one by one. */
export const mostValues = 32;

export interface ScopeSource {
  readonly store: Store;
  /** Those of the caller's data scope; undefined where it is not one of departments. */
  readonly listDepartments: (caller: Caller) => Promise<readonly number[] | undefined>;
}

/** The search, narrowed to what the caller may see. */
export async function narrowToScope(
  { store, listDepartments }: ScopeSource,
  search: Search,
  caller: Caller,
): Promise<Search> {
  if (caller.dataScope === '1') return search;
  const asked = search.conditions.find(({ column }) => column === 'user_id');
  const others = search.conditions.filter((condition) => condition !== asked);
  const departments = await listDepartments(caller);
  const users = departments === undefined ? [caller.userId] : await listUsers(store, departments, asked);
  if (departments !== undefined && users.length > mostValues) return { ...search, departments };
  const values = users.filter((id) => asked === undefined || asked.values.includes(id));
  return { ...search, conditions: [...others, { column: 'user_id', values }] };
}

/** One more than can be looked up one by one, where there are so many. */
async function listUsers(
  store: Store,
  departments: readonly number[],
  asked: AnyOf | undefined,
): Promise<number[]> {
  const users = await store
    .selectFrom('users')
    .select('id')
    .where('department_id', '=', sql<number>`any(${departments}::bigint[])`)
    .$if(asked !== undefined, (select) =>
      select.where('id', '=', sql<number>`any(${asked?.values}::bigint[])`),
    )
    .limit(mostValues + 1)
    .execute();
  return users.map(({ id }) => id);
}
