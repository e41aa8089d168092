// The state of access in a process, how it follows changes, and how long its lease lasts.
import type { Weakness } from './weakness.ts';

const src = 'packages/gate/src';
const test = 'packages/gate/test';
const lease = `${src}/member/lease.ts`;
const leaseTest = `${test}/member/lease.test.ts`;
const member = `${src}/member/member.ts`;
const memberTest = 'packages/server/test/cluster/member.test.ts';
const follower = `${src}/access/follower.ts`;
const followerTest = 'packages/server/test/cluster/follower.test.ts';
const revocations = `${src}/access/revocations.ts`;
const revocationsTest = 'packages/server/test/sign-in/sessions/revocations.test.ts';
const endedTokens = `${src}/access/revoked-tokens.ts`;
const endedTest = `${test}/access/revoked-tokens.test.ts`;
const verifyingKeys = `${src}/token/verifying-keys.ts`;
const keysTest = `${test}/token/verifying-keys.test.ts`;

export const memoryWeaknesses: readonly Weakness[] = [
  {
    name: 'a temporary rule stays in force at its end',
    file: `${src}/access/current-rules.ts`,
    before: 'if (!(latest < endsAt)) temporary.delete(text);',
    after: 'if (latest > endsAt + 60_000) temporary.delete(text);',
    seenBy: [`${test}/access/current-rules.test.ts`],
  },
  {
    name: 'a decision by a temporary rule is not checked again after the end of the rule',
    file: `${src}/member/access-memory.ts`,
    before: 'return follower.generation + rules.ends;',
    after: 'return follower.generation;',
    seenBy: [`${test}/member/access-memory.test.ts`],
  },
  {
    name: 'the time of the database counts from its answer instead of its query',
    file: `${src}/member/database-clock.ts`,
    before: 'last = { at, sentAt };',
    after: 'last = { at, sentAt: now() };',
    seenBy: [`${test}/member/database-clock.test.ts`],
  },
  {
    name: 'a suspended machine does not notice the lost time',
    file: `${src}/member/database-clock.ts`,
    before: 'Math.max(monotonic - last.sentAt.monotonic, wall - last.sentAt.wall, 0)',
    after: 'Math.max(monotonic - last.sentAt.monotonic, 0)',
    seenBy: [`${test}/member/database-clock.test.ts`],
  },
  {
    name: 'a lease outlives a suspended machine',
    file: lease,
    before: 'elapsedByWall < usableMilliseconds &&',
    after: '',
    seenBy: [leaseTest],
  },
  {
    name: 'a lease leaves no margin for clock drift',
    file: lease,
    before: 'const clockDrift = 0.02;',
    after: 'const clockDrift = 0;',
    seenBy: [leaseTest],
  },
  {
    name: 'a lease outlives a clock that was set back',
    file: lease,
    before: 'elapsedByWall > elapsed - maxClockErrorMilliseconds',
    after: 'maxClockErrorMilliseconds > 0',
    seenBy: [leaseTest],
  },
  {
    name: 'an older report takes back a lease',
    file: lease,
    before: 'from === undefined || endsAt > from.monotonic + usableMilliseconds',
    after: 'from === undefined || sentAt.monotonic !== from.monotonic',
    seenBy: [leaseTest],
  },
  {
    name: 'a request is decided without a lease',
    file: `${src}/checks/lease-check.ts`,
    before: 'lease.isLive() !== true',
    after: 'lease.isLive() === undefined',
    seenBy: [`${test}/member/access-memory.test.ts`],
  },
  {
    name: 'a lease counts from the answer to a report',
    file: member,
    before: 'lease.extend(sentAt);',
    after: 'lease.extend(lease.now());',
    seenBy: [`${test}/member/member.test.ts`],
  },
  {
    name: 'a report before a failover extends the lease after it',
    file: member,
    before: '({ incarnation }) => incarnation === found.incarnation',
    after: '() => true',
    seenBy: [memberTest],
  },
  {
    name: 'a failover is settled at the second report after it',
    file: member,
    before: 'at - first.at > longestLeaseMilliseconds',
    after: 'at - first.at >= 0',
    seenBy: [memberTest],
  },
  {
    name: 'a clock that is behind keeps its lease',
    file: member,
    before: 'Math.max(ahead, behind)',
    after: 'Math.max(ahead)',
    seenBy: [`${test}/member/member.test.ts`],
  },
  {
    name: 'a lost history lets the lease run out',
    file: member,
    before: 'error instanceof HistoryLost || error',
    after: 'error',
    seenBy: [memberTest],
  },
  {
    name: 'a guard names its service with a character that Postgres rejects',
    file: 'packages/gate/src/relay/guard-protocol.ts',
    before: "Type.String({ minLength: 1, maxLength: 64, pattern: '^[^\\\\u0000]*$' })",
    after: 'Type.String({ minLength: 1, maxLength: 64 })',
    seenBy: ['packages/gate/test/relay/relay.test.ts'],
  },
  {
    name: 'a guard asks for a lease on half a revision',
    file: 'packages/gate/src/relay/guard-protocol.ts',
    before: 'const revision = Type.Integer({',
    after: 'const revision = Type.Number({',
    seenBy: ['packages/gate/test/relay/relay.test.ts'],
  },
  {
    name: 'a guard reads a revision that no number holds exactly',
    file: 'packages/gate/src/relay/guard-protocol.ts',
    before: 'n: Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),',
    after: 'n: Type.Number(),',
    seenBy: ['packages/gate/test/relay/guard-protocol.test.ts'],
  },
  {
    name: 'a guard accepts a lease of any length',
    file: 'packages/gate/src/relay/guard-protocol.ts',
    before: 'Type.Number({ minimum: 0, maximum: longestLeaseMilliseconds })',
    after: 'Type.Number({ minimum: 0 })',
    seenBy: ['packages/gate/test/relay/guard-protocol.test.ts'],
  },
  {
    name: 'a member that leaves removes its row while a guard holds a lease',
    file: member,
    before: 'if (!downstream.isAnyLive()) await transport.deregister();',
    after: 'await transport.deregister();',
    seenBy: ['packages/gate/test/member/member.test.ts'],
  },
  {
    name: 'a member that leaves keeps its row',
    file: member,
    before: 'if (!downstream.isAnyLive()) await transport.deregister();',
    after: '',
    seenBy: [memberTest],
  },
  {
    name: 'another history with the same number is followed',
    file: follower,
    before: 'own.mark !== follower.revision.mark',
    after: 'own.mark === undefined',
    seenBy: [followerTest],
  },
  {
    name: 'a gap in the history is ignored',
    file: follower,
    before: 'newer[0]?.n !== follower.revision.n + 1',
    after: 'newer[0] === undefined',
    seenBy: [followerTest],
  },
  {
    name: 'a restored backup is not noticed',
    file: follower,
    before: 'found.n < own.n || ',
    after: '',
    seenBy: [followerTest],
  },
  {
    name: 'an unreadable change is ignored',
    file: follower,
    before: 'reportUnreadable(revision.n);',
    after: 'reportUnreadable(revision.n);\n        if (revision.n > 0) continue;',
    seenBy: [followerTest],
  },
  {
    name: 'a step that fails halfway keeps the old generation',
    file: follower,
    before: 'step();',
    after: 'follower.generation -= 1;\n    step();\n    follower.generation += 1;',
    seenBy: [`${test}/access/follower.test.ts`],
  },
  {
    name: 'a step that fails halfway counts as done',
    file: follower,
    before: 'follower.revision = nowhere;',
    after: 'follower.revision = { n, mark };',
    seenBy: [followerTest],
  },
  {
    name: 'a full load keeps the tokens that it did not find ended',
    file: revocations,
    before: 'endedTokens = tokens;',
    after: '',
    seenBy: [revocationsTest],
  },
  {
    name: 'a full load forgets raised epochs',
    file: revocations,
    before: 'raisedEpochs = epochs;',
    after: 'raisedEpochs = new Map();',
    seenBy: [`${test}/access/revocations.test.ts`],
  },
  {
    name: 'raised epochs are forgotten with the first change of maps',
    file: revocations,
    before: 'earlierEpochs = raisedEpochs;',
    after: '',
    seenBy: [`${test}/access/revocations.test.ts`],
  },
  {
    name: 'raised epochs change maps at half a lifetime',
    file: revocations,
    before: '(maxTokenLifetimeSeconds + slackSeconds) * 1000) {',
    after: 'maxTokenLifetimeSeconds * 500) {',
    seenBy: [`${test}/access/revocations.test.ts`],
  },
  {
    name: 'a token of the raised epoch itself is ended',
    file: revocations,
    before: 'ep < (raisedEpochs',
    after: 'ep <= (raisedEpochs',
    seenBy: [revocationsTest],
  },
  {
    name: 'ended tokens are dropped when the hour of their expiry is over on one clock',
    file: endedTokens,
    before: 'hourOf(passedSeconds()) - 1 - (hourBefore ?? 0)',
    after: 'hourOf(passedSeconds()) - (hourBefore ?? 0)',
    seenBy: [endedTest],
  },
  {
    name: 'ended tokens are forgotten by the clock of this machine',
    file: `${src}/member/access-memory.ts`,
    before: 'createRevocations(maxTokenLifetimeSeconds, databaseClock.passed)',
    after: 'createRevocations(maxTokenLifetimeSeconds, now)',
    seenBy: [`${test}/member/wrong-clock.test.ts`],
  },
  {
    name: 'an ended token that is reported twice expires with the earlier report',
    file: endedTokens,
    before: 'table.hours[slot] = Math.max(hour, table.hours[slot] ?? 0);',
    after: 'table.hours[slot] = hour;',
    seenBy: [endedTest],
  },
  {
    name: 'a token counts as ended by half of its fingerprint',
    file: endedTokens,
    before: ' && fingerprints[slot * 2 + 1] === b;',
    after: ';',
    seenBy: [endedTest],
  },
  {
    name: 'ended tokens are read while concurrent writes move them',
    file: endedTokens,
    before: 'fingerprints: new Uint8Array(some.buffer, some.byteOffset, some.byteLength),',
    after: 'fingerprints: new Uint8Array(table.fingerprints.buffer, from * 4, some.byteLength),',
    seenBy: [endedTest],
  },
  {
    name: 'keys of dev verify in production after a full load',
    file: verifyingKeys,
    before: ' || piece.dev !== dev) return;',
    after: ') return;',
    seenBy: [keysTest],
  },
  {
    name: 'a key of dev that is added verifies in production',
    file: verifyingKeys,
    before: 'if (change.dev !== dev) return;',
    after: '',
    seenBy: [keysTest],
  },
  {
    name: 'a retired key goes on verifying',
    file: verifyingKeys,
    before: 'verifying.delete(change.kid);',
    after: '',
    seenBy: [keysTest],
  },
  {
    name: 'both changes apply to a rule that was removed and added in one step',
    file: `${src}/access/current-rules.ts`,
    before: '[textOf(change), change]',
    after: '[textOf(change) + change.kind, change]',
    seenBy: [`${test}/access/current-rules.test.ts`],
  },
  {
    name: 'a removed rule stays in force until a full load',
    file: `${src}/access/current-rules.ts`,
    before: "removed: of('rule_removed')",
    after: 'removed: []',
    seenBy: [`${test}/access/current-rules.test.ts`],
  },
  {
    name: 'a disabled role is accepted until a full load',
    file: `${src}/access/roles.ts`,
    before: 'roles.delete(change.id);',
    after: 'roles.get(change.id);',
    seenBy: ['packages/server/test/people/roles/routes.test.ts'],
  },
];
