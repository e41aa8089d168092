// What of a provider's claims is used, and what makes all of them unacceptable.
import type { OidcSettings } from '@portcullis/contract';
import type { JWTPayload } from 'jose';
import { describe, expect, it } from 'vitest';
import { readClaims } from '../../../../src/sign-in/providers/oidc/read-claims.ts';

const settings: OidcSettings = {
  issuer: 'https://sso.example',
  clientId: 'c',
  redirectUri: 'https://a.example/r',
};
const tenanted = { ...settings, tenant: { claim: 'tid', value: 'ours' } } as OidcSettings;
const grouped = { ...settings, groupsClaim: 'groups' } as OidcSettings;

it.each<[string, Record<string, unknown>]>([
  ['no subject', {}],
  ['a subject that is no text', { sub: 7 }],
  ['an empty subject', { sub: '' }],
  ['a subject that is too long', { sub: 'x'.repeat(256) }],
  ['a session that cannot be stored', { sub: 'mei', sid: 'a\u0000b' }],
])('accepts no claims with %s', (_what, claims) => {
  expect(readClaims(claims as JWTPayload, settings)).toBeUndefined();
});

it.each([[undefined], ['theirs'], [['ours']]])(
  'accepts no claims of the tenant %j where another is pinned',
  (tid) => {
    expect(readClaims({ sub: 'mei', tid }, tenanted)).toBeUndefined();
    expect(readClaims({ sub: 'mei', tid }, settings)?.subject).toBe('mei');
    expect(readClaims({ sub: 'mei', tid: 'ours' }, tenanted)?.subject).toBe('mei');
  },
);

it('reads the subject, the username before the name, and no groups where none are asked for', () => {
  const sub = 'x'.repeat(255);
  expect(readClaims({ sub, preferred_username: 'mei', name: 'Mei', groups: ['staff'] }, settings)).toEqual({
    subject: sub,
    name: 'mei',
    session: undefined,
  });
  expect(readClaims({ sub, preferred_username: 7, name: 'Mei' } as JWTPayload, settings)?.name).toBe('Mei');
});

it.each<[unknown, string | undefined]>([
  ['s1', 's1'],
  ['x'.repeat(255), 'x'.repeat(255)],
  ['x'.repeat(256), undefined],
  ['', undefined],
  [7, undefined],
])('reads the session %j as %j', (sid, session) => {
  expect(readClaims({ sub: 'mei', sid } as JWTPayload, settings)?.session).toBe(session);
});

describe('groups', () => {
  it.each<[string, Record<string, unknown>, object]>([
    ['are those of the claim', { groups: ['staff'] }, { groups: ['staff'] }],
    ['are none where the list is empty', { groups: [] }, { groups: [] }],
    ['are not readable where there are none', {}, { groupsFault: 'groups_unreadable' }],
    ['are not readable as a text', { groups: 'staff' }, { groupsFault: 'groups_unreadable' }],
    ['are too many where the token says so', { hasgroups: true }, { groupsFault: 'groups_overage' }],
    ['are too many where it says so as a text', { hasgroups: 'true' }, { groupsFault: 'groups_overage' }],
    [
      'are too many where they are elsewhere, whatever is there',
      { groups: ['staff'], _claim_names: { groups: 'src1' } },
      { groupsFault: 'groups_overage' },
    ],
    [
      'are there where other claims are elsewhere',
      { groups: ['staff'], _claim_names: { roles: 'src1' } },
      { groups: ['staff'] },
    ],
    [
      'are there where nothing is elsewhere',
      { groups: ['staff'], _claim_names: null },
      { groups: ['staff'] },
    ],
    [
      'are there where the place elsewhere is no object',
      { groups: ['staff'], _claim_names: 'groups' },
      { groups: ['staff'] },
    ],
    ['are there where they are not too many', { groups: ['staff'], hasgroups: false }, { groups: ['staff'] }],
  ])('%s', (_what, claims, expected) => {
    const read = readClaims({ sub: 'mei', ...claims } as JWTPayload, grouped);
    expect({ groups: read?.groups, groupsFault: read?.groupsFault }).toEqual({
      groups: undefined,
      groupsFault: undefined,
      ...expected,
    });
  });
});
