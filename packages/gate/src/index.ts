// What an instance of the service and a guard in a business service have in common: a memory of access, a lease on it,
// and the checks that decide by it.
export { type AccessMemory, createAccessChecks, createAccessMemory } from './access-memory.ts';
export { canonicalCheck, isCanonicalTarget } from './canonical-target.ts';
export { Change, type KeyChange, PublicJwk, type RuleChange, readChanges } from './change.ts';
export { compileSchema } from './compile-schema.ts';
export { type CurrentRules, createCurrentRules, type ReportBadRule } from './current-rules.ts';
export { createEndedTokens, type EndedTokens } from './ended-tokens.ts';
export {
  type AccessSource,
  createFollower,
  type Follower,
  HistoryLost,
  type Loading,
  type Replica,
  type Revision,
} from './follower.ts';
export { createIdentityCheck, type Identifiable } from './identity-check.ts';
export { createLease, type Instant, type Lease } from './lease.ts';
export { createLeaseCheck } from './lease-check.ts';
export { hasLowerS, lowerS } from './lower-s.ts';
export {
  ClockWrong,
  checkClock,
  createMember,
  type Found,
  type Member,
  type MemberTransport,
} from './member.ts';
export { paceMilliseconds } from './pace.ts';
export { createPermissionCheck, type Permissible } from './permission-check.ts';
export { isPiece, type LiveKey, type Piece, type Role } from './piece.ts';
export type { Carriers } from './read-bearer.ts';
export { ReceivedRequest } from './received-request.ts';
export { createRevocations, type Revocations } from './revocations.ts';
export { createRoles, type Roles } from './roles.ts';
export { createSettledCheck } from './settled-check.ts';
export { createSiteCheck, type Sited } from './site-check.ts';
export { createTokenVerifier, tokenIssuer, type VerifiedToken, type VerifyToken } from './verify-token.ts';
export { createVerifyingKeys, type VerifyingKeys } from './verifying-keys.ts';
