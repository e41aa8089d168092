// The identity in the answer of a provider.
import { applyMappingsEndpoint } from '@portcullis/contract';
import { compileSchema } from '@portcullis/gate';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import type { CompleteSettings } from '../../../../src/sign-in/providers/oauth/complete-settings.ts';
import { readPointer } from '../../../../src/sign-in/providers/oauth/json-pointer.ts';
import { readUser } from '../../../../src/sign-in/providers/oauth/read-user.ts';

const settings = { subjectPath: '/id', clientAuth: 'post' } as CompleteSettings;
const subjectOf = (id: unknown) => readUser({ id }, {}, settings)?.subject;

describe('a subject', () => {
  it.each([
    [undefined],
    [null],
    [true],
    [''],
    ['   '],
    [{}],
    [['a']],
    [1.5],
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    [2 ** 53],
    ['x'.repeat(256)],
    ['a\0b'],
    ['\ud800'],
  ])('is not %j', (id) => {
    expect(subjectOf(id)).toBeUndefined();
  });

  it('is a text as it is, and a number in its digits', () => {
    expect(['a', ' a ', 'x'.repeat(255), 0, 583231, Number.MAX_SAFE_INTEGER].map(subjectOf)).toEqual([
      'a',
      ' a ',
      'x'.repeat(255),
      '0',
      '583231',
      '9007199254740991',
    ]);
  });

  it('of WeCom is of the company itself', () => {
    const corp = { ...settings, clientAuth: 'corp' } as CompleteSettings;
    expect(readUser({ id: 'linked-corp/mei' }, {}, corp)).toBeUndefined();
    expect(readUser({ id: 'mei' }, {}, corp)?.subject).toBe('mei');
  });
});

describe('a tenant', () => {
  const pinned = { ...settings, tenantPath: '/corp', tenant: 'own' } as CompleteSettings;
  it.each([['other'], [undefined], [['own']], [{ own: true }], ['own ']])('is not %j for another', (corp) => {
    expect(readUser({ id: 'a', corp }, { corp: 'own' }, pinned)).toBeUndefined();
  });

  it('is read where the settings say, and nowhere else', () => {
    expect(readUser({ id: 'a', corp: 'own' }, {}, pinned)?.subject).toBe('a');
    const inToken = { ...pinned, tenantIn: 'token' } as CompleteSettings;
    expect(readUser({ id: 'a', corp: 'own' }, { corp: 'other' }, inToken)).toBeUndefined();
    expect(readUser({ id: 'a' }, { corp: 'own' }, inToken)?.subject).toBe('a');
  });

  it('that is required without a value refuses every login', () => {
    const { tenant: _tenant, ...open } = pinned;
    expect(readUser({ id: 'a' }, {}, open as CompleteSettings)).toBeUndefined();
  });
});

it('returns the groups from a list of texts at the pointer, and reports any other value as unreadable', () => {
  const grouped = { ...settings, groupsPath: '/g' } as CompleteSettings;
  const groupsOf = (g: unknown) => {
    const { groups, groupsFault } = readUser({ id: 'a', g }, {}, grouped) ?? {};
    return groups ?? groupsFault;
  };
  expect(groupsOf(['x', 'y'])).toEqual(['x', 'y']);
  expect(groupsOf([])).toEqual([]);
  for (const g of ['x', undefined, { x: 1 }, ['x', 7, 'y'], Array.from({ length: 2001 }, () => 'x')])
    expect(groupsOf(g)).toBe('groups_unreadable');
});

it('returns a group with the longest name that a mapping can have', () => {
  const grouped = { ...settings, groupsPath: '/g' } as CompleteSettings;
  const isBody = compileSchema(applyMappingsEndpoint.body ?? Type.Never());
  for (const letter of ['x', '\u{1f9a6}']) {
    const group = letter.repeat(512);
    const mappings = [{ group, roleId: 1, departmentId: null }];
    expect(isBody({ roleSource: 'every_login', mappings, digest: '0'.repeat(64) })).toBe(true);
    expect(readUser({ id: 'a', g: [group] }, {}, grouped)?.groups).toEqual([group]);
  }
  expect(readUser({ id: 'a', g: ['x'.repeat(1025)] }, {}, grouped)?.groups).toEqual([]);
});

describe('a JSON pointer', () => {
  const answer = { data: { 'a/b': 1, 'm~n': 2, list: ['x'], '': 3 } };
  it.each<[string, unknown]>([
    ['/data/a~1b', 1],
    ['/data/m~0n', 2],
    ['/data/list/0', 'x'],
    ['/data/', 3],
    ['/data/none', undefined],
    ['/data/list/length/x', undefined],
    ['/constructor/name', undefined],
    ['/__proto__', undefined],
    ['/data/a~1b/toString', undefined],
  ])('%s', (place, found) => {
    expect(readPointer(answer, place)).toBe(found);
  });
});

it.each<[unknown, string]>([
  [null, '/id'],
  ['text', '/length'],
  [{ user: null }, '/user/id'],
  [{ user: 'text' }, '/user/length'],
  [{ id: 7 }, '/constructor/name'],
  [undefined, '/id'],
])('finds nothing in %j at %s', (answer, place) => {
  expect(readPointer(answer, place)).toBeUndefined();
});
