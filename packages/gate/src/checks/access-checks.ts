// Creates the access checks on one access memory: lease, identity, CSRF, password, permission. Their order is in
// pipeline.ts.
import type { AccessMemory } from '../member/access-memory.ts';
import { createTokenVerifier } from '../token/verify-token.ts';
import { createCsrfCheck } from './csrf-check.ts';
import { createIdentityCheck } from './identity-check.ts';
import { createLeaseCheck } from './lease-check.ts';
import { createPasswordDueCheck } from './password-due-check.ts';
import { createPermissionCheck } from './permission-check.ts';

interface CheckOptions {
  readonly memory: AccessMemory;
  readonly maxTokenLifetimeSeconds: number;
  /** Origins that are allowed to call from another site. */
  readonly origins: readonly string[];
  /** Endpoints that skip the permission check, as `METHOD /path`. */
  readonly exclusions: readonly string[];
  /** Endpoints for callers who must change their password first, as `METHOD /path`; none by default. */
  readonly forDuePassword?: readonly string[];
  /** Called for every request that the exclusion list allows. */
  readonly countExclusion?: (route: string) => void;
  readonly now: () => number;
}

export function createAccessChecks(options: CheckOptions) {
  const { memory, maxTokenLifetimeSeconds: maxLifetimeSeconds, origins, exclusions, now } = options;
  const { keys, revocations, roles, rules, follower, lease } = memory;
  const verify = createTokenVerifier({ keys, maxLifetimeSeconds, now });
  return {
    leased: createLeaseCheck(lease),
    identify: createIdentityCheck({
      verify,
      keys,
      revocations,
      findRole: roles.find,
      changes: follower,
      now,
    }),
    site: createCsrfCheck(origins),
    passwordDue: createPasswordDueCheck(options.forDuePassword ?? []),
    permit: createPermissionCheck(new Set(exclusions), rules, options.countExclusion),
  };
}
