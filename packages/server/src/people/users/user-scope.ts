// Whom a caller may see and change, by the caller's data scope. Whoever is outside does not exist for the caller.
import type { Caller } from '@portcullis/contract';

export type UserScope =
  | { readonly kind: 'all' }
  | { readonly kind: 'departments'; readonly departments: readonly number[] }
  | { readonly kind: 'own'; readonly userId: number };

/** Undefined where the data scope is not one of departments. */
export type ListDepartments = (caller: Caller) => Promise<readonly number[] | undefined>;

export async function resolveUserScope(caller: Caller, listDepartments: ListDepartments): Promise<UserScope> {
  if (caller.dataScope === '1') return { kind: 'all' };
  const departments = await listDepartments(caller);
  return departments === undefined
    ? { kind: 'own', userId: caller.userId }
    : { kind: 'departments', departments };
}

export function isUserInScope(scope: UserScope, user: { id: number; departmentId: number }): boolean {
  switch (scope.kind) {
    case 'all':
      return true;
    case 'departments':
      return scope.departments.includes(user.departmentId);
    case 'own':
      return scope.userId === user.id;
  }
}

/** Whether a user may be put there: a user who is moved out of sight could not be moved back. */
export function isDepartmentInScope(scope: UserScope, departmentId: number): boolean {
  return scope.kind === 'all' || (scope.kind === 'departments' && scope.departments.includes(departmentId));
}
