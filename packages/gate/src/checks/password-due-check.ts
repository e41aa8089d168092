// Forced password change: a caller whose password was assigned by an administrator can do nothing but change it.
import { AppError } from '@portcullis/contract';
import type { Permissible } from './permission-check.ts';

/**
 * Takes the endpoints that such a caller is allowed to call, as `METHOD /path`. A request to another service has an empty
 * route and is never among them.
 */
export function createPasswordDueCheck(forDuePassword: readonly string[]) {
  const open = new Set(forDuePassword);
  return function passwordDueCheck({ caller, route }: Pick<Permissible, 'caller' | 'route'>): void {
    if (caller === undefined) throw new AppError('token_missing');
    if (caller.passwordDue !== undefined && !open.has(route)) throw new AppError('password_change_required');
  };
}
