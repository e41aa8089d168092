// The users whom a caller can see and change, according to the caller's data scope. To the caller, users outside it do not exist.
import type { Caller } from '@portcullis/contract';

export type UserScope =
  | { readonly kind: 'all' }
  | { readonly kind: 'departments'; readonly departments: readonly number[] }
  | { readonly kind: 'own'; readonly userId: number };

/** Undefined if the data scope does not consist of departments. */
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

/** Whether the caller can put a user into the department: a caller could not move a user back whom the caller no longer sees. */
export function isDepartmentInScope(scope: UserScope, departmentId: number): boolean {
  return scope.kind === 'all' || (scope.kind === 'departments' && scope.departments.includes(departmentId));
}
