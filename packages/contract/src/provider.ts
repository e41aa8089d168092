// Sign-in providers: their kinds, their settings, and which people they can bring in. A new kind is added to `providerKinds`, and
// its settings to `ProviderSettings`.
import { type Static, Type } from 'typebox';
import { OAuthSettings } from './oauth/oauth-settings.ts';

export const providerKinds = ['oidc', 'oauth', 'ldap'] as const;
export type ProviderKindName = (typeof providerKinds)[number];

/**
 * `linked`: people who linked an account here. `invited`: also people with a code. `created`: also everyone whom the provider
 * knows (just-in-time provisioning).
 */
export const providerAdmissions = ['linked', 'invited', 'created'] as const;
export type ProviderAdmission = (typeof providerAdmissions)[number];

/** Roles are given `here`, by the provider's groups at the `first` login, or `always`, at every login. */
export const roleSources = ['here', 'first', 'always'] as const;
export type RoleSource = (typeof roleSources)[number];

const closed = { additionalProperties: false } as const;

/** In addresses and in commands. */
export const ProviderKey = Type.String({
  pattern: '^[a-z][a-z0-9-]{0,31}$',
  description: 'Lowercase letters, digits and `-`, beginning with a letter; at most 32 characters.',
});

const address = { minLength: 9, maxLength: 512 } as const;

export const OidcSettings = Type.Object(
  {
    issuer: Type.String({
      ...address,
      description: 'As the provider’s discovery document has it. It cannot be changed while there are links.',
    }),
    clientId: Type.String({ minLength: 1, maxLength: 256 }),
    redirectUri: Type.String({
      ...address,
      description:
        'The page that people come back to, exactly as it is registered there; of this provider alone.',
    }),
    scopes: Type.Optional(
      Type.Array(Type.String({ pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,128}$' }), {
        maxItems: 16,
        description: 'Beside `openid`.',
      }),
    ),
    tenant: Type.Optional(
      Type.Object(
        {
          claim: Type.Enum(['tid', 'hd'] as const),
          value: Type.String({ minLength: 1, maxLength: 256 }),
        },
        {
          ...closed,
          description:
            'People of another tenant are refused: `tid` of Entra, `hd` of Google. It cannot be changed while there are links.',
        },
      ),
    ),
    groupsClaim: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, description: 'The claim that names the groups.' }),
    ),
  },
  closed,
);
export type OidcSettings = Static<typeof OidcSettings>;

const distinguishedName = { minLength: 3, maxLength: 512 } as const;
const attribute = { pattern: '^[A-Za-z][A-Za-z0-9-]{0,63}$' } as const;

export const LdapSettings = Type.Object(
  {
    url: Type.String({
      ...address,
      description: '`ldaps://host:636`, or `ldap://host:389`, where StartTLS comes before anything else.',
    }),
    dialect: Type.Enum(['ad', 'ldap'] as const, {
      description: 'Active Directory and what speaks like it, or any other directory.',
    }),
    ca: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 16_384,
        description:
          'Certificates, as PEM, of the authorities that can sign the directory’s certificate. Without it, Node uses its bundled list of public authorities, not the list of the operating system.',
      }),
    ),
    serverName: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9.-]{1,253}$',
        description: 'The name in the directory’s certificate, where it is not the host of the address.',
      }),
    ),
    readerDn: Type.String({
      ...distinguishedName,
      description: 'The account that searches, and may do nothing else. Its password is the secret.',
    }),
    baseDn: Type.String({ ...distinguishedName, description: 'Below it are the people.' }),
    groupBaseDn: Type.Optional(
      Type.String({ ...distinguishedName, description: 'Below it are the groups, where it is another.' }),
    ),
    usernameAttribute: Type.Optional(
      Type.String({
        ...attribute,
        description: 'What people type: `sAMAccountName` or `uid`, where it is not set.',
      }),
    ),
    personClass: Type.Optional(
      Type.String({
        ...attribute,
        description: 'Of the entry of a person: `user` or `person`, where it is not set.',
      }),
    ),
    recheckMinutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1440,
        description:
          'How often whoever has a session is looked for in the directory again; every 5 where it is not set.',
      }),
    ),
  },
  closed,
);
export type LdapSettings = Static<typeof LdapSettings>;

export const ProviderSettings = Type.Union([OidcSettings, OAuthSettings, LdapSettings]);
export type ProviderSettings = Static<typeof ProviderSettings>;

/** What a page needs for a button. */
export const ProviderButton = Type.Object({
  key: Type.String(),
  kind: Type.Enum(providerKinds),
  name: Type.String(),
});
