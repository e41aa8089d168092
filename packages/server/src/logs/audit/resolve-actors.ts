// Whose changes a caller may see: the own ones, and those of whom the data scope reaches.
import type { Caller } from '@portcullis/contract';
import type { Actors } from './audit-store.ts';

/** Undefined where the data scope is not one of departments. */
export type ListDepartments = (caller: Caller) => Promise<readonly number[] | undefined>;

export async function resolveActors(caller: Caller, listDepartments: ListDepartments): Promise<Actors> {
  if (caller.dataScope === '1') return 'all';
  return { userId: caller.userId, departments: (await listDepartments(caller)) ?? [] };
}
