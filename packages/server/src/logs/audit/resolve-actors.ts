// Data scope of the audit log: a caller sees the caller's own changes, and those of the users in the data scope.
import type { Caller } from '@portcullis/contract';
import type { Actors } from './audit-store.ts';

/** Undefined when the data scope is not one of departments. */
export type ListDepartments = (caller: Caller) => Promise<readonly number[] | undefined>;

export async function resolveActors(caller: Caller, listDepartments: ListDepartments): Promise<Actors> {
  if (caller.dataScope === '1') return 'all';
  return { userId: caller.userId, departments: (await listDepartments(caller)) ?? [] };
}
