// What can change about access, as it is written to `revisions` and applied to every instance's memory.
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

/** In force until the database's clock shows its end, in milliseconds. */
export const TemporaryRule = Type.Object({
  roleKey: Type.String(),
  method: Type.String(),
  path: Type.String(),
  endsAt: Type.Number(),
});
export type TemporaryRule = Static<typeof TemporaryRule>;

/** A rule by its text, so that a bad one is skipped where it is applied and not where it is read. */
export const RuleChange = Type.Object({
  kind: Type.Enum(['rule_added', 'rule_removed']),
  roleKey: Type.String(),
  method: Type.String(),
  path: Type.String(),
});
export type RuleChange = Static<typeof RuleChange>;

/** A member that does not know of ends cannot read it, and loads everything else: it is never given such a rule. */
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

/** The private part never travels: the instance that signs reads it from its row. */
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

/** Gives undefined where one of them cannot be read: it may have taken something away, so it must not count as nothing. */
export function createReadChanges(): (stored: unknown) => readonly Change[] | undefined {
  return (stored) => (isChanges(stored) ? stored : undefined);
}
