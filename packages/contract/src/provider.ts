// Sign-in providers: their kinds, their settings, and which people they can bring in. A new kind is added to `providerKinds`, and
// its settings to `ProviderSettings`.
import { type Static, Type } from 'typebox';
import { OAuthSettings } from './oauth/oauth-settings.ts';

export const providerKinds = ['oidc', 'oauth', 'ldap'] as const;
export type ProviderKindName = (typeof providerKinds)[number];

/**
 * Who can sign in. `linked`: people who linked their account. `invited`: also people with the code of an administrator. `created`:
 * also all other people of the provider, for whom the first login creates an account (just-in-time provisioning).
 */
export const provisioningModes = ['linked', 'invited', 'created'] as const;
export type ProvisioningMode = (typeof provisioningModes)[number];

/** Where roles come from: this service (`local`), or the groups of the provider, at the first or at every login. */
export const roleSources = ['local', 'first_login', 'every_login'] as const;
export type RoleSource = (typeof roleSources)[number];

const closed = { additionalProperties: false } as const;

/** Used in addresses and in commands. */
export const ProviderKey = Type.String({
  pattern: '^[a-z][a-z0-9-]{0,31}$',
  description: 'Lowercase letters, digits and `-`, beginning with a letter; at most 32 characters.',
});

const address = { minLength: 9, maxLength: 512 } as const;

export const OidcSettings = Type.Object(
  {
    issuer: Type.String({
      ...address,
      description:
        'The issuer in the discovery document of the provider. It cannot be changed while there are links.',
    }),
    clientId: Type.String({ minLength: 1, maxLength: 256 }),
    redirectUri: Type.String({
      ...address,
      description: 'The redirect URI, exactly as registered at the provider. Each provider has its own.',
    }),
    scopes: Type.Optional(
      Type.Array(Type.String({ pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,128}$' }), {
        maxItems: 16,
        description: 'Scopes in addition to `openid`.',
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
            'People of another tenant are refused. The claim is `tid` for Entra and `hd` for Google. It cannot be changed while there are links.',
        },
      ),
    ),
    groupsClaim: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, description: 'The claim with the groups.' }),
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
      description: '`ldaps://host:636`, or `ldap://host:389`, where StartTLS comes first.',
    }),
    dialect: Type.Enum(['ad', 'ldap'] as const, {
      description: '`ad` for Active Directory and compatible services, `ldap` for other directories.',
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
        description: 'The name in the certificate of the directory, if it is not the host of `url`.',
      }),
    ),
    bindDn: Type.String({
      ...distinguishedName,
      description:
        'The distinguished name of the account that searches. It needs only the right to read. Its password is the secret.',
    }),
    baseDn: Type.String({ ...distinguishedName, description: 'The search base of people.' }),
    groupBaseDn: Type.Optional(
      Type.String({ ...distinguishedName, description: 'The search base of groups, if it is another one.' }),
    ),
    usernameAttribute: Type.Optional(
      Type.String({
        ...attribute,
        description:
          'The attribute with the username. The default is `sAMAccountName` for `ad` and `uid` for `ldap`.',
      }),
    ),
    userObjectClass: Type.Optional(
      Type.String({
        ...attribute,
        description: 'The object class of people. The default is `user` for `ad` and `person` for `ldap`.',
      }),
    ),
    recheckMinutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1440,
        description:
          'How often people with a session are looked up in the directory again, in minutes; 5 by default.',
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
