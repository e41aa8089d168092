// What a login proves, and by what.
import { type Static, Type } from 'typebox';

/** 1 one factor, 2 a second one, 3 one that cannot be given to a false site: a passkey, or the key of a service account. */
export const factors = [1, 2, 3] as const;
export type Factor = (typeof factors)[number];

export const loginMethods = [
  'password',
  'totp',
  'recovery',
  'passkey',
  'key',
  'oidc',
  'oauth',
  'ldap',
] as const;
export type LoginMethod = (typeof loginMethods)[number];

/** What somebody can have beside a password. */
export const factorKinds = ['totp', 'passkey'] as const;
export type FactorKind = (typeof factorKinds)[number];

/** What a refusal with `factor_required` says beside its text, to a login that began with `login/begin`. */
export const FactorDetails = Type.Object({
  methods: Type.Array(Type.Enum(loginMethods), {
    description: 'Any of these is the next step of the login.',
  }),
  enrol: Type.Array(Type.Enum(factorKinds), {
    description: 'What can be set up now, with `login/enrol`, where there is nothing that goes on.',
  }),
  codeRequired: Type.Boolean({
    description: 'Setting up takes a code that an administrator gives: a factor was taken away.',
  }),
});
export type FactorDetails = Static<typeof FactorDetails>;
