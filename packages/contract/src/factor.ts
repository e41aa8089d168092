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
    description: 'Each of these methods completes the next step of the login.',
  }),
  enrol: Type.Array(Type.Enum(factorKinds), {
    description:
      'The factors that can be set up now with `login/enrol`, if the user has none for the next step.',
  }),
  codeRequired: Type.Boolean({
    description:
      'Whether the setup needs the enrolment code of an administrator, after a reset of the factors.',
  }),
});
export type FactorDetails = Static<typeof FactorDetails>;
