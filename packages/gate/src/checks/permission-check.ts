// Permission check (authorization): decides by the caller's role, the method and the path. It runs after the identity
// check, and a request without a caller is rejected.
import { AppError, type Caller } from '@portcullis/contract';
import { decide } from '@portcullis/policy';
import type { CurrentRules } from '../access/current-rules.ts';

export interface Permissible {
  readonly caller: Caller | undefined;
  readonly method: string;
  readonly path: string;
  /** The declared endpoint that the router matched, as `METHOD /path`. */
  readonly route: string;
}

export function createPermissionCheck(
  exclusions: ReadonlySet<string>,
  rules: Pick<CurrentRules, 'snapshot'>,
  /** Called for every request that the exclusion list allows. */
  countExclusion: (route: string) => void = () => {},
) {
  return function permissionCheck({ caller, method, path, route }: Permissible): void {
    if (caller === undefined) throw new AppError('token_missing');
    if (caller.roleKey === 'admin') return; // Spec, Authentication 5a.
    if (exclusions.has(route)) {
      countExclusion(route);
      return; // Spec, Authentication 5b.
    }
    if (decide(rules.snapshot, caller.roleKey, method, path) !== 'allow')
      throw new AppError('permission_denied');
  };
}
