// The order of the checks, and the barrier of revocations.
import type { Weakness } from './weakness.ts';

const src = 'packages/server/src';
const test = 'packages/server/test';
const pipeline = 'packages/gate/src/pipeline.ts';
const pipelineTest = 'packages/gate/test/pipeline.test.ts';
const barrier = `${src}/cluster/barrier.ts`;
const barrierTest = `${test}/cluster/barrier.test.ts`;
const barrierStore = `${src}/cluster/barrier-store.ts`;
const accessWriter = `${src}/cluster/access-writer.ts`;
const writerTest = `${test}/cluster/access-writer.test.ts`;
const callerAtCommit = `${src}/cluster/caller-at-commit.ts`;
const callerTest = `${test}/cluster/caller-at-commit.test.ts`;
const memberStore = `${src}/cluster/member-store.ts`;
const revisionStore = `${src}/cluster/revision-store.ts`;
const followerTest = `${test}/cluster/follower.test.ts`;
const lostHistoryTest = `${test}/cluster/lost-history.test.ts`;
const hostMemory = `${src}/cluster/host-memory.ts`;
const member = 'packages/gate/src/member/member.ts';

export const clusterWeaknesses: readonly Weakness[] = [
  {
    name: 'a change that a deadlock undid is not retried',
    file: accessWriter,
    before: 'if ((error as { code?: unknown }).code !== deadlockDetected) throw error;',
    after: 'if (error !== deadlockDetected) throw error;',
    seenBy: [writerTest],
    threat: 'T293',
  },
  {
    name: 'a write is stored after the permission for it has ended',
    file: 'packages/server/src/cluster/caller-at-commit.ts',
    before: '>= confirmedUntil',
    after: '>= Number.POSITIVE_INFINITY',
    seenBy: ['packages/server/test/cluster/caller-at-commit.test.ts'],
  },
  {
    name: 'a caller gives a role whose temporary rules exceed the caller',
    file: 'packages/server/src/permissions/rules/covers-rules.ts',
    before: '[...lasting, ...temporary]',
    after: '[...lasting, ...temporary.slice(0, 0)]',
    seenBy: ['packages/server/test/permissions/rules/covers-rules.test.ts'],
  },
  {
    name: 'the lease is not checked again before the handler',
    file: pipeline,
    before: 'again: [leased, identify         ]',
    after: 'again: [identify]',
    seenBy: [pipelineTest],
  },
  {
    name: 'the CSRF check is skipped where the role has a rule',
    file: pipeline,
    before: 'permission: { first: [          leased,    identify, limitCaller,     site,',
    after: 'permission: { first: [          leased,    identify, limitCaller,',
    seenBy: [pipelineTest],
  },
  {
    name: 'signed-in users share the rate limit of their network',
    file: pipeline,
    before: 'identity:   { first: [          leased,',
    after: 'identity:   { first: [limit,    leased,',
    seenBy: [pipelineTest],
  },
  {
    name: 'a gateway request with an ambiguous target is decided',
    file: pipeline,
    before: 'asked: { first: [leased,    canonical,',
    after: 'asked: { first: [leased,',
    seenBy: [pipelineTest],
  },
  {
    name: 'the barrier lets pass one revision early',
    file: barrier,
    before: 'n <= Math.max(lowest, overdue)',
    after: 'n <= Math.max(lowest, overdue) + 1',
    seenBy: [barrierTest],
  },
  {
    name: 'the barrier trusts the rows right after a failover',
    file: barrier,
    before: 'view.membershipComplete ? (view.lowest',
    after: 'view.membershipComplete || true ? (view.lowest',
    seenBy: [barrierTest],
  },
  {
    name: 'the barrier passes by a read that began before the change',
    file: barrier,
    before: 'const here = asking.filter(',
    after: 'const here = waiters.filter(',
    seenBy: [barrierTest],
  },
  {
    name: 'the barrier waits half a lease for a silent instance',
    file: barrier,
    before: 'monotonic() - since > lease',
    after: 'monotonic() - since > lease / 2',
    seenBy: [barrierTest],
  },
  {
    name: 'a silent instance keeps its row, and its lease',
    file: barrier,
    before: 'if (overdue > lowest) await store.removeSilent(',
    after: 'if (overdue < -1) await store.removeSilent(',
    seenBy: [barrierTest],
  },
  {
    name: 'a silent instance is removed in another incarnation',
    file: barrierStore,
    before:
      ".where('revision', '<', n)\n        .where(sql<string>`database_incarnation()`, '=', incarnation)",
    after: ".where('revision', '<', n)",
    seenBy: [`${test}/cluster/barrier-store.test.ts`],
  },
  {
    name: 'a report of an earlier incarnation settles a later one',
    file: barrierStore,
    before:
      ".where('settled_in', '<>', incarnation)\n    .where(sql<string>`database_incarnation()`, '=', incarnation)",
    after: ".where('settled_in', '<>', incarnation)",
    seenBy: [`${test}/cluster/barrier-store.test.ts`],
  },
  {
    name: 'a revocation answers before the barrier',
    file: accessWriter,
    before: 'await barrier.pass(written);',
    after: 'barrier.announce(written.n);',
    seenBy: [writerTest],
  },
  {
    name: 'a repeated revocation does not wait for the first one',
    file: accessWriter,
    before: 'return newest;',
    after: 'return { ...newest, n: 0 };',
    seenBy: [writerTest],
  },
  {
    name: 'the permission of the caller is not checked at the commit',
    file: accessWriter,
    before: 'await checkCaller(transaction, call, newest);',
    after: '',
    seenBy: [callerTest],
  },
  {
    name: 'a transaction that waited for the lock of the revision reads the state from before the wait',
    file: revisionStore,
    before: 'select n, mark, database_incarnation() as incarnation from current_revision for update',
    after:
      'select n, mark, database_incarnation() as incarnation from (select * from current_revision) as seen, (select from current_revision for update) as locked',
    seenBy: [callerTest],
  },
  {
    name: 'a caller of a lost history writes',
    file: callerAtCommit,
    before: "if (own?.mark !== confirmedAt.mark) throw new AppError('unavailable');",
    after: '',
    seenBy: [callerTest],
  },
  {
    name: 'a caller without a check writes',
    file: callerAtCommit,
    before: "if (confirmedAt === undefined) throw new Error('A caller writes whom no check let pass.');",
    after: 'if (confirmedAt === undefined) return;',
    seenBy: [callerTest],
  },
  {
    name: 'a caller writes although more revisions changed than were read',
    file: callerAtCommit,
    before: 'if (since.at(-1)?.n !== newest.n) throw new CallerChanged(newest.n);',
    after: '',
    seenBy: [callerTest],
  },
  {
    name: 'a caller whose role or department changed writes without a recheck',
    file: callerAtCommit,
    before: "return move.kind === 'user_moved' ? move.userId === userId : true;",
    after: "return move.kind !== 'user_moved';",
    seenBy: [callerTest],
  },
  {
    name: 'a request whose caller changed is retried without the checks',
    file: `${src}/http/mount.ts`,
    before: 'await confirm(again, context, current);',
    after: '',
    seenBy: [`${test}/http/mount.test.ts`],
  },
  {
    name: 'the caller is rechecked before memory has the change',
    file: `${src}/http/mount.ts`,
    before:
      'while (current.revision.n < error.revision && current.isLive()) await sleep(catchUpPollMilliseconds);',
    after: '',
    seenBy: [`${test}/http/mount.test.ts`],
  },
  {
    name: 'a change that gives is sent to no instance',
    file: accessWriter,
    before: 'barrier.announce(n);',
    after: '',
    seenBy: [`${test}/cluster/give.test.ts`],
  },
  {
    name: 'the longest lease of all is forgotten',
    file: memberStore,
    before: ".where('lease_milliseconds', '<', leaseMilliseconds)",
    after: ".where('lease_milliseconds', '>', leaseMilliseconds)",
    seenBy: [`${test}/cluster/member.test.ts`],
  },
  {
    name: 'a late report takes back a later one',
    file: memberStore,
    before: 'greatest(revision, ',
    after: 'coalesce(',
    seenBy: [`${test}/cluster/member.test.ts`],
  },
  {
    name: 'the sweep deletes the current revision',
    file: revisionStore,
    before: ' and n < (select n from current_revision)',
    after: '',
    seenBy: [followerTest],
  },
  {
    name: 'a new history begins where an instance may have been',
    file: revisionStore,
    before: 'n + 1000000000',
    after: 'n + 0',
    seenBy: [followerTest],
  },
  {
    name: 'the latch lets reports pass',
    file: `${src}/cluster/store/migrations/0012-lost-history.sql`,
    before: 'before insert or update on instances',
    after: 'before insert on instances',
    seenBy: [lostHistoryTest],
  },
  {
    name: 'an instance that finds a lost history does not report it',
    file: member,
    before: 'if (error instanceof HistoryLost) await transport.latch(found).catch(onFailure);',
    after: '',
    seenBy: [lostHistoryTest],
  },
  {
    name: 'a newly started instance does not wait for the database to settle',
    file: member,
    before: 'found.membershipComplete || lease.isLive() ||',
    after: 'found.membershipComplete || !lease.isLive() ||',
    seenBy: [lostHistoryTest],
  },
  {
    name: 'a loss that was found before a recovery shuts again after it',
    file: `${src}/cluster/lost-history-store.ts`,
    before: 'if (!isSame(current, found) && !(await isOfHistory(transaction, found))) return;',
    after: '',
    seenBy: [lostHistoryTest],
  },
  {
    name: 'a recovery leaves the latch shut',
    file: revisionStore,
    before: 'history_lost_at: null,',
    after: '',
    seenBy: [lostHistoryTest],
  },
  {
    name: 'an unsettled database is waited for by the lease that it knows',
    file: barrier,
    before: 'view.membershipComplete ? view.leaseMilliseconds : longestLeaseMilliseconds',
    after: 'view.leaseMilliseconds',
    seenBy: [barrierTest],
  },
  {
    name: 'an older state is loaded over a newer one',
    file: 'packages/gate/src/access/follower.ts',
    before: 'if (isBefore(revision, latest)) throw lossOf(latest, revision);',
    after: '',
    seenBy: ['packages/gate/test/access/follower.test.ts'],
  },
  {
    name: 'a host orders revisions by file name, where 9 is after 10',
    file: hostMemory,
    before: 'known: found.filter(({ n }) => n === newest),',
    after: 'known: found.toSorted((a, b) => (nameOf(a) < nameOf(b) ? 1 : -1)).slice(0, 1),',
    seenBy: [`${test}/cluster/host-memory.test.ts`],
  },
  {
    name: 'a process with an older revision overwrites a newer one of another process on the host',
    file: hostMemory,
    before: 'older.filter(({ n }) => n < revision.n);',
    after: 'older.filter(({ n }) => n !== revision.n);',
    seenBy: [`${test}/cluster/host-memory.test.ts`],
  },
  {
    name: 'a start is allowed on an older history than the host has recorded',
    file: `${src}/compose/host-memory.ts`,
    before: 'if (!lacks) return;',
    after: 'return;',
    seenBy: [`${test}/compose/host-memory.test.ts`],
  },
];
