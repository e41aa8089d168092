import { dataScopeOf, dataScopes, isRoleKey } from '@portcullis/contract';
import { describe, expect, it } from 'vitest';

describe('a role key', () => {
  it.each([
    ['a capital', 'Admin'],
    ['capitals', 'ADMIN'],
    ['a space before', ' admin'],
    ['a space behind', 'admin '],
    ['a line feed behind', 'admin\n'],
    ['a NUL behind', 'admin\0'],
    ['a Cyrillic a', '\u0430dmin'],
    ['a Greek alpha', '\u03b1dmin'],
    ['a dotless i', 'adm\u0131n'],
    ['a capital I with a dot', 'adm\u0130n'],
    ['full-width letters', '\uff41\uff44\uff4d\uff49\uff4e'],
    ['a zero-width space', 'ad\u200bmin'],
    ['a soft hyphen', 'ad\u00admin'],
    ['a combining dot', 'admi\u0307n'],
    ['a right-to-left mark', '\u200fadmin'],
    ['a mathematical letter', '\u{1d41a}dmin'],
  ])('that looks like admin with %s is refused', (_what, key) => {
    expect(isRoleKey(key)).toBe(false);
  });

  it.each(['', '1admin', '-a', '_a', 'a.b', 'a/b', 'a:b', 'a*', `a${'b'.repeat(32)}`])(
    '%j is refused',
    (key) => {
      expect(isRoleKey(key)).toBe(false);
    },
  );

  it.each(['a', 'admin', 'editor-2', 'read_only', `a${'b'.repeat(31)}`])('%j is accepted', (key) => {
    expect(isRoleKey(key)).toBe(true);
  });
});

describe('a data scope', () => {
  it.each([undefined, null, '', '0', '6', '01', ' 1', '1 ', '１', 'all', 1, 5, true, ['1'], {}, Number.NaN])(
    'that is unknown (%j) means own rows, never all',
    (value) => {
      expect(dataScopeOf(value)).toBe('5');
    },
  );

  it.each(dataScopes)('%s means itself', (scope) => {
    expect(dataScopeOf(scope)).toBe(scope);
  });
});
