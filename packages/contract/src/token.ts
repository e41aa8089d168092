// The claims of a token (JWT), the caller and the account. The five items of the specification have go-admin's claim names, so
// that services which already parse them continue to work.
import { type Static, Type } from 'typebox';
import { Id } from './id.ts';
import { type DataScope, dataScopes, roleKeyPattern } from './role.ts';

/** 128 random bits in base64url. */
export const jtiPattern = '^[A-Za-z0-9_-]{22}$';

/** The longest lifetime of a token: roughly 100 years in dev (Spec, Limits), a day otherwise. */
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

/** The caller, as the identity check found it; handlers and later checks read it. */
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

/** A user and role in the form that the token payload accepts, for every login method (Spec, Authentication 7). */
export interface Account {
  readonly userId: number;
  readonly username: string;
  readonly roleId: number;
  readonly roleKey: string;
  readonly dataScope: DataScope;
  readonly epoch: number;
  /** The password was set by another person and must be changed first. */
  readonly passwordDue?: true;
}
