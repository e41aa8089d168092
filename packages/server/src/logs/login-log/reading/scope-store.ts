// SQL of the data scope of the login log: whose records a caller is allowed to see. An unknown scope means the caller's own
// records.
import type { Caller } from '@portcullis/contract';
import { sql } from 'kysely';
import type { Store } from '../../../cluster/store/store.ts';
import type { AnyOf, Search } from './search.ts';

/** More values than this are not searched one by one. */
export const mostValues = 32;

export interface ScopeSource {
  readonly store: Store;
  /** The departments of the caller's data scope; undefined when it is not one of departments. */
  readonly listDepartments: (caller: Caller) => Promise<readonly number[] | undefined>;
}

/** Narrows the search to what the caller is allowed to see. */
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

/** Returns at most one user more than can be searched one by one. */
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
