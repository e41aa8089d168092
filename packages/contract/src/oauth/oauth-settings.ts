// Settings of providers that speak OAuth 2 without OpenID Connect: the identity comes from a userinfo address, and a setting says
// where in its answer. A preset has what its service needs; a setting beside it replaces the preset's.
import { type Static, Type } from 'typebox';
import { oauthPresetNames } from './oauth-presets.ts';

const closed = { additionalProperties: false } as const;
const address = { minLength: 9, maxLength: 512 } as const;
const word = '^[A-Za-z][A-Za-z0-9_.-]{0,63}$';

/** How this service authenticates when it redeems a code. */
export const oauthClientAuths = ['basic', 'post', 'json', 'camelJson', 'corp'] as const;
export type OAuthClientAuth = (typeof oauthClientAuths)[number];

/** A JSON pointer (RFC 6901). */
const place = (description: string) =>
  Type.Optional(Type.String({ pattern: '^(/([^/~]|~[01])*)+$', maxLength: 256, description }));

export const OAuthSettings = Type.Object(
  {
    preset: Type.Optional(
      Type.Enum(oauthPresetNames, {
        description: 'Brings the settings of a known service, from its public documents.',
      }),
    ),
    clientId: Type.String({ minLength: 1, maxLength: 256 }),
    redirectUri: Type.String({
      ...address,
      description:
        'The page that people come back to, exactly as it is registered there; of this provider alone.',
    }),
    authorizeUrl: Type.Optional(Type.String({ ...address, description: 'Where people sign in.' })),
    tokenUrl: Type.Optional(Type.String({ ...address, description: 'Where a code is redeemed.' })),
    userInfoUrl: Type.Optional(
      Type.String({ ...address, description: 'Where it is asked who somebody is.' }),
    ),
    scopes: Type.Optional(
      Type.Array(Type.String({ pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,128}$' }), { maxItems: 16 }),
    ),
    subjectPlace: place(
      'Where user-info has what is never given to somebody else, such as `/data/union_id`; with the addresses and the client it cannot be changed while there are links.',
    ),
    namePlace: place('Where it has a name for people to read.'),
    groupsPlace: place('Where it has the list of groups.'),
    tenantPlace: place('Where it has the tenant; whoever is of another than `tenant` is refused.'),
    tenantIn: Type.Optional(
      Type.Enum(['user', 'token'] as const, {
        description: 'Whether the tenant is in user-info, or in the answer with the token.',
      }),
    ),
    tenant: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'People of another tenant are refused. It cannot be changed while there are links.',
      }),
    ),
    statusPlace: place('Where both answers have a number that is 0 where all went well.'),
    clientAuth: Type.Optional(
      Type.Enum(oauthClientAuths, {
        description:
          'How this service shows itself: `basic` (where it is not set) and `post` as the standard has them, `json` in a body of JSON, `camelJson` the same in the spelling of DingTalk, `corp` by a token of the app, as WeCom has it.',
      }),
    ),
    tokenHeader: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z][A-Za-z0-9-]{0,63}$',
        description:
          'The header that carries the token to user-info, where it is not `Authorization: Bearer`.',
      }),
    ),
    pkce: Type.Optional(
      Type.Boolean({
        description: 'False for a service that does not take PKCE; a code can then be injected.',
      }),
    ),
    codeParameter: Type.Optional(
      Type.String({ pattern: word, description: 'What the answer calls the code, where it is not `code`.' }),
    ),
    authorizeParameters: Type.Optional(
      Type.Array(
        Type.Object({ name: Type.String({ pattern: word }), value: Type.String({ maxLength: 256 }) }, closed),
        { maxItems: 8, description: 'Sent beside the usual ones to where people sign in.' },
      ),
    ),
  },
  closed,
);
export type OAuthSettings = Static<typeof OAuthSettings>;
