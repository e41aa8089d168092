// Login methods and authentication factors: how strong a login is, and what proves it.
import { type Static, Type } from 'typebox';

/** 1 one factor; 2 a second factor; 3 phishing-resistant: a passkey, or the key of a service account. */
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

/** The factors that a person can have besides a password. */
export const factorKinds = ['totp', 'passkey'] as const;
export type FactorKind = (typeof factorKinds)[number];

/** The details of a refusal with `factor_required`, for a login that began with `login/begin`. */
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
