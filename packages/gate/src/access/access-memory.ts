// A process's memory of access, composed: what decides a request, kept up to date and held by a lease.

import { createIdentityCheck } from '../checks/identity-check.ts';
import { createLeaseCheck } from '../checks/lease-check.ts';
import { createPermissionCheck } from '../checks/permission-check.ts';
import { createSettledCheck } from '../checks/settled-check.ts';
import { createSiteCheck } from '../checks/site-check.ts';
import { createLease, type Lease } from '../member/lease.ts';
import { createMember, type Member, type MemberTransport } from '../member/member.ts';
import { createTokenVerifier } from '../token/verify-token.ts';
import type { VerifyingKeys } from '../token/verifying-keys.ts';
import { type CurrentRules, createCurrentRules, type ReportBadRule } from './current-rules.ts';
import { type AccessSource, createFollower, type Follower } from './follower.ts';
import { createRevocations, type Revocations } from './revocations.ts';
import { createRoles, type Roles } from './roles.ts';

interface MemoryOptions<K extends VerifyingKeys> {
  readonly source: AccessSource;
  readonly transport: MemberTransport;
  readonly keys: K;
  readonly maxTokenLifetimeSeconds: number;
  readonly leaseMilliseconds: number;
  readonly now: () => number;
  readonly monotonic: () => number;
  readonly reportBadRule: ReportBadRule;
  readonly reportUnreadable: (revision: number) => void;
  /** Told of every failure to follow, and whether the lease is still live. */
  readonly onFailure: (cause: unknown, isLeased: boolean) => void;
}

export interface AccessMemory<K extends VerifyingKeys = VerifyingKeys> {
  readonly keys: K;
  readonly revocations: Revocations;
  readonly roles: Roles;
  readonly rules: CurrentRules;
  readonly follower: Follower;
  readonly lease: Lease;
  readonly member: Member;
}

const maxRenewMilliseconds = 1000;
/** A lease that misses some renewals must still outlive them. */
const renewalsPerLease = 5;

export function createAccessMemory<K extends VerifyingKeys>(options: MemoryOptions<K>): AccessMemory<K> {
  const { source, transport, keys, maxTokenLifetimeSeconds, leaseMilliseconds, now, monotonic } = options;
  const revocations = createRevocations(maxTokenLifetimeSeconds, now);
  const roles = createRoles();
  const rules = createCurrentRules(options.reportBadRule);
  // The rules come first: theirs is the one step that could fail, and then nothing has changed yet.
  const replicas = [rules, revocations, roles, keys];
  const follower = createFollower(source, replicas, options.reportUnreadable);
  const lease = createLease(leaseMilliseconds, () => ({ monotonic: monotonic(), wall: now() }));
  const member = createMember({
    transport,
    follower,
    lease,
    renewMilliseconds: Math.min(maxRenewMilliseconds, leaseMilliseconds / renewalsPerLease),
    random: Math.random,
    onFailure: (cause) => options.onFailure(cause, lease.isLive()),
  });
  return { keys, revocations, roles, rules, follower, lease, member };
}

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

/** The checks that decide by the memory. Their order is the caller's. */
export function createAccessChecks(options: CheckOptions) {
  const { memory, maxTokenLifetimeSeconds: maxLifetimeSeconds, origins, exclusions, now } = options;
  const { keys, revocations, roles, rules, follower, lease } = memory;
  const verify = createTokenVerifier({ keys, maxLifetimeSeconds, now });
  return {
    hold: createLeaseCheck(lease),
    identify: createIdentityCheck({
      verify,
      keys,
      revocations,
      findRole: roles.find,
      changes: follower,
      now,
    }),
    site: createSiteCheck(origins),
    settled: createSettledCheck(options.forDuePassword ?? []),
    permit: createPermissionCheck(new Set(exclusions), rules, options.countExclusion),
  };
}
