// Resolves a user's data scope for services that select rows by it (row-level security). An unknown or disabled user gets
// the scope of own rows.
import type { DataScope } from '@portcullis/contract';
import { ServiceError } from './service-error.ts';

/** The role of a user, if both the user and the role are enabled. */
export type FindUserRole = (userId: number) => Promise<UserRole | undefined>;

interface UserRole {
  readonly roleId: number;
  readonly roleKey: string;
  readonly dataScope: DataScope;
  /** The user must change the password first. */
  readonly passwordDue?: true;
}

export interface ScopeOptions {
  readonly findUserRole: FindUserRole;
  /** Undefined if the scope is not by departments. */
  readonly listDepartments: (scoped: {
    userId: number;
    roleId: number;
    dataScope: DataScope;
  }) => Promise<readonly number[] | undefined>;
}

interface ScopeOf<Kind> {
  readonly scope: Kind;
  readonly departments: readonly number[];
  readonly userId: number;
}
export type ResolvedScope = ScopeOf<'all'> | ScopeOf<'departments'> | ScopeOf<'own'>;

export function isUserId(text: string): boolean {
  return /^[1-9][0-9]{0,15}$/.test(text) && Number.isSafeInteger(Number(text));
}

export function parseUserId(values: readonly string[]): number {
  const [text = ''] = values;
  if (values.length !== 1 || !isUserId(text)) throw new ServiceError(400, 'Ask with one `userId`, a number.');
  return Number(text);
}

export function createResolveScope({ findUserRole, listDepartments }: ScopeOptions) {
  return async (userId: number): Promise<ResolvedScope> => {
    const role = await findUserRole(userId);
    if (role === undefined) return { scope: 'own', departments: [], userId };
    if (role.dataScope === '1') return { scope: 'all', departments: [], userId };
    const { roleId, dataScope } = role;
    const departments = await listDepartments({ roleId, dataScope, userId });
    return departments === undefined
      ? { scope: 'own', departments: [], userId }
      : { scope: 'departments', departments, userId };
  };
}
