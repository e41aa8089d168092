// Schemas of the records of an access snapshot. A full load reads these records, from Postgres or over HTTP.
import { dataScopes } from '@portcullis/contract';
import { type Static, Type } from 'typebox';
import { PublicJwk, TemporaryRule } from './change.ts';

export const Role = Type.Object({
  id: Type.Integer(),
  roleKey: Type.String(),
  dataScope: Type.Enum(dataScopes),
});
export type Role = Static<typeof Role>;

export const LiveKey = Type.Object({ kid: Type.String(), publicJwk: PublicJwk, signing: Type.Boolean() });
export type LiveKey = Static<typeof LiveKey>;

export const SnapshotRecord = Type.Union([
  Type.Object({
    kind: Type.Literal('keys'),
    dev: Type.Boolean(),
    live: Type.Array(LiveKey),
    retired: Type.Array(Type.String()),
  }),
  Type.Object({ kind: Type.Literal('roles'), roles: Type.Array(Role) }),
  Type.Object({
    kind: Type.Literal('rules'),
    rules: Type.Array(Type.Object({ roleKey: Type.String(), method: Type.String(), path: Type.String() })),
  }),
  Type.Object({ kind: Type.Literal('temporary_rules'), rules: Type.Array(TemporaryRule) }),
  // Revoked tokens from Postgres in one string, `jti expiry,jti expiry`: a million tokens as objects would take 200 MB and
  // four times as long.
  Type.Object({ kind: Type.Literal('revocations'), lines: Type.String() }),
  // Revoked tokens from the memory of an instance, which stores only 8 bytes of each: in base64, the tokens that expire in
  // this hour since 1970.
  Type.Object({ kind: Type.Literal('ended_tokens'), hour: Type.Integer(), fingerprints: Type.String() }),
  Type.Object({
    kind: Type.Literal('epochs'),
    epochs: Type.Array(Type.Object({ userId: Type.Integer(), epoch: Type.Integer() })),
  }),
]);
export type SnapshotRecord = Static<typeof SnapshotRecord>;
