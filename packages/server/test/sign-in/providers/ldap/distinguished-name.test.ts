import { describe, expect, it } from 'vitest';
import { canonicalDn } from '../../../../src/sign-in/providers/ldap/distinguished-name.ts';

describe('what is no distinguished name', () => {
  it.each(['', 'staff', '=staff', 'cn=', 'cn=a,,dc=b', 'c n=a', 'cn=a\\', 'cn=a\\zz', '*'])(
    'is refused: %s',
    (text) => {
      expect(canonicalDn(text)).toBeUndefined();
    },
  );
});

it.each([
  ['CN=Staff,DC=Example', 'cn=staff,dc=example'],
  ['cn = staff , dc=example', 'cn=staff,dc=example'],
  ['cn=a\\2cb,dc=x', 'cn=a\\,b,dc=x'],
  ['cn=a\\,b,dc=x', 'cn=a\\,b,dc=x'],
  ['cn=M\\c3\\bcller', 'cn=müller'],
  ['ou=b+cn=a,dc=x', 'cn=a+ou=b,dc=x'],
  ['cn=two  spaces', 'cn=two spaces'],
])('has one spelling: %s', (text, canonical) => {
  expect(canonicalDn(text)).toBe(canonical);
  expect(canonicalDn(canonical)).toBe(canonical);
});

it('does not take one name for two', () => {
  expect(canonicalDn('cn=staff\\,dc\\=example')).not.toBe(canonicalDn('cn=staff,dc=example'));
});
