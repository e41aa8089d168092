// Creates the access memory of a process: revocations, roles, rules and keys, kept up to date by a follower and valid
// while the lease is live.
import type { CurrentAccess } from '../access/current-access.ts';
import { type CurrentRules, createCurrentRules, type ReportBadRule } from '../access/current-rules.ts';
import { type AccessSource, createFollower, type Follower, type Revision } from '../access/follower.ts';
import { createRevocations, type Revocations } from '../access/revocations.ts';
import { createRoles, type Roles } from '../access/roles.ts';
import type { VerifyingKeys } from '../token/verifying-keys.ts';
import { createDatabaseClock, type DatabaseClock } from './database-clock.ts';
import { createLease, type Lease } from './lease.ts';
import type { Member } from './member.ts';

interface MemoryOptions<K extends VerifyingKeys, M extends Member> {
  readonly source: AccessSource;
  /** Creates the member that renews the lease: an instance reports to the database, a guard asks an instance. */
  readonly createMember: (parts: MemberParts) => M;
  readonly keys: K;
  readonly maxTokenLifetimeSeconds: number;
  readonly leaseMilliseconds: number;
  readonly now: () => number;
  readonly monotonic: () => number;
  readonly reportBadRule: ReportBadRule;
  readonly reportUnreadable: (revision: number) => void;
}

export interface MemberParts {
  readonly follower: Follower;
  readonly lease: Lease;
  readonly databaseClock: DatabaseClock;
}

export interface AccessMemory<K extends VerifyingKeys = VerifyingKeys, M extends Member = Member> {
  readonly keys: K;
  readonly revocations: Revocations;
  readonly roles: Roles;
  readonly rules: CurrentRules;
  readonly follower: Follower;
  readonly lease: Lease;
  readonly member: M;
  readonly current: CurrentAccess;
  /** Reads the snapshot that this memory holds, for the memory of another process. It does not block changes. */
  readonly readAll: AccessSource['readAll'];
}

export function createAccessMemory<K extends VerifyingKeys, M extends Member>(
  options: MemoryOptions<K, M>,
): AccessMemory<K, M> {
  const { source, keys, maxTokenLifetimeSeconds, leaseMilliseconds, now, monotonic } = options;
  const roles = createRoles();
  const instant = () => ({ monotonic: monotonic(), wall: now() });
  const databaseClock = createDatabaseClock(instant);
  const revocations = createRevocations(maxTokenLifetimeSeconds, databaseClock.passed);
  const rules = createCurrentRules(options.reportBadRule, databaseClock.latest);
  // The rules come first: only their step could fail, and then nothing has changed yet.
  const replicas = [rules, revocations, roles, keys];
  const follower = createFollower(source, replicas, options.reportUnreadable);
  const lease = createLease(leaseMilliseconds, instant);
  const member = options.createMember({ follower, lease, databaseClock });
  /**
   * Resolves with the revision at the start of the reading. The reader applies changes that arrived during the reading a
   * second time, which is idempotent.
   */
  async function readAll(take: Parameters<AccessSource['readAll']>[0], atLeast = 0): Promise<Revision> {
    const { revision } = follower;
    if (revision.n < 0 || revision.n < atLeast)
      throw new Error(`This memory is not at revision ${atLeast} yet.`);
    for (const replica of replicas) for (const piece of replica.snapshotRecords()) await take(piece);
    return revision;
  }
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
  return { keys, revocations, roles, rules, follower, lease, member, current, readAll };
}
