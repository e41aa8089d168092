// The decision engine that an instance of the service and a guard in a business service share: the memory of access, the
// lease on it, and the checks that decide with it.
export {
  Change,
  createReadChanges,
  type KeyChange,
  PublicJwk,
  type RuleChange,
  type TemporaryRule,
  type TemporaryRuleChange,
} from './access/change.ts';
export type { CurrentAccess } from './access/current-access.ts';
export { type CurrentRules, createCurrentRules, type ReportBadRule } from './access/current-rules.ts';
export {
  type AccessSource,
  createFollower,
  type Follower,
  HistoryLost,
  type Loading,
  type NumberedChanges,
  type Replica,
  type Revision,
  type Step,
} from './access/follower.ts';
export { createRevocations, type Revocations } from './access/revocations.ts';
export { createRevokedTokens, type RevokedTokens } from './access/revoked-tokens.ts';
export { createRoles, type Roles } from './access/roles.ts';
export { type LiveKey, type Role, SnapshotRecord } from './access/snapshot-record.ts';
export { createBoundedMap } from './bounded-map.ts';
export { createAccessChecks } from './checks/access-checks.ts';
export { type CsrfCheckedRequest, createCsrfCheck } from './checks/csrf-check.ts';
export {
  createIdentityCheck,
  type Identifiable,
  type UnauthenticatedLimit,
} from './checks/identity-check.ts';
export { createLeaseCheck } from './checks/lease-check.ts';
export { createPasswordDueCheck } from './checks/password-due-check.ts';
export { createPermissionCheck, type Permissible } from './checks/permission-check.ts';
export { compileSchema, createAjv } from './compile-schema.ts';
export { type AccessMemory, createAccessMemory, type MemberParts } from './member/access-memory.ts';
export { type SetTimer, setNodeTimer } from './member/alarm.ts';
export { createLease, type Instant, type Lease, longestLeaseMilliseconds } from './member/lease.ts';
export {
  ClockWrong,
  checkClock,
  createMember,
  type GuardCounts,
  type Member,
  type MemberTransport,
  type ReportResult,
} from './member/member.ts';
export { pollIntervalMilliseconds } from './member/poll-interval.ts';
export {
  type AnyRequest,
  type Check,
  type Checks,
  confirm,
  createDecisionPipeline,
  createPipeline,
  type DecisionChecks,
  type OwnChecks,
  reportOutcome,
  runChecks,
  runStages,
  type Stages,
} from './pipeline.ts';
export {
  type ConnectionEvents,
  createGuardMember,
  type GuardConnection,
  type OpenConnection,
} from './relay/guard-member.ts';
export {
  atLeastQuery,
  FromGuard,
  FromRelay,
  guardConnectionRoute,
  guardManifest,
  guardPartsPath,
  guardPath,
  Manifest,
  readAtLeastQuery,
  ServiceName,
} from './relay/guard-protocol.ts';
export { createPushedSource, type PushedSource } from './relay/pushed-source.ts';
export { type Connection, createRelay, type Relay, type RelayConnection } from './relay/relay.ts';
export { canonicalCheck, isCanonicalTarget } from './request/canonical-target.ts';
export { ReceivedRequest } from './request/received-request.ts';
export { hasCanonicalSignature, toCanonicalSignature } from './token/canonical-signature.ts';
export type { Carriers } from './token/read-bearer.ts';
export {
  createTokenVerifier,
  tokenIssuer,
  type VerifiedToken,
  type VerifyToken,
} from './token/verify-token.ts';
export { createVerifyingKeys, type VerifyingKeys } from './token/verifying-keys.ts';
