// Everything about access at one moment, in pieces: what a full load reads, from Postgres or over HTTP.
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
  // For who asks for them: a guard of an earlier version could not read it.
  Type.Object({ kind: Type.Literal('temporary_rules'), rules: Type.Array(TemporaryRule) }),
  // One text, `jti expiry,jti expiry`: a million of them as objects would take 200 MB and four times as long.
  Type.Object({ kind: Type.Literal('revocations'), lines: Type.String() }),
  // The same from a memory, which has no more of them: in base64, 8 bytes of each that expires in this hour since 1970.
  Type.Object({ kind: Type.Literal('ended_tokens'), hour: Type.Integer(), fingerprints: Type.String() }),
  Type.Object({
    kind: Type.Literal('epochs'),
    epochs: Type.Array(Type.Object({ userId: Type.Integer(), epoch: Type.Integer() })),
  }),
]);
export type SnapshotRecord = Static<typeof SnapshotRecord>;
