// Settings of providers that speak OAuth 2 without OpenID Connect: the identity comes from a user-info endpoint, and JSON pointers
// say where in its answer. A preset has the settings of a known service; an explicit setting replaces that of the preset.
import { type Static, Type } from 'typebox';
import { oauthPresetNames } from './oauth-presets.ts';

const closed = { additionalProperties: false } as const;
const address = { minLength: 9, maxLength: 512 } as const;
const word = '^[A-Za-z][A-Za-z0-9_.-]{0,63}$';

/** How this service authenticates when it redeems a code. */
export const oauthClientAuths = ['basic', 'post', 'json', 'camelJson', 'corp'] as const;
export type OAuthClientAuth = (typeof oauthClientAuths)[number];

/** A JSON pointer (RFC 6901). */
const pointer = (description: string) =>
  Type.Optional(Type.String({ pattern: '^(/([^/~]|~[01])*)+$', maxLength: 256, description }));

export const OAuthSettings = Type.Object(
  {
    preset: Type.Optional(
      Type.Enum(oauthPresetNames, {
        description: 'The settings of a known service, from its public documents.',
      }),
    ),
    clientId: Type.String({ minLength: 1, maxLength: 256 }),
    redirectUri: Type.String({
      ...address,
      description: 'The redirect URI, exactly as registered at the provider. Each provider has its own.',
    }),
    authorizationUrl: Type.Optional(
      Type.String({ ...address, description: 'The authorization endpoint, where people sign in.' }),
    ),
    tokenUrl: Type.Optional(
      Type.String({ ...address, description: 'The token endpoint, where a code is redeemed.' }),
    ),
    userInfoUrl: Type.Optional(Type.String({ ...address, description: 'The user-info endpoint.' })),
    scopes: Type.Optional(
      Type.Array(Type.String({ pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,128}$' }), { maxItems: 16 }),
    ),
    subjectPath: pointer(
      'A JSON pointer to the id of the person in the user info, such as `/data/union_id`. The service must never give the id to another person. It cannot be changed while there are links, and neither can the addresses and the client.',
    ),
    namePath: pointer('A JSON pointer to the display name in the user info.'),
    groupsPath: pointer('A JSON pointer to the list of groups in the user info.'),
    tenantPath: pointer('A JSON pointer to the tenant. People of another tenant than `tenant` are refused.'),
    tenantIn: Type.Optional(
      Type.Enum(['user', 'token'] as const, {
        description: 'Whether `tenantPath` points into the user info or into the token response.',
      }),
    ),
    tenant: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'People of another tenant are refused. It cannot be changed while there are links.',
      }),
    ),
    statusPath: pointer('A JSON pointer to the status in both answers, a number that is 0 for success.'),
    clientAuth: Type.Optional(
      Type.Enum(oauthClientAuths, {
        description:
          'How this service authenticates when it redeems a code: `basic` (the default) and `post` as in the standard, `json` in a JSON body, `camelJson` the same with the field names of DingTalk, `corp` with an app token as in WeCom.',
      }),
    ),
    tokenHeader: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z][A-Za-z0-9-]{0,63}$',
        description:
          'The header that carries the token to the user-info endpoint. The default is `Authorization: Bearer`.',
      }),
    ),
    pkce: Type.Optional(
      Type.Boolean({
        description: 'False for a service without support for PKCE; a code can then be injected.',
      }),
    ),
    codeParameter: Type.Optional(
      Type.String({
        pattern: word,
        description: 'The name of the query parameter with the code. The default is `code`.',
      }),
    ),
    authorizationParameters: Type.Optional(
      Type.Array(
        Type.Object({ name: Type.String({ pattern: word }), value: Type.String({ maxLength: 256 }) }, closed),
        { maxItems: 8, description: 'Additional parameters of the authorization request.' },
      ),
    ),
  },
  closed,
);
export type OAuthSettings = Static<typeof OAuthSettings>;
