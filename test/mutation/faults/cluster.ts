// The order of the checks, and the barrier that a change waits at.
import type { Fault } from '../fault.ts';

const src = 'packages/server/src';
const test = 'packages/server/test';
const pipeline = 'packages/gate/src/pipeline.ts';
const pipelineTest = 'packages/gate/test/pipeline.test.ts';
const barrier = `${src}/cluster/barrier.ts`;
const barrierTest = `${test}/cluster/barrier.test.ts`;
const barrierStore = `${src}/cluster/barrier-store.ts`;
const accessWriter = `${src}/cluster/access-writer.ts`;
const writerTest = `${test}/cluster/access-writer.test.ts`;
const memberStore = `${src}/cluster/member-store.ts`;
const revisionStore = `${src}/cluster/revision-store.ts`;
const followerTest = `${test}/cluster/follower.test.ts`;

export const clusterFaults: readonly Fault[] = [
  {
    name: 'the lease is not asked again before the handler',
    file: pipeline,
    before: 'again: [leased, identify         ]',
    after: 'again: [identify]',
    seenBy: [pipelineTest],
  },
  {
    name: 'the site is not asked where a rule is',
    file: pipeline,
    before: 'permission: { first: [limit,    leased,    identify, site,',
    after: 'permission: { first: [limit,    leased,    identify,',
    seenBy: [pipelineTest],
  },
  {
    name: 'the limit comes after the lease',
    file: pipeline,
    before: 'identity:   { first: [limit,    leased,',
    after: 'identity:   { first: [leased,    limit,',
    seenBy: [pipelineTest],
  },
  {
    name: 'what a gateway asks about may be read in two ways',
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
    before: 'view.rowsComplete ?',
    after: 'view.rowsComplete || true ?',
    seenBy: [barrierTest],
  },
  {
    name: 'the barrier lets pass by a look that began before',
    file: barrier,
    before: 'const here = asking.filter(',
    after: 'const here = waiters.filter(',
    seenBy: [barrierTest],
  },
  {
    name: 'the barrier waits half a lease for a silent instance',
    file: barrier,
    before: 'monotonic() - since > view.leaseMilliseconds',
    after: 'monotonic() - since > view.leaseMilliseconds / 2',
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
    name: 'an incarnation is settled by one before it',
    file: barrierStore,
    before:
      ".where('settled_in', '<>', incarnation)\n    .where(sql<string>`database_incarnation()`, '=', incarnation)",
    after: ".where('settled_in', '<>', incarnation)",
    seenBy: [`${test}/cluster/barrier-store.test.ts`],
  },
  {
    name: 'what takes away answers before the barrier',
    file: accessWriter,
    before: 'await barrier.pass(written);',
    after: 'barrier.announce(written.n);',
    seenBy: [writerTest],
  },
  {
    name: 'what finds nothing left to take away does not wait for the first one',
    file: accessWriter,
    before: '? await readWritten(transaction)',
    after: '? { ...(await readWritten(transaction)), n: 0 }',
    seenBy: [writerTest],
  },
  {
    name: 'a change that gives is told to nobody',
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
];
