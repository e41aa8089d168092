// Schemas of access changes. Postgres stores them in the table `revisions`, and every instance and guard applies them to
// its memory.
import { dataScopes } from '@portcullis/contract';
import { type Static, Type } from 'typebox';
import { compileSchema } from '../compile-schema.ts';

/** The public part of an ES256 key (RFC 7517). */
export const PublicJwk = Type.Object({
  kty: Type.Literal('EC'),
  crv: Type.Literal('P-256'),
  x: Type.String(),
  y: Type.String(),
});
export type PublicJwk = Static<typeof PublicJwk>;

/** A rule that ends when the database's clock reaches `endsAt` (milliseconds since 1970). */
export const TemporaryRule = Type.Object({
  roleKey: Type.String(),
  method: Type.String(),
  path: Type.String(),
  endsAt: Type.Number(),
});
export type TemporaryRule = Static<typeof TemporaryRule>;

/**
 * Holds the rule as text: a rule that does not parse is skipped when it is applied, and the other changes stay
 * readable.
 */
export const RuleChange = Type.Object({
  kind: Type.Enum(['rule_added', 'rule_removed']),
  roleKey: Type.String(),
  method: Type.String(),
  path: Type.String(),
});
export type RuleChange = Static<typeof RuleChange>;

/**
 * A separate kind: a member of a version without temporary rules cannot read it. That member loads a full snapshot
 * instead, and the snapshot that it receives contains no temporary rules.
 */
export const TemporaryRuleChange = Type.Union([
  Type.Object({ kind: Type.Literal('temporary_rule_set'), ...TemporaryRule.properties }),
  Type.Object({
    kind: Type.Literal('temporary_rule_removed'),
    roleKey: Type.String(),
    method: Type.String(),
    path: Type.String(),
  }),
]);
export type TemporaryRuleChange = Static<typeof TemporaryRuleChange>;

const key = { kid: Type.String(), dev: Type.Boolean() };

/** Holds no private key: the instance that signs reads the private key from the database row. */
export const KeyChange = Type.Union([
  Type.Object({ kind: Type.Literal('key_added'), ...key, publicJwk: PublicJwk }),
  Type.Object({ kind: Type.Literal('key_activated'), ...key }),
  Type.Object({ kind: Type.Literal('key_retired'), ...key }),
]);
export type KeyChange = Static<typeof KeyChange>;

export const Change = Type.Union([
  Type.Object({ kind: Type.Literal('token_revoked'), jti: Type.String(), expiresAt: Type.Number() }),
  Type.Object({ kind: Type.Literal('epoch_raised'), userId: Type.Integer(), epoch: Type.Integer() }),
  Type.Object({
    kind: Type.Literal('role_set'),
    id: Type.Integer(),
    roleKey: Type.String(),
    dataScope: Type.Enum(dataScopes),
  }),
  Type.Object({ kind: Type.Literal('role_disabled'), id: Type.Integer() }),
  RuleChange,
  TemporaryRuleChange,
  KeyChange,
]);
export type Change = Static<typeof Change>;

const isChanges = compileSchema(Type.Array(Change));

/**
 * The returned function gives undefined when one change cannot be read. The unreadable change could be a revocation, so
 * the reader must not skip it.
 */
export function createReadChanges(): (stored: unknown) => readonly Change[] | undefined {
  return (stored) => (isChanges(stored) ? stored : undefined);
}
