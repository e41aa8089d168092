// Faults in the product's files that break the promise: the simulation must see each of them.
import type { Planting } from '../../weaknesses/weakness.ts';

const gate = 'packages/gate/src';
const lease = `${gate}/member/lease.ts`;
const member = `${gate}/member/member.ts`;
const follower = `${gate}/access/follower.ts`;
const grants = `${gate}/relay/granted-leases.ts`;
const relay = `${gate}/relay/relay.ts`;
const guardMember = `${gate}/relay/guard-member.ts`;
const barrier = 'packages/server/src/cluster/barrier.ts';

export interface SimulatedFault extends Planting {
  /** Takes too many schedules for a small run. */
  readonly isSeldom?: true;
}

export const simulatedFaults: readonly SimulatedFault[] = [
  {
    name: 'the whole lease is used, however clocks run',
    file: lease,
    before: 'export const clockDrift = 0.02;',
    after: 'export const clockDrift = 0;',
    isSeldom: true,
  },
  {
    name: 'a suspended machine keeps its lease',
    file: lease,
    before: 'elapsedByWall < usableMilliseconds &&',
    after: '',
  },
  {
    name: 'a wall clock that is set back keeps a lease',
    file: lease,
    before: 'elapsed < usableMilliseconds &&',
    after: '',
    isSeldom: true,
  },
  {
    name: 'an instance counts its lease from the answer',
    file: member,
    before: 'for (const { sentAt } of shown) lease.extend(sentAt);',
    after: 'if (shown.length > 0) lease.extend(lease.now());',
  },
  {
    name: 'a report counts before the row shows what it found',
    file: member,
    before: 'waiting.filter(({ n }) => n <= least)',
    after: 'waiting.filter(({ n }) => n <= follower.revision.n)',
  },
  {
    name: 'a report that finds no row counts',
    file: member,
    before: 'if (found === undefined) {',
    after: 'if (found === undefined) {\n        lease.extend(sentAt);',
  },
  {
    name: 'an instance reports what it enforces, whatever its guards do',
    file: member,
    before: 'const least = downstream.commit(carried.n);',
    after: 'downstream.commit(carried.n);\n      const least = carried.n;',
  },
  {
    name: 'the floor rises with the answer to the report',
    file: member,
    before:
      'const least = downstream.commit(carried.n);\n      const sentAt = lease.now();\n      const found = await transport.report(least, downstream.countServices());',
    after:
      'const least = downstream.least(carried.n);\n      const sentAt = lease.now();\n      const found = await transport.report(least, downstream.countServices());\n      downstream.commit(least);',
  },
  {
    name: 'an instance that leaves takes its row along, whatever its guards do',
    file: member,
    before: 'if (!downstream.isAnyLive()) await transport.deregister();',
    after: 'await transport.deregister();',
  },
  {
    name: 'an instance that leaves keeps its lease',
    file: member,
    before: 'await running;\n      lease.drop();',
    after: 'await running;',
  },
  {
    name: 'an instance compares revisions by their number',
    file: member,
    before: 'return one.n === other.n && one.mark === other.mark;',
    after: 'return one.n === other.n;',
  },
  {
    name: 'an instance settles a new incarnation at once',
    file: member,
    before: 'at - first.at > longestLeaseMilliseconds',
    after: 'at >= first.at',
  },
  {
    name: 'what follows is put on a history that was lost',
    file: follower,
    before: 'if (own.mark !== follower.revision.mark) throw lossOf(follower.revision, own);',
    after: '',
  },
  {
    name: 'an older state is loaded over a newer one',
    file: follower,
    before: 'if (isBefore(revision, latest)) throw lossOf(latest, revision);',
    after: '',
    isSeldom: true,
  },
  {
    name: 'of several revisions the last one is put in force',
    file: follower,
    before: 'changes.push(...revision.changes);',
    after: 'changes.splice(0, changes.length, ...revision.changes);',
  },
  {
    name: 'the row is above what guards enforce',
    file: grants,
    before: 'if (n < lowest) lowest = n;',
    after: 'if (n < -2) lowest = n;',
  },
  {
    name: 'nothing is below the floor',
    file: grants,
    before: 'floor = Math.max(floor, reported);',
    after: '',
  },
  {
    name: 'a renewal leaves the end of a lease where it was',
    file: grants,
    before: 'endsAt: Math.max(endsAt, before?.endsAt ?? endsAt)',
    after: 'endsAt: before?.endsAt ?? endsAt',
  },
  {
    name: 'a lease of a guard is dropped before its end',
    file: grants,
    before: 'if (endsAt <= sweptAt) release(id);',
    after: 'if (endsAt <= sweptAt + 200) release(id);',
  },
  {
    name: 'a lease of a guard is not counted',
    file: grants,
    before: 'count(noted.n, 1);',
    after:
      'if (before === undefined) count(noted.n, 1);\n      else if (before.n !== noted.n) count(noted.n, 1);',
  },
  {
    name: 'no member is said to hold a lease',
    file: grants,
    before: 'return grants.size > 0;',
    after: 'return false;',
  },
  {
    name: 'a lease is given and not noted',
    file: relay,
    before: 'grants.note(guard.identity.id, renewal.n, milliseconds);',
    after: '',
  },
  {
    name: 'the guards of one service are noted as one',
    file: relay,
    before: 'grants.note(guard.identity.id, renewal.n, milliseconds);',
    after: 'grants.note(guard.identity.service, renewal.n, milliseconds);',
  },
  {
    name: 'a lease is noted for what the instance enforces',
    file: relay,
    before: 'grants.note(guard.identity.id, renewal.n, milliseconds);',
    after: 'grants.note(guard.identity.id, recent.newest?.n ?? renewal.n, milliseconds);',
  },
  {
    name: 'a guard is given more than is left of the lease of its instance',
    file: relay,
    before: 'Math.min(grantMilliseconds, lease.remainingMilliseconds())',
    after: 'grantMilliseconds',
  },
  {
    name: 'a lease is given below the floor',
    file: relay,
    before: "return n < grants.floor || isLate ? 'behind' : undefined;",
    after: "return isLate ? 'behind' : undefined;",
  },
  {
    name: 'a lease is given on a revision of another history',
    file: relay,
    before: "if (known.mark !== mark) return 'lost';",
    after: '',
    isSeldom: true,
  },
  {
    name: 'a lease is given to a guard that is ahead',
    file: relay,
    before: "if (n > newest.n) return 'ahead';",
    after: 'if (n > newest.n) return undefined;',
    isSeldom: true,
  },
  {
    name: 'a closed line gives a lease back',
    file: relay,
    before: 'closed: () => void guards.delete(guard),',
    after:
      'closed() {\n          guards.delete(guard);\n          if (guard.identity !== undefined) grants.release(guard.identity.id);\n        },',
  },
  {
    name: 'a guard counts its lease from the answer',
    file: guardMember,
    before: 'if (departing === undefined || channel === departing) lease.extend(sentAt, milliseconds);',
    after: 'if (departing === undefined || channel === departing) lease.extend(lease.now(), milliseconds);',
  },
  {
    name: 'a guard uses more than it was given',
    file: guardMember,
    before: 'if (departing === undefined || channel === departing) lease.extend(sentAt, milliseconds);',
    after: 'if (departing === undefined || channel === departing) lease.extend(sentAt);',
  },
  {
    name: 'a guard asks for a lease on what it has heard of',
    file: guardMember,
    before: 'const { n, mark } = follower.revision;\n    connection.send',
    after: 'const { n, mark } = target ?? follower.revision;\n    connection.send',
  },
  {
    name: 'an answer is taken for that to the last question',
    file: guardMember,
    before: 'const sentAt = channel.pending.get(seq);',
    after: 'const sentAt = [...channel.pending.values()].at(-1);',
    isSeldom: true,
  },
  {
    name: 'a lease is given back before another is there',
    file: guardMember,
    before: 'departing = channel;\n    current = undefined;',
    after:
      "channel.connection.send({ kind: 'release' });\n    departing = channel;\n    current = undefined;",
  },
  {
    name: 'a guard that leaves keeps its lease',
    file: guardMember,
    before: 'alarm.wake();\n      lease.drop();',
    after: 'alarm.wake();',
  },
  {
    name: 'the barrier lets pass one revision early',
    file: barrier,
    before: 'n <= Math.max(lowest, overdue)',
    after: 'n <= Math.max(lowest, overdue) + 1',
  },
  {
    name: 'the barrier trusts the rows right after a failover',
    file: barrier,
    before: 'const lowest = view.membershipComplete ? (view.lowest ?? Number.POSITIVE_INFINITY) : -1;',
    after: 'const lowest = view.lowest ?? Number.POSITIVE_INFINITY;',
  },
  {
    name: 'the barrier waits half a lease for a silent instance',
    file: barrier,
    before: 'monotonic() - since > lease',
    after: 'monotonic() - since > lease / 2',
  },
  {
    name: 'the barrier goes on in another incarnation',
    file: barrier,
    before:
      'fail(asking.filter(({ incarnation }) => incarnation !== view.incarnation));\n        const here = asking.filter(({ incarnation }) => incarnation === view.incarnation);',
    after: 'const here = asking;',
  },
  {
    name: 'an unsettled database is waited for by the lease that it knows',
    file: barrier,
    before: 'view.membershipComplete ? view.leaseMilliseconds : longestLeaseMilliseconds',
    after: 'view.leaseMilliseconds',
    isSeldom: true,
  },
];
