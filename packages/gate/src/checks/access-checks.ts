// The checks that decide by the memory, composed. Their order is in pipeline.ts.
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
  /** Origins that may call from another site. */
  readonly origins: readonly string[];
  /** Endpoints that skip the permission check, as `METHOD /path`. */
  readonly exclusions: readonly string[];
  /** Endpoints for callers whose password must be changed first, as `METHOD /path`; none where there are none. */
  readonly forDuePassword?: readonly string[];
  /** Told of every request that the exclusion list let pass. */
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
