import { expect, it } from 'vitest';
import { readAccountState } from '../../../../src/sign-in/providers/ldap/account-state.ts';

const now = Date.UTC(2026, 0, 1);
const fileTime = (at: number) => String((BigInt(at) + 11_644_473_600_000n) * 10_000n);
const stateOf = (dialect: 'ad' | 'ldap', attributes: Readonly<Record<string, string>>) =>
  readAccountState(dialect, (name) => attributes[name], now);

it.each([
  [{}, 'disabled'],
  [{ userAccountControl: 'x' }, 'disabled'],
  [{ userAccountControl: '514' }, 'disabled'],
  [{ userAccountControl: '512', accountExpires: 'x' }, 'expired'],
  [{ userAccountControl: '512', accountExpires: fileTime(now) }, 'expired'],
  [{ userAccountControl: '512', accountExpires: fileTime(now + 1000) }, 'active'],
  [{ userAccountControl: '512', accountExpires: '9223372036854775807' }, 'active'],
  [{ userAccountControl: '66048', accountExpires: '0' }, 'active'],
  [{ userAccountControl: '512' }, 'active'],
] as const)('reads Active Directory: %j is %s', (attributes, state) => {
  expect(stateOf('ad', attributes)).toBe(state);
});

it.each([
  [{ nsAccountLock: 'TRUE' }, 'disabled'],
  [{ nsAccountLock: 'perhaps' }, 'disabled'],
  [{ pwdAccountLockedTime: '000001010000Z' }, 'disabled'],
  [{ shadowExpire: 'x' }, 'expired'],
  [{ shadowExpire: '0' }, 'expired'],
  [{ shadowExpire: String(now / 86_400_000) }, 'expired'],
  [{ shadowExpire: String(now / 86_400_000 + 1) }, 'active'],
  // Closed for a while after wrong passwords: an attacker must not be able to end a user's sessions.
  [{ pwdAccountLockedTime: '20260101000000Z' }, 'active'],
  [{ nsAccountLock: 'false', shadowExpire: '-1' }, 'active'],
  [{}, 'active'],
] as const)('reads other directories: %j is %s', (attributes, state) => {
  expect(stateOf('ldap', attributes)).toBe(state);
});
