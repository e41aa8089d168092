// Check 1, password due: a caller whose password was given by somebody else may do nothing but change it.
import { AppError } from '@portcullis/contract';
import type { Permissible } from './permission-check.ts';

/** Takes the endpoints that such a caller may call, as `METHOD /path`. A request that matched none of ours has no route. */
export function createPasswordDueCheck(forDuePassword: readonly string[]) {
  const open = new Set(forDuePassword);
  return function passwordDueCheck({ caller, route }: Pick<Permissible, 'caller' | 'route'>): void {
    if (caller === undefined) throw new AppError('token_missing');
    if (caller.passwordDue !== undefined && !open.has(route)) throw new AppError('password_due');
  };
}
