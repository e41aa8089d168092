// A process's memory of access, composed: what decides a request, kept up to date and held by a lease.
import type { CurrentAccess } from '../access/current-access.ts';
import { type CurrentRules, createCurrentRules, type ReportBadRule } from '../access/current-rules.ts';
import { type AccessSource, createFollower, type Follower, type Revision } from '../access/follower.ts';
import { createRevocations, type Revocations } from '../access/revocations.ts';
import { createRoles, type Roles } from '../access/roles.ts';
import type { VerifyingKeys } from '../token/verifying-keys.ts';
import { createDatabaseClock } from './database-clock.ts';
import { createLease, type Lease } from './lease.ts';
import { createMember, type Member, type MemberTransport } from './member.ts';

interface MemoryOptions<K extends VerifyingKeys> {
  readonly source: AccessSource;
  readonly transport: MemberTransport;
  readonly keys: K;
  readonly maxTokenLifetimeSeconds: number;
  readonly leaseMilliseconds: number;
  /** Told of every revision before it is reported, and waited for. */
  readonly keep?: (revision: Revision) => Promise<void>;
  readonly now: () => number;
  readonly monotonic: () => number;
  readonly reportBadRule: ReportBadRule;
  readonly reportUnreadable: (revision: number) => void;
  /** Told of every failure to follow, and whether the lease is still live. */
  readonly onFailure: (cause: unknown, isLeased: boolean) => void;
  /** Told of a lease that is over, and of one that is back. */
  readonly onLease: (isLive: boolean) => void;
}

export interface AccessMemory<K extends VerifyingKeys = VerifyingKeys> {
  readonly keys: K;
  readonly revocations: Revocations;
  readonly roles: Roles;
  readonly rules: CurrentRules;
  readonly follower: Follower;
  readonly lease: Lease;
  readonly member: Member;
  readonly current: CurrentAccess;
}

const maxRenewMilliseconds = 1000;
/** A lease that misses some renewals must still outlive them. */
const renewalsPerLease = 5;

export function createAccessMemory<K extends VerifyingKeys>(options: MemoryOptions<K>): AccessMemory<K> {
  const { source, transport, keys, maxTokenLifetimeSeconds, leaseMilliseconds, now, monotonic } = options;
  const revocations = createRevocations(maxTokenLifetimeSeconds, now);
  const roles = createRoles();
  const instant = () => ({ monotonic: monotonic(), wall: now() });
  const databaseClock = createDatabaseClock(instant);
  const rules = createCurrentRules(options.reportBadRule, databaseClock.latest);
  // The rules come first: theirs is the one step that could fail, and then nothing has changed yet.
  const replicas = [rules, revocations, roles, keys];
  const follower = createFollower(source, replicas, options.reportUnreadable);
  const lease = createLease(leaseMilliseconds, instant);
  const member = createMember({
    transport,
    follower,
    lease,
    onDatabaseTime: databaseClock.observe,
    renewMilliseconds: Math.min(maxRenewMilliseconds, leaseMilliseconds / renewalsPerLease),
    ...(options.keep === undefined ? {} : { keep: options.keep }),
    random: Math.random,
    onFailure: (cause) => options.onFailure(cause, lease.isLive()),
    onLease: options.onLease,
  });
  const current: CurrentAccess = {
    get revision() {
      return follower.revision;
    },
    get generation() {
      return follower.generation + rules.ends;
    },
    get nextEnd() {
      return rules.nextEnd;
    },
    isLive: lease.isLive,
  };
  return { keys, revocations, roles, rules, follower, lease, member, current };
}
