// What a token says. The five items of the specification carry go-admin's claim names, so that services which
// already parse them keep working.
import { type Static, Type } from 'typebox';
import { Id } from './id.ts';
import { type DataScope, dataScopes, roleKeyPattern } from './role.ts';

/** 128 random bits in base64url. */
export const jtiPattern = '^[A-Za-z0-9_-]{22}$';

/** How long a token may live at most: roughly 100 years in dev (Spec, Limits), a day otherwise. */
export const maxTokenLifetimeSeconds = { dev: 876_010 * 3600, otherwise: 86_400 } as const;

const DataScopeSchema = Type.Enum(dataScopes);

export const TokenClaims = Type.Object(
  {
    identity: Id,
    roleid: Id,
    rolekey: Type.String({ pattern: roleKeyPattern }),
    nice: Type.String({ minLength: 1, maxLength: 64 }),
    datascope: DataScopeSchema,
    sub: Type.String({ pattern: '^[1-9][0-9]{0,15}$' }),
    iss: Type.String(),
    iat: Type.Integer({ minimum: 0 }),
    exp: Type.Integer({ minimum: 0 }),
    jti: Type.String({ pattern: jtiPattern }),
    ep: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    due: Type.Optional(
      Type.Literal(true, { description: 'The password must be changed before anything else is allowed.' }),
    ),
  },
  { additionalProperties: false },
);
export type TokenClaims = Static<typeof TokenClaims>;

/** Who calls, as the identity check found out: what handlers and later checks read. */
export const Caller = Type.Object({
  userId: Id,
  username: Type.String(),
  roleId: Id,
  roleKey: Type.String(),
  dataScope: DataScopeSchema,
  jti: Type.String(),
  expiresAt: Type.Integer({ description: 'Seconds since 1970.' }),
  passwordDue: Type.Optional(Type.Literal(true, { description: 'May do nothing but change the password.' })),
});
export type Caller = Static<typeof Caller>;

/** A user and role in the form that the token payload accepts, whichever way they logged in (Spec, Authentication 7). */
export interface Account {
  readonly userId: number;
  readonly username: string;
  readonly roleId: number;
  readonly roleKey: string;
  readonly dataScope: DataScope;
  readonly epoch: number;
  /** The password was given by somebody else and must be changed first. */
  readonly passwordDue?: true;
}
